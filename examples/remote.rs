//! A state in an object store: two who save at once, a large state of which one value is read, an older generation.
//!
//! `cargo run --example remote --features remote`. The store is memory; `object_store`'s builders make the others.

use std::sync::Arc;

use marshal::object_store::ObjectStore;
use marshal::object_store::memory::InMemory;
use marshal::{EncodeOptions, Error, ErrorKind, Graph, LoadOptions, OpenSnapshot, Remote, SaveOptions, Value, js};

/// Adds a visitor to the list that stands there, whoever else does so at the same time.
async fn visit(place: &Remote, name: &str) -> Result<(), Error> {
    loop {
        let (snapshot, version) = place.read().await?;
        let mut state = snapshot.graph()?.into_owned();
        let visitors = state.root().get("visitors").map_or(Value::NULL, |visitors| visitors.value());
        let name = state.string(name);
        state.push(visitors, name)?;
        match place.save_if(&version, &state, &SaveOptions::new()).await {
            Err(error) if error.kind() == ErrorKind::Changed => continue,
            saved => return saved.map(|_| ()),
        }
    }
}

/// Written once for files and stores.
fn title(open: &OpenSnapshot, book: usize) -> Result<String, Error> {
    Ok(open.root()?.get("books")?.at(book)?.get("title")?.as_str().unwrap_or_default().to_owned())
}

fn library(books: usize) -> Graph<'static> {
    let mut graph = Graph::new();
    let books: Vec<Value> = (0..books)
        .map(|number| {
            let title = graph.string(&format!("Book {number}"));
            graph.object([("title", title), ("pages", Value::from(number as u32 % 900))])
        })
        .collect();
    let books = graph.array(books);
    let root = graph.object([("books", books)]);
    graph.set_root(root);
    graph
}

/// Runs the example; the tests call it too.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Error> {
    let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());

    let guests = Remote::new(store.clone(), "guests.marshal");
    guests.save(&js!({ visitors: [] })).await?;
    let (ada, grace) = tokio::join!(visit(&guests, "Ada"), visit(&guests, "Grace"));
    ada.and(grace)?;
    let visitors = guests.load().await?;
    assert_eq!(visitors.root().get("visitors").map(|visitors| visitors.len()), Some(2));
    println!("{visitors}");

    let place = Remote::new(store, "library.marshal");
    let options = SaveOptions::new().encode(EncodeOptions::new().index(true)).generations(1);
    place.save_with(&library(100_000), &options).await?;
    let open = place.open().await?;
    let title = open.read(|open| title(open, 77_777)).await?;
    assert_eq!(title, "Book 77777");
    println!("{title}");

    place.save_with(&library(3), &options).await?;
    let (snapshot, _) = place.read_with(&LoadOptions::new().fall_back(true)).await?;
    assert_eq!(snapshot.generation(), 0);
    Ok(())
}
