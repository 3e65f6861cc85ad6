//! The data: users, as a typed value, as JSON and as a graph.

use marshal::{Graph, Value};

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub struct User {
    pub id: u32,
    pub name: String,
    pub email: String,
    pub about: String,
    pub tags: Vec<String>,
    pub score: f64,
    pub active: bool,
}

/// About `megabytes` of JSON.
pub fn generate(megabytes: usize) -> Vec<User> {
    const WORDS: [&str; 8] = ["amber", "basalt", "cobalt", "dune", "ember", "fjord", "granite", "harbour"];
    (0..megabytes as u32 * 2800)
        .map(|id| {
            let word = |shift: u32| WORDS[(id.wrapping_mul(2_654_435_761) >> shift) as usize % WORDS.len()];
            User {
                id,
                name: format!("{} {} {id}", word(3), word(7)),
                email: format!("{}.{id}@example.org", word(11)),
                about: (0..24).map(|i| word(i)).collect::<Vec<_>>().join(" "),
                tags: vec![word(1).to_owned(), word(5).to_owned()],
                score: f64::from(id % 1000) / 8.0,
                active: id % 3 == 0,
            }
        })
        .collect()
}

pub fn graph(users: &[User]) -> Graph<'static> {
    let mut graph = Graph::new();
    let users: Vec<Value> = users
        .iter()
        .map(|user| {
            let tags: Vec<Value> = user.tags.iter().map(|tag| graph.string(tag)).collect();
            let properties = [
                ("id", Value::from(user.id)),
                ("name", graph.string(&user.name)),
                ("email", graph.string(&user.email)),
                ("about", graph.string(&user.about)),
                ("tags", graph.array(tags)),
                ("score", Value::from(user.score)),
                ("active", Value::from(user.active)),
            ];
            graph.object(properties)
        })
        .collect();
    let users = graph.array(users);
    let root = graph.object([("users", users)]);
    graph.set_root(root);
    graph
}
