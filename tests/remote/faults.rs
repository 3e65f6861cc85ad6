//! Objects that are damaged, and stores that fail and lie: refused with the kind that fits, never believed.

use std::sync::Arc;

use marshal::compress::{CompressOptions, Compression};
use marshal::{EncodeOptions, Error, ErrorKind, LoadOptions, Marshal, Metadata, Remote, SaveOptions, Snapshot, js};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{Error as StoreError, ObjectStore, ObjectStoreExt};

use super::store::{Watched, broken};
use super::{names, number_of, numbered};

const STATE: &str = "state.marshal";

fn watched() -> (Watched, Remote) {
    let store = Watched::new(Arc::new(InMemory::new()));
    (store.clone(), Remote::new(Arc::new(store), STATE))
}

async fn put(store: &dyn ObjectStore, bytes: impl Into<Vec<u8>>) {
    store.put(&STATE.into(), bytes.into().into()).await.unwrap();
}

/// What there is to read of a numbered state, opened.
async fn opened(place: &Remote) -> Result<u32, Error> {
    let graph = place.open().await?.read(|open| open.root()?.to_graph()).await?;
    Ok(number_of(&graph))
}

#[tokio::test(start_paused = true)]
async fn every_damage_is_noticed_where_it_is_read() {
    let (store, place) = watched();
    let options =
        SaveOptions::new().encode(EncodeOptions::new().index(true)).metadata(Metadata::new().application("x"));
    let bytes = Snapshot::to_bytes(&numbered(7, 200_000), &options).unwrap();
    let mut seed = 1u64;
    for round in 0..600 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // The head bit by bit, then anywhere.
        let bit = if round < 300 { round * 3 } else { (seed >> 20) as usize % (8 * bytes.len()) };
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        put(&store, damaged).await;
        assert!(place.load().await.is_err(), "bit {bit}");
        match opened(&place).await {
            Err(error) => assert_ne!(error.kind(), ErrorKind::Io, "bit {bit}: {error}"),
            // Padding between blocks and table is no part of either.
            Ok(n) => assert!(n == 7 && bit / 8 >= bytes.len() - 48, "bit {bit}"),
        }
    }
    for len in [0, 1, 7, 8, 63, 64, 100, 4096, 69_631, 69_632, 69_633, 150_000, bytes.len() - 1] {
        put(&store, &bytes[..len]).await;
        for error in [place.load().await.unwrap_err(), opened(&place).await.unwrap_err()] {
            assert!(matches!(error.kind(), ErrorKind::Truncated | ErrorKind::BadMagic), "{len}: {error}");
        }
    }
    put(&store, [&bytes[..], b"?"].concat()).await;
    assert_eq!(place.load().await.unwrap_err().kind(), ErrorKind::TrailingBytes);
    assert_eq!(place.open().await.unwrap_err().kind(), ErrorKind::TrailingBytes);
    // Whatever stands there, it can be saved over.
    for damaged in [&b""[..], b"\xD7Head\r\n\x1A", b"nonsense"] {
        put(&store, damaged).await;
        assert!(place.load().await.is_err() && place.open().await.is_err());
        place.save(&numbered(8, 1000)).await.unwrap();
        assert_eq!(number_of(&place.load().await.unwrap()), 8);
    }
}

