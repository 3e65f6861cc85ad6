//! Instances in a graph as typed values, and what an instance takes in the bytes.

use std::cell::RefCell;

use marshal::{Class, Classes, ErrorKind, Graph, Marshal, Shared, Value, Weak};

#[derive(Class)]
struct User {
    name: String,
    friend: RefCell<Weak<User>>,
    team: Option<Shared<Team>>,
}

#[derive(Class)]
struct Team {
    title: String,
    lead: RefCell<Weak<User>>,
}

/// `{users: [ada, bob, ada], other: {}}`: they are each other's friends, and ada leads the team of both.
fn graph() -> Graph<'static> {
    let mut graph = Graph::new();
    let (title, ada, bob) = (graph.string("core"), graph.string("Ada"), graph.string("Bob"));
    let team = graph.instance("Team", 0, [("title", title), ("lead", Value::NULL)]).unwrap();
    let ada = graph.instance("User", 0, [("name", ada), ("friend", Value::NULL), ("team", team)]).unwrap();
    let bob = graph.instance("User", 0, [("name", bob), ("friend", ada), ("team", team)]).unwrap();
    graph.set(ada, "friend", bob).unwrap();
    graph.set(team, "lead", ada).unwrap();
    let users = graph.array([ada, bob, ada]);
    let other = graph.object::<&str>([]);
    let root = graph.object([("users", users), ("other", other)]);
    graph.set_root(root);
    graph
}

#[test]
fn a_node_is_always_the_same_pointer() {
    let graph = graph();
    let classes = Classes::new().with::<User>().with::<Team>();
    let users = graph.root().get("users").unwrap();
    let source = graph.instances().unwrap();
    let mut instances = source.restore(&classes).unwrap();
    // From the inside out, and again.
    let team: Shared<Team> = instances.get(users.at(1).unwrap().get("team").unwrap()).unwrap();
    let bob: Shared<User> = instances.get(users.at(1).unwrap()).unwrap();
    let ada: Shared<User> = instances.get(users.at(0).unwrap()).unwrap();
    assert_eq!(instances.get::<User>(users.at(2).unwrap()).unwrap(), ada);
    assert_eq!((ada.name.as_str(), bob.name.as_str(), team.title.as_str()), ("Ada", "Bob", "core"));
    assert_eq!(ada.friend.borrow().upgrade(), Some(bob.clone()));
    assert_eq!(bob.friend.borrow().upgrade(), Some(ada.clone()));
    assert_eq!((ada.team.as_ref(), bob.team.as_ref()), (Some(&team), Some(&team)));
    assert_eq!(team.lead.borrow().upgrade(), Some(ada.clone()));
    // Another class, no class and no object are errors, after which all goes on.
    let wrong = instances.get::<User>(users.at(0).unwrap().get("team").unwrap()).unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::WrongType, "{wrong}");
    let wrong = instances.get::<User>(graph.root().get("other").unwrap()).unwrap_err();
    assert_eq!((wrong.kind(), wrong.path()), (ErrorKind::WrongType, Some("$.other")), "{wrong}");
    let wrong = instances.get::<User>(users.at(0).unwrap().get("name").unwrap()).unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::UnknownValue, "{wrong}");
    assert_eq!(instances.get::<User>(users.at(1).unwrap()).unwrap(), bob);
    // One alone.
    let alone: Shared<User> = users.at(0).unwrap().instance(&classes).unwrap();
    assert!(alone != ada && alone.name == "Ada");
}

#[derive(Class)]
struct Point {
    x: u8,
    y: Option<i16>,
    label: String,
}

#[test]
fn a_further_instance_takes_one_byte_more_than_its_fields() {
    let len = |n: usize| {
        let points: Vec<_> = (0..n).map(|_| Point { x: 200, y: Some(-300), label: "point".into() }).collect();
        Marshal::encode_with_classes(&points).unwrap().0.len()
    };
    // A tag and a byte, a tag and two, a tag and five of text.
    assert_eq!(len(21) - len(20), 1 + 2 + 3 + 6);
}
