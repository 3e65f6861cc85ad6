//! Saving and loading, alone and against others.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use marshal::compress::Compression;
use marshal::{
    Encoded, Error, ErrorKind, LoadOptions, Marshal, Metadata, Remote, RemoteVersion, SaveOptions, Snapshot, js,
};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use super::store::Watched;
use super::{names, number_of, numbered, place, stores};

const STATE: &str = "state.marshal";

#[tokio::test]
async fn every_form_goes_both_ways_in_both_stores() {
    let (stores, _dir) = stores();
    let state = numbered(7, 300_000);
    for store in stores {
        let place = Remote::new(store.clone(), STATE);
        let missing = place.load().await.unwrap_err();
        assert_eq!((missing.kind(), missing.io_kind()), (ErrorKind::Io, Some(io::ErrorKind::NotFound)));
        assert_eq!(place.open().await.unwrap_err().io_kind(), Some(io::ErrorKind::NotFound));
        for compression in Compression::ALL.iter().copied().map(Some).chain([None]) {
            let about = Metadata::new().application("test").schema_version(3);
            let mut options = SaveOptions::new().metadata(about.clone());
            if let Some(compression) = compression {
                options = options.compression(compression);
            }
            let version = place.save_with(&state, &options).await.unwrap();
            assert_eq!(place.version().await.unwrap(), version);
            let (snapshot, read) = place.read().await.unwrap();
            assert_eq!((snapshot.metadata(), snapshot.compression(), read), (&about, compression, version.clone()));
            assert_eq!(number_of(&snapshot.graph().unwrap()), 7);
            let open = place.open().await.unwrap();
            assert_eq!((open.metadata(), open.version()), (about, &version));
            let n = open.read(|open| Ok(open.root()?.get("n")?.as_i64())).await.unwrap();
            assert_eq!(n, Some(7));
        }
        // One object is what a file is; and messages load that are nothing else.
        let bytes = store.get(&STATE.into()).await.unwrap().bytes().await.unwrap();
        assert_eq!(number_of(&Snapshot::from_bytes(&bytes, &LoadOptions::new()).unwrap().graph().unwrap()), 7);
        assert_eq!(names(&*store).await, [STATE]);
        let message = Marshal::encode(&state).unwrap();
        store.put(&STATE.into(), message.clone().into()).await.unwrap();
        assert_eq!(number_of(&place.load().await.unwrap()), 7);
        let open = place.open().await.unwrap();
        assert_eq!(number_of(&open.read(|open| open.root()?.to_graph()).await.unwrap()), 7);
        place.save(&Encoded(&message)).await.unwrap();
        assert_eq!(number_of(&place.load().await.unwrap()), 7);
    }
}

#[tokio::test]
async fn nothing_is_saved_on_top_of_what_was_not_known() {
    let place = place();
    let options = SaveOptions::new();
    let first = place.save_if(&RemoteVersion::absent(), &js!(1), &options).await.unwrap();
    for unknown in [RemoteVersion::absent(), place.version().await.unwrap()] {
        let next = place.save_if(&unknown, &js!(2), &options).await;
        assert_eq!(next.is_ok(), unknown == first);
    }
    assert_eq!(place.save_if(&first, &js!(3), &options).await.unwrap_err().kind(), ErrorKind::Changed);
    assert_eq!(place.load().await.unwrap(), js!(2));
    // Also where the same value is saved: no two saves are one version.
    let (_, version) = place.read().await.unwrap();
    let again = place.save(&js!(2)).await.unwrap();
    assert_ne!(again, version);
    assert_eq!(place.save_if(&version, &js!(4), &options).await.unwrap_err().kind(), ErrorKind::Changed);
    place.save_if(&again, &js!(4), &options).await.unwrap();
}