#[tokio::test(start_paused = true)]
async fn a_damaged_block_stands_in_nobody_elses_way() {
    let (store, place) = watched();
    let state = js!({ a: "here", far: [1] });
    let mut graph = state.clone();
    let noise = graph.typed_array(&vec![7u8; 500_000]);
    graph.set(graph.root().value(), "noise", noise).unwrap();
    let mut bytes = Snapshot::to_bytes(&graph, &SaveOptions::new()).unwrap();
    bytes[400_000] ^= 1;
    put(&store, bytes).await;
    let open = place.open().await.unwrap();
    let near = open.read(|open| Ok(open.root()?.get("a")?.as_str().map(str::to_owned))).await.unwrap();
    assert_eq!(near.as_deref(), Some("here"));
    let far = open.read(|open| open.root()?.get("noise")?.to_graph()).await.unwrap_err();
    assert_eq!(far.kind(), ErrorKind::Damaged);
    assert_eq!(far.offset().map(|at| at / 65536), Some(400_000 / 65536));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_lies_is_not_believed() {
    let (store, place) = watched();
    place.save(&numbered(7, 300_000)).await.unwrap();
    type Lie = (&'static str, fn(&Watched), &'static [ErrorKind]);
    let lies: [Lie; 7] = [
        ("fewer bytes", |store| store.bend(|bytes, _, _| bytes.truncate(bytes.len() - 1)), &[ErrorKind::Truncated]),
        ("more bytes", |store| store.bend(|bytes, _, _| bytes.extend([0; 9])), &[ErrorKind::Truncated]),
        ("no bytes", |store| store.bend(|bytes, _, _| bytes.clear()), &[ErrorKind::Truncated]),
        ("another range", |store| store.bend(|_, range, _| range.start += 1), &[ErrorKind::Io]),
        ("too large", |store| store.bend(|_, _, meta| meta.size = 1 << 60), &[ErrorKind::TrailingBytes]),
        ("too small", |store| store.bend(|_, _, meta| meta.size -= 9), &[ErrorKind::Truncated, ErrorKind::Io]),
        (
            "another object later",
            |store| {
                store.bend(|_, range, meta| {
                    if range.start > 0 {
                        meta.e_tag = Some("other".into());
                    }
                })
            },
            &[ErrorKind::Changed],
        ),
    ];
    for (lie, tell, kinds) in lies {
        tell(&store);
        for result in [place.load().await.map(|_| ()), opened(&place).await.map(|_| ())] {
            let kind = result.unwrap_err().kind();
            assert!(kinds.contains(&kind), "{lie}: {kind}");
        }
    }
    // A header that goes with a size that nothing has: no memory is taken for it.
    store.bend(|_, _, _| {});
    for len in [1u64 << 40, 1 << 47, 1 << 55] {
        let mut huge = Snapshot::to_bytes(&js!(1), &SaveOptions::new()).unwrap()[..64].to_vec();
        for at in [16, 24] {
            huge[at..at + 8].copy_from_slice(&len.to_le_bytes());
        }
        let checksum = twox_hash::XxHash3_64::oneshot(&huge[..56]);
        huge[56..].copy_from_slice(&checksum.to_le_bytes());
        huge.resize(69_632, 0);
        put(&store, huge).await;
        store.bend(move |bytes, range, meta| {
            meta.size = 64 + len + len / 65536 * 8;
            if range.start == 0 {
                *range = 0..69_632;
            } else {
                bytes.clear();
            }
        });
        assert!(place.open().await.is_err());
        assert_eq!(place.load().await.unwrap_err().kind(), ErrorKind::LimitExceeded);
    }
}

#[tokio::test(start_paused = true)]
async fn a_save_whose_answer_was_lost_is_found_to_have_been_done() {
    // As when the store's client asks again and the store has done it the first time.
    let as_changed = |path: &Path| StoreError::Precondition { path: path.to_string(), source: "412".into() };
    let as_there = |path: &Path| StoreError::AlreadyExists { path: path.to_string(), source: "409".into() };
    let as_broken = |_: &Path| broken();
    let (store, place) = watched();
    // As one object, and in parts, where the one put is that of the head.
    for len in [1000, 17 << 20] {
        let mut version = place.save(&numbered(0, len)).await.unwrap();
        for (n, as_error) in [as_changed as fn(&Path) -> StoreError, as_there, as_broken].into_iter().enumerate() {
            store.lose_answer(as_error);
            version = place.save_if(&version, &numbered(n as u32, len), &SaveOptions::new()).await.unwrap();
            assert_eq!(place.version().await.unwrap(), version);
            assert_eq!(number_of(&place.load().await.unwrap()), n as u32);
        }
    }
}

#[tokio::test]
async fn bounds_hold_before_anything_large_is_fetched() {
    let (store, place) = watched();
    let large = numbered(1, 3_000_000);
    let small = LoadOptions::new().max_bytes(1_000_000);
    let zeros = Marshal::encode(&{
        let mut graph = marshal::Graph::new();
        let zeros = graph.typed_array(&vec![0u8; 30_000_000]);
        graph.set_root(zeros);
        graph
    })
    .unwrap();
    for bytes in [
        Snapshot::to_bytes(&large, &SaveOptions::new()).unwrap(),
        Snapshot::to_bytes(&large, &SaveOptions::new().compression(Compression::Zstd)).unwrap(),
        Marshal::encode(&large).unwrap(),
        CompressOptions::new(Compression::Zstd).compress(&zeros).unwrap(),
    ] {
        put(&store, bytes).await;
        store.fetched();
        assert!(place.read_with(&small).await.unwrap_err().is_limit());
        assert!(store.fetched().iter().all(|range| range.end < 100_000));
        assert!(place.read().await.is_ok());
    }
    assert_eq!(names(&store).await, [STATE]);
}

#[tokio::test]
async fn much_metadata_is_read_too() {
    let (store, place) = watched();
    let about = Metadata::new().application("a".repeat(900_000));
    place.save_with(&numbered(3, 200_000), &SaveOptions::new().metadata(about.clone())).await.unwrap();
    let open = place.open().await.unwrap();
    assert_eq!(open.metadata(), about);
    assert_eq!(opened(&place).await.unwrap(), 3);
    assert_eq!(number_of(&place.load().await.unwrap()), 3);
    let mut bytes = store.get(&STATE.into()).await.unwrap().bytes().await.unwrap().to_vec();
    bytes[500_000] ^= 1;
    put(&store, bytes).await;
    assert_eq!(place.open().await.unwrap_err().kind(), ErrorKind::Damaged);
}
