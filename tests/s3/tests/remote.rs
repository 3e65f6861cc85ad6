//! Snapshots in a real server: conditions, parts, ranges, and what the client asks again.

use std::io;
use std::sync::Arc;

use hyper::Method;
use marshal::{EncodeOptions, Error, ErrorKind, Graph, LoadOptions, Remote, RemoteVersion, SaveOptions, Value, js};
use marshal_s3_tests::{Asked, Fault, Server};

const STATE: &str = "team/state.marshal";

async fn place() -> (Server, Remote) {
    let server = Server::start().await;
    let place = Remote::new(Arc::new(server.store()), STATE);
    (server, place)
}

/// A state with a number, `len` bytes that follow from it, and something at the end.
fn numbered(n: u32, len: usize) -> Graph<'static> {
    let mut graph = Graph::new();
    let noise: Vec<u32> = (0..len as u32 / 4).map(|i| (i ^ n).wrapping_mul(2_654_435_761)).collect();
    let noise = graph.typed_array(&noise);
    let last = graph.string("the last");
    let last = graph.array([last]);
    let root = graph.object([("n", Value::from(n)), ("noise", noise), ("last", last)]);
    graph.set_root(root);
    graph
}

fn number_of(state: &Graph<'_>) -> u32 {
    let n = state.root().get("n").and_then(|n| n.as_i64()).unwrap() as u32;
    let len = 4 * state.root().get("noise").unwrap().len();
    assert!(*state == numbered(n, len), "the state is whole");
    n
}

fn is_get(asked: &Asked) -> bool {
    asked.method == Method::GET
}

/// A put at the place itself.
fn is_put(asked: &Asked) -> bool {
    asked.method == Method::PUT && asked.path.contains("state.marshal") && !asked.path.contains('?')
}

fn is_part(asked: &Asked) -> bool {
    asked.method == Method::PUT && asked.path.contains("partNumber")
}

fn is_second_part(asked: &Asked) -> bool {
    is_part(asked) && asked.path.contains("partNumber=2")
}

