//! Reading parts: what is fetched, in how many round trips, and that it is what a mapped file gives.

use std::ops::Range;
use std::sync::Arc;

use marshal::{
    EncodeOptions, Error, ErrorKind, Graph, Marshal, OpenRemote, OpenSnapshot, Remote, SaveOptions, Snapshot, Value, js,
};
use object_store::ObjectStore;
use object_store::ObjectStoreExt;
use object_store::memory::InMemory;

use super::store::{TRIP, Watched};
use super::{names, numbered};

const STATE: &str = "state.marshal";

/// Users with a name each, a friend who comes earlier, and scores: `n` of them take some 190 bytes each.
fn users(n: usize) -> Graph<'static> {
    let mut graph = Graph::new();
    let mut users: Vec<Value> = Vec::new();
    for i in 0..n {
        let name = graph.string(&format!("user number {i} with a long name, {}", "x".repeat(i % 40)));
        let scores: Vec<f64> = (0..12).map(|k| (i * k) as f64 + 0.5).collect();
        let scores = graph.typed_array(&scores);
        let friend = if i % 100 == 99 { users[i / 2] } else { Value::NULL };
        users.push(graph.object([
            ("id", Value::from(i as u32)),
            ("name", name),
            ("scores", scores),
            ("friend", friend),
        ]));
    }
    let users = graph.array(users);
    let volume = graph.array([Value::from(7)]);
    let root = graph.object([("users", users), ("volume", volume)]);
    graph.set_root(root);
    graph
}

fn options(graph: &Graph<'_>) -> SaveOptions {
    let volume = graph.root().get("volume").unwrap().value();
    SaveOptions::new().encode(EncodeOptions::new().index(true).entry("volume", volume))
}

fn name(open: &OpenSnapshot, user: usize) -> Result<String, Error> {
    Ok(open.root()?.get("users")?.at(user)?.get("name")?.as_str().unwrap_or_default().to_owned())
}

/// How many round trips something takes, with its result.
async fn trips<T>(work: impl Future<Output = T>) -> (u32, T) {
    let start = tokio::time::Instant::now();
    let result = work.await;
    let passed = start.elapsed();
    assert_eq!(passed.as_millis() % TRIP.as_millis(), 0);
    ((passed.as_millis() / TRIP.as_millis()) as u32, result)
}