#[tokio::test]
async fn a_disk_says_that_it_has_no_conditions() {
    let (stores, _dir) = stores();
    let place = Remote::new(stores[1].clone(), STATE);
    let options = SaveOptions::new();
    let first = place.save_if(&RemoteVersion::absent(), &js!(1), &options).await.unwrap();
    let again = place.save_if(&RemoteVersion::absent(), &js!(2), &options).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Changed);
    let unsupported = place.save_if(&first, &js!(2), &options).await.unwrap_err();
    assert_eq!((unsupported.kind(), unsupported.io_kind()), (ErrorKind::Io, Some(io::ErrorKind::Unsupported)));
    assert_eq!(place.load().await.unwrap(), js!(1));
    place.save_with(&js!(2), &options.generations(1)).await.unwrap();
    place.save(&js!(3)).await.unwrap();
    assert_eq!(place.load().await.unwrap(), js!(3));
}

/// Adds one to what stands there until nobody was in between.
async fn count(place: &Remote, options: &SaveOptions) -> Result<u32, Error> {
    let mut conflicts = 0;
    loop {
        let (snapshot, version) = place.read().await?;
        let n = number_of(&snapshot.graph()?);
        match place.save_if(&version, &numbered(n + 1, 1000), options).await {
            Err(error) if error.kind() == ErrorKind::Changed => conflicts += 1,
            saved => return saved.map(|_| conflicts),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_writers_that_race_each_sees_the_others() {
    for generations in [0, 2] {
        let store: Arc<dyn ObjectStore> = Arc::new(Watched::new(Arc::new(InMemory::new())));
        let options = SaveOptions::new().generations(generations);
        let place = Remote::new(store.clone(), STATE);
        place.save_with(&numbered(0, 1000), &options).await.unwrap();
        let writers: Vec<_> = (0..4)
            .map(|_| {
                let (place, options) = (place.clone(), options.clone());
                tokio::spawn(async move {
                    let mut conflicts = 0;
                    for _ in 0..5 {
                        conflicts += count(&place, &options).await.unwrap();
                    }
                    conflicts
                })
            })
            .collect();
        let mut conflicts = 0;
        for writer in writers {
            conflicts += writer.await.unwrap();
        }
        assert!(conflicts > 0, "they did not race");
        assert_eq!(number_of(&place.load().await.unwrap()), 20);
        let left = if generations == 0 { 1 } else { 2 + generations as usize };
        assert_eq!(names(&*store).await.len(), left, "those that lost leave nothing");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_without_a_condition_all_save_and_readers_see_whole_states() {
    let place = place();
    let options = SaveOptions::new().generations(3);
    place.save_with(&numbered(0, 1000), &options).await.unwrap();
    let tasks: Vec<_> = (0..4u32)
        .map(|writer| {
            let (place, options) = (place.clone(), options.clone());
            tokio::spawn(async move {
                for n in 0..10 {
                    place.save_with(&numbered(10 * writer + n, 1000), &options).await.unwrap();
                    number_of(&place.load().await.unwrap());
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn generations_are_kept_and_the_newest_good_one_is_found() {
    let (stores, _dir) = stores();
    for store in stores {
        let place = Remote::new(store.clone(), STATE);
        let options = SaveOptions::new().generations(2);
        for n in 0..5 {
            place.save_with(&numbered(n, 1000), &options).await.unwrap();
        }
        let mut bodies = BTreeMap::new();
        for name in names(&*store).await.into_iter().filter(|name| name != STATE).map(Path::from) {
            let bytes = store.get(&name).await.unwrap().bytes().await.unwrap();
            let snapshot = Snapshot::from_bytes(&bytes, &LoadOptions::new()).unwrap();
            bodies.insert(number_of(&snapshot.graph().unwrap()), (name, bytes.to_vec()));
        }
        assert_eq!(bodies.keys().copied().collect::<Vec<_>>(), [2, 3, 4]);
        let fall_back = LoadOptions::new().fall_back(true);
        let newest_good = async || {
            let (snapshot, _) = place.read_with(&fall_back).await?;
            let n = number_of(&snapshot.graph()?);
            assert_eq!((snapshot.generation(), snapshot.damage().is_some()), (4 - n, n < 4));
            Ok::<_, Error>(n)
        };
        let damage = async |n: u32| {
            let (name, mut bytes) = bodies[&n].clone();
            bytes[100] ^= 1;
            store.put(&name, bytes.into()).await.unwrap();
        };
        assert_eq!(newest_good().await.unwrap(), 4);
        damage(4).await;
        assert_eq!(newest_good().await.unwrap(), 3);
        store.delete(&bodies[&3].0).await.unwrap();
        assert_eq!(newest_good().await.unwrap(), 2);
        assert_eq!(place.load().await.unwrap_err().kind(), ErrorKind::Damaged);
        store.delete(&bodies[&4].0).await.unwrap();
        for error in [place.load().await.unwrap_err(), place.open().await.unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::Damaged);
            assert!(error.to_string().contains("is gone"), "{error}");
        }
        assert_eq!(newest_good().await.unwrap(), 2);
        damage(2).await;
        assert_eq!(newest_good().await.unwrap_err().kind(), ErrorKind::Damaged);
        // As few as are asked for the next time (the last is gone); none, and all of it is one object again.
        place.save_with(&numbered(6, 1000), &SaveOptions::new().generations(1)).await.unwrap();
        assert_eq!(names(&*store).await.len(), 2);
        place.save(&numbered(7, 1000)).await.unwrap();
        assert_eq!(names(&*store).await, [STATE]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_large_snapshot_is_uploaded_in_parts_and_replaces_another_whole() {
    let memory: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
    let store = Watched::new(memory.clone());
    let place = Remote::new(Arc::new(store.clone()), STATE);
    let large = 40 << 20;
    place.save(&numbered(1, large)).await.unwrap();
    let (puts, parts) = store.puts();
    assert_eq!((puts, parts), (1, 6), "one put, of the head");
    assert_eq!(number_of(&place.load().await.unwrap()), 1);
    assert_eq!(names(&*memory).await.len(), 2);

    // Whatever part fails, and at the end: the old one stands, and nothing else.
    let before = names(&*memory).await;
    for part in [Some(0), Some(3), Some(5), None] {
        store.fail_part(part);
        store.fail_complete(part.is_none());
        let failed = place.save(&numbered(2, large)).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Io);
        assert!(failed.to_string().contains("could not upload") && failed.to_string().contains("connection broke"));
        assert_eq!(names(&*memory).await, before);
    }
    store.fail_complete(false);
    assert_eq!(number_of(&place.load().await.unwrap()), 1);

    // One that is dropped on the way, too.
    let dropped = tokio::time::timeout(Duration::from_millis(50), place.save(&numbered(2, large))).await;
    assert!(dropped.is_err());
    assert_eq!(names(&*memory).await, before);

    // A conflict at the end of a long upload leaves nothing.
    let (_, known) = place.read().await.unwrap();
    let third = place.save(&numbered(3, large)).await.unwrap();
    let late = place.save_if(&known, &numbered(4, large), &SaveOptions::new()).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Changed);
    assert_eq!(names(&*memory).await.len(), 2);
    assert_eq!(place.version().await.unwrap(), third);
    place.save_if(&third, &js!("small"), &SaveOptions::new()).await.unwrap();
    assert_eq!(names(&*memory).await, [STATE]);
    assert_eq!(place.load().await.unwrap(), js!("small"));
}

#[tokio::test]
async fn litter_is_swept_and_what_is_named_is_not() {
    let (stores, _dir) = stores();
    for store in stores {
        let place = Remote::new(store.clone(), STATE);
        place.sweep(Duration::ZERO).await.unwrap();
        let options = SaveOptions::new().generations(1);
        place.save_with(&js!(1), &options).await.unwrap();
        place.save_with(&js!(2), &options).await.unwrap();
        let before = names(&*store).await;
        store.put(&format!("{STATE}.snapshots/{}", "0".repeat(32)).into(), "litter".into()).await.unwrap();
        place.sweep(Duration::from_secs(3600)).await.unwrap();
        assert_eq!(names(&*store).await.len(), before.len() + 1, "it may be of a save that is under way");
        tokio::time::sleep(Duration::from_millis(20)).await;
        place.sweep(Duration::ZERO).await.unwrap();
        assert_eq!(names(&*store).await, before);
        assert_eq!(place.load().await.unwrap(), js!(2));
    }
}