/// Creating or completing an upload.
fn is_post(asked: &Asked) -> bool {
    asked.method == Method::POST
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_is_saved_under_conditions_loaded_and_read_in_part() {
    let (server, place) = place().await;
    assert_eq!(place.load().await.unwrap_err().io_kind(), Some(io::ErrorKind::NotFound));
    assert_eq!(place.open().await.unwrap_err().io_kind(), Some(io::ErrorKind::NotFound));
    let options = SaveOptions::new();
    let first = place.save_if(&RemoteVersion::absent(), &numbered(1, 100_000), &options).await.unwrap();
    let again = place.save_if(&RemoteVersion::absent(), &numbered(2, 100_000), &options).await.unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Changed);
    assert_eq!(number_of(&place.load().await.unwrap()), 1);
    let open = place.open().await.unwrap();
    let second = place.save_if(&first, &numbered(2, 100_000), &options).await.unwrap();
    assert_eq!(place.save_if(&first, &numbered(3, 100_000), &options).await.unwrap_err().kind(), ErrorKind::Changed);
    assert_eq!(place.version().await.unwrap(), second);
    // What was opened is not mixed with what stands there now. (This server does not know the condition of a read.)
    let noise = open.read(|open| open.root()?.get("noise")?.to_graph()).await.unwrap_err();
    assert_eq!(noise.kind(), ErrorKind::Changed);
    let (snapshot, version) = place.read().await.unwrap();
    assert_eq!((number_of(&snapshot.graph().unwrap()), version), (2, second));
    assert_eq!(server.objects(), [STATE]);
}

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
    for generations in [0, 1] {
        let (server, place) = place().await;
        let options = SaveOptions::new().generations(generations);
        place.save_with(&numbered(0, 1000), &options).await.unwrap();
        let writers: Vec<_> = (0..3)
            .map(|_| {
                let (place, options) = (place.clone(), options.clone());
                tokio::spawn(async move {
                    let mut conflicts = 0;
                    for _ in 0..8 {
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
        assert_eq!(number_of(&place.load().await.unwrap()), 24);
        assert_eq!(server.objects().len(), if generations == 0 { 1 } else { 3 });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_one_goes_up_in_parts_and_one_value_comes_down_in_few_bytes() {
    let (server, place) = place().await;
    let large = 20 << 20;
    let options = SaveOptions::new().encode(EncodeOptions::new().index(true));
    place.save_with(&numbered(1, large), &options).await.unwrap();
    let asked = server.asked();
    assert_eq!(asked.iter().filter(|asked| is_part(asked)).count(), 3);
    assert_eq!(asked.iter().filter(|asked| is_post(asked)).count(), 2);
    assert_eq!(asked.iter().filter(|asked| is_put(asked)).count(), 1);
    assert_eq!(server.objects().len(), 2);

    let open = place.open().await.unwrap();
    let last = open.read(|open| Ok(open.root()?.get("last")?.at(0)?.as_str().map(str::to_owned))).await.unwrap();
    assert_eq!(last.as_deref(), Some("the last"));
    let asked = server.asked();
    let bytes: u64 = asked.iter().map(|asked| length(asked.range.as_deref().unwrap())).sum();
    assert!(asked.len() <= 5 && bytes < 400_000, "{bytes} bytes in {asked:?}");

    assert_eq!(number_of(&place.load().await.unwrap()), 1);
    let newer = place.save_with(&numbered(2, large), &options.clone().generations(1)).await.unwrap();
    assert_eq!(number_of(&place.load().await.unwrap()), 2);
    assert_eq!(server.objects().len(), 3);
    // What was opened before is a generation now.
    assert_eq!(number_of(&open.read(|open| open.root()?.to_graph()).await.unwrap()), 1);
    place.save_if(&newer, &js!("small"), &options).await.unwrap();
    assert_eq!(server.objects(), [STATE]);
    assert_eq!(server.loose_parts(), 0);
}

/// Bytes of `bytes=FIRST-LAST`.
fn length(range: &str) -> u64 {
    let (first, last) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')).unwrap();
    last.parse::<u64>().unwrap() - first.parse::<u64>().unwrap() + 1
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_that_fails_on_the_way_leaves_the_old_one() {
    let (server, place) = place().await;
    let large = 20 << 20;
    place.save(&numbered(1, large)).await.unwrap();
    let before = server.objects();
    // More often than the client asks.
    for (which, fault) in [
        (is_second_part as fn(&Asked) -> bool, Fault::Refused),
        (is_second_part, Fault::Reset),
        (is_post, Fault::Refused),
        (is_put, Fault::Refused),
    ] {
        server.fault(which, fault, 1000);
        let error = place.save(&numbered(2, large)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(server.forget_faults() < 1000);
        assert_eq!(number_of(&place.load().await.unwrap()), 1);
        assert_eq!(server.loose_parts(), 0);
        // Where it was the head that could not be put, what was put before it may be named by one yet.
        place.sweep(std::time::Duration::ZERO).await.unwrap();
        assert_eq!(server.objects(), before);
    }
    place.save(&numbered(3, large)).await.unwrap();
    assert_eq!(number_of(&place.load().await.unwrap()), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_for_a_while_is_asked_again() {
    let (server, place) = place().await;
    let large = 20 << 20;
    place.save(&numbered(1, large)).await.unwrap();
    for fault in [Fault::Refused, Fault::Reset, Fault::Half, Fault::DoneAndRefused] {
        server.fault(is_get, fault, 2);
        assert_eq!(number_of(&place.load().await.unwrap()), 1, "{fault:?}");
        assert_eq!(server.forget_faults(), 0);
        server.fault(is_get, fault, 2);
        let open = place.open().await.unwrap();
        let n = open.read(|open| Ok(open.root()?.get("n")?.as_i64())).await.unwrap();
        assert_eq!(n, Some(1), "{fault:?}");
        assert_eq!(server.forget_faults(), 0);
    }
    for (n, (which, fault)) in [
        (is_part as fn(&Asked) -> bool, Fault::Refused),
        (is_part, Fault::Reset),
        (is_part, Fault::DoneAndRefused),
        (is_post, Fault::Refused),
        (is_put, Fault::Refused),
    ]
    .into_iter()
    .enumerate()
    {
        server.fault(which, fault, 2);
        place.save(&numbered(n as u32, large)).await.unwrap();
        assert_eq!(server.forget_faults(), 0, "{fault:?}");
        assert_eq!(number_of(&place.load().await.unwrap()), n as u32);
        assert_eq!(server.objects().len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_whose_answer_was_lost_is_no_conflict_with_itself() {
    let (server, place) = place().await;
    for generations in [0, 1] {
        let options = SaveOptions::new().generations(generations);
        let mut version = place.save_with(&numbered(0, 1000), &options).await.unwrap();
        for (n, fault) in [(1, Fault::DoneAndRefused), (2, Fault::DoneAndReset)] {
            // The last put of each save.
            server.fault(|asked| is_put(asked) && !asked.path.contains(".snapshots"), fault, 1);
            version = place.save_if(&version, &numbered(n, 1000), &options).await.unwrap();
            assert_eq!(server.forget_faults(), 0);
            assert_eq!(number_of(&place.load().await.unwrap()), n);
            assert_eq!(place.version().await.unwrap(), version);
        }
    }
    let fall_back = LoadOptions::new().fall_back(true);
    let (snapshot, _) = place.read_with(&fall_back).await.unwrap();
    assert_eq!((snapshot.generation(), number_of(&snapshot.graph().unwrap())), (0, 2));
}