fn total(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

#[tokio::test(start_paused = true)]
async fn one_value_of_a_large_snapshot_fetches_little_in_few_round_trips() {
    let graph = users(300_000);
    let store = Watched::new(Arc::new(InMemory::new()));
    for (generations, opening) in [(1, 3), (0, 3)] {
        let place = Remote::new(Arc::new(store.clone()), STATE);
        place.save_with(&graph, &options(&graph).generations(generations)).await.unwrap();
        let size = 40 << 20;
        store.fetched();

        let (took, open) = trips(place.open()).await;
        let open = open.unwrap();
        let fetched = store.fetched();
        assert_eq!(took, opening);
        assert!(fetched.len() <= 4 && total(&fetched) < size / 50, "{} in {fetched:?}", total(&fetched));

        // By path: structure and text, each in its place.
        let (took, found) = trips(open.read(|open| name(open, 212_345))).await;
        assert!(found.unwrap().starts_with("user number 212345 "));
        let fetched = store.fetched();
        assert!(took <= 3 && fetched.len() <= 3 && total(&fetched) < size / 100, "{took}: {fetched:?}");
        // Again: nothing.
        let (took, found) = trips(open.read(|open| name(open, 212_345))).await;
        assert_eq!((took, found.is_ok(), store.fetched().len()), (0, true, 0));
        // By name.
        let volume = open.read(|open| open.entry("volume")?.to_graph());
        let (took, volume) = trips(volume).await;
        assert_eq!(volume.unwrap(), js!([7]));
        assert!(took <= 2 && total(&store.fetched()) < size / 100);
        // A part with what it refers to, which lies elsewhere.
        let part = |open: &OpenSnapshot| open.root()?.get("users")?.at(150_099)?.to_graph();
        let (took, part) = trips(open.read(part)).await;
        let part = part.unwrap();
        let friend = part.root().get("friend").unwrap();
        assert_eq!(friend.get("id").and_then(|id| id.as_i64()), Some(75_049));
        assert_eq!(friend.get("scores").and_then(|scores| scores.elements()).map(|scores| scores.len()), Some(12));
        let fetched = store.fetched();
        assert!(took <= 8 && total(&fetched) < size / 40, "{took}: {fetched:?}");
        // Many at once take no longer than one.
        let many = |open: &OpenSnapshot| {
            let names: Vec<_> = (0..10).map(|i| name(open, 29_000 * i + 1234)).collect();
            names.into_iter().collect::<Result<Vec<_>, _>>()
        };
        let (took, many) = trips(open.read(many)).await;
        assert!(many.unwrap().iter().enumerate().all(|(i, name)| name.contains(&format!(" {} ", 29_000 * i + 1234))));
        assert!(took <= 3, "{took}");
        assert!(store.fetched().len() <= 30);
    }
    // The second time the snapshot was replaced by one without generations, but too large for one object.
    assert_eq!(names(&store).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_small_opens_in_one_round_trip_and_one_object_in_two() {
    let store = Watched::new(Arc::new(InMemory::new()));
    let place = Remote::new(Arc::new(store.clone()), STATE);
    for (n, opening) in [(100, 1), (50_000, 2)] {
        let graph = users(n);
        place.save_with(&graph, &options(&graph)).await.unwrap();
        let (took, open) = trips(place.open()).await;
        assert_eq!(took, opening);
        let (took, found) = trips(open.unwrap().read(|open| name(open, n / 2))).await;
        assert!(found.unwrap().contains(&format!("number {} ", n / 2)));
        assert!(took <= 2);
    }
}

/// Everything, value by value.
fn all(open: &OpenSnapshot) -> Result<(usize, f64), Error> {
    let (mut bytes, mut sum) = (0, 0.0);
    for user in open.root()?.get("users")?.iter() {
        let Some(user) = user? else { continue };
        bytes += user.get("name")?.as_str().map_or(0, str::len);
        sum += user.get("scores")?.elements()?.get(3).unwrap_or_default();
    }
    Ok((bytes, sum))
}

#[tokio::test(start_paused = true)]
async fn reading_everything_takes_few_round_trips_and_fetches_it_once() {
    let graph = users(100_000);
    let message = Marshal::encode_with(&graph, &EncodeOptions::new().index(true)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.marshal");
    Snapshot::save_with(&path, &graph, &options(&graph)).unwrap();
    let wanted = all(&Snapshot::open(&path).unwrap()).unwrap();

    let store = Watched::new(Arc::new(InMemory::new()));
    let place = Remote::new(Arc::new(store.clone()), STATE);
    place.save_with(&graph, &options(&graph)).await.unwrap();
    let check = async |open: OpenRemote| {
        store.fetched();
        let (took, found) = trips(open.read(all)).await;
        assert_eq!(found.unwrap(), wanted, "as a mapped file gives it");
        let fetched = store.fetched();
        assert!(took <= 32, "{took} round trips");
        assert!(total(&fetched) < message.len() as u64 * 5 / 4, "{} of {}", total(&fetched), message.len());
        let (_, whole) = trips(open.read(|open| open.root()?.to_graph())).await;
        assert!(whole.unwrap() == graph);
    };
    check(place.open().await.unwrap()).await;
    // The same of a message that is no snapshot, and without an index.
    store.put(&STATE.into(), message.clone().into()).await.unwrap();
    check(place.open().await.unwrap()).await;
    store.put(&STATE.into(), Marshal::encode(&graph).unwrap().into()).await.unwrap();
    check(place.open().await.unwrap()).await;
}

#[tokio::test]
async fn a_snapshot_that_is_replaced_while_it_is_open_is_not_mixed_with_the_new_one() {
    let (stores, _dir) = super::stores();
    for store in stores {
        let place = Remote::new(store.clone(), STATE);
        let noise = |open: &OpenSnapshot| Ok(open.root()?.get("noise")?.elements()?.get(900_000 / 4));
        for generations in [0, 1] {
            let options = SaveOptions::new().generations(generations);
            place.save_with(&numbered(1, 1_000_000), &options).await.unwrap();
            let open = place.open().await.unwrap();
            let old = place.open().await.unwrap().read(noise).await.unwrap();
            place.save_with(&numbered(2, 1_000_000), &options).await.unwrap();
            match generations {
                0 => assert_eq!(open.read(noise).await.unwrap_err().kind(), ErrorKind::Changed),
                // Kept, and so still read.
                _ => assert_eq!(open.read(noise).await.unwrap(), old),
            }
            assert_ne!(place.open().await.unwrap().read(noise).await.unwrap(), old);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_share_an_open_snapshot() {
    let graph = users(30_000);
    let store: Arc<dyn ObjectStore> = Arc::new(Watched::new(Arc::new(InMemory::new())));
    let place = Remote::new(store, STATE);
    place.save_with(&graph, &options(&graph)).await.unwrap();
    let open = Arc::new(place.open().await.unwrap());
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let open = open.clone();
            tokio::spawn(async move {
                for i in (task..30_000).step_by(4001) {
                    // Who swallows errors still gets no answer out of what is not there.
                    let found = open.read(|open| Ok(name(open, i).unwrap_or_default())).await.unwrap();
                    assert!(found.starts_with(&format!("user number {i} ")), "{found}");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    // One that panics does no harm.
    let other = open.clone();
    let panics = tokio::spawn(async move { other.read(|_| -> Result<(), Error> { panic!("on purpose") }).await });
    assert!(panics.await.unwrap_err().is_panic());
    assert!(open.read(|open| name(open, 3)).await.unwrap().contains(" 3 "));
}
