//! `graph`: objects of four classes in a list that owns them, which point at each other through weak edges (fory closes
//! cycles in no other way).

use std::cell::RefCell;
use std::rc::Rc;

use anyhow::{Result, ensure};
use fory::{Fory, RcWeak};
use marshal::{Classes, Marshal, Shared, Weak};
use marshal_bench_data::graph::{self, Scalar};

use crate::peers::{CHECKED, Entrant, Operation, Peer};
use crate::stopwatch::{Sample, time};

/// The classes of one library, with its pointers, and how the data set becomes objects of them.
macro_rules! world {
    ($library:ident, $class:path, $union:path, $strong:ident, $weak:ident $(, $nothing:tt)?) => {
        mod $library {
            use super::*;

            #[derive($class)]
            pub struct World {
                pub objects: Vec<$strong<RefCell<Entity>>>,
            }

            #[derive($union)]
            pub enum Entity {
                $(
                    #[fory(default)]
                    $nothing,
                )?
                Person {
                    name: String,
                    age: i32,
                    active: bool,
                    team: $weak<RefCell<Entity>>,
                    next: $weak<RefCell<Entity>>,
                    links: Vec<$weak<RefCell<Entity>>>,
                },
                Team {
                    title: String,
                    rank: i32,
                    lead: $weak<RefCell<Entity>>,
                    next: $weak<RefCell<Entity>>,
                    links: Vec<$weak<RefCell<Entity>>>,
                },
                Task {
                    title: String,
                    points: i32,
                    done: bool,
                    progress: f64,
                    owner: $weak<RefCell<Entity>>,
                    next: $weak<RefCell<Entity>>,
                    links: Vec<$weak<RefCell<Entity>>>,
                },
                Note {
                    text: String,
                    about: $weak<RefCell<Entity>>,
                    next: $weak<RefCell<Entity>>,
                    links: Vec<$weak<RefCell<Entity>>>,
                },
            }

            pub fn build(
                graph: &graph::Graph,
                strong: impl Fn(RefCell<Entity>) -> $strong<RefCell<Entity>>,
                weak: impl Fn(&$strong<RefCell<Entity>>) -> $weak<RefCell<Entity>>,
            ) -> World {
                let (team, next) = ($weak::new, $weak::new);
                let object = |object: &graph::Object| {
                    let fields = &object.fields;
                    strong(RefCell::new(match object.class {
                        0 => Entity::Person {
                            name: text(&fields[0]),
                            age: integer(&fields[1]),
                            active: flag(&fields[2]),
                            team: team(),
                            next: next(),
                            links: vec![],
                        },
                        1 => Entity::Team {
                            title: text(&fields[0]),
                            rank: integer(&fields[1]),
                            lead: team(),
                            next: next(),
                            links: vec![],
                        },
                        2 => Entity::Task {
                            title: text(&fields[0]),
                            points: integer(&fields[1]),
                            done: flag(&fields[2]),
                            progress: float(&fields[3]),
                            owner: team(),
                            next: next(),
                            links: vec![],
                        },
                        _ => Entity::Note { text: text(&fields[0]), about: team(), next: next(), links: vec![] },
                    }))
                };
                let objects: Vec<_> = graph.objects.iter().map(object).collect();
                for (object, place) in graph.objects.iter().zip(&objects) {
                    if let Some((edge, next, links)) = place.borrow_mut().edges_mut() {
                        *edge = weak(&objects[object.edges[0]]);
                        *next = weak(&objects[object.edges[1]]);
                        *links = object.links.iter().map(|&link| weak(&objects[link])).collect();
                    }
                }
                World { objects }
            }

            type Edges<'a> = (
                &'a mut $weak<RefCell<Entity>>,
                &'a mut $weak<RefCell<Entity>>,
                &'a mut Vec<$weak<RefCell<Entity>>>,
            );

            impl Entity {
                pub fn edges_mut(&mut self) -> Option<Edges<'_>> {
                    match self {
                        Entity::Person { team: edge, next, links, .. }
                        | Entity::Team { lead: edge, next, links, .. }
                        | Entity::Task { owner: edge, next, links, .. }
                        | Entity::Note { about: edge, next, links, .. } => Some((edge, next, links)),
                        #[allow(unreachable_patterns)]
                        _ => None,
                    }
                }
            }
        }
    };
}

world!(ours, marshal::Class, marshal::Class, Shared, Weak);
world!(theirs, fory::ForyStruct, fory::ForyUnion, Rc, RcWeak, Nothing);

fn text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) => text.clone(),
        other => unreachable!("the data set has {other:?} in place of a text"),
    }
}

fn integer(scalar: &Scalar) -> i32 {
    match scalar {
        Scalar::Integer(integer) => *integer,
        other => unreachable!("the data set has {other:?} in place of an integer"),
    }
}

fn flag(scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Bool(flag) => *flag,
        other => unreachable!("the data set has {other:?} in place of a flag"),
    }
}

fn float(scalar: &Scalar) -> f64 {
    match scalar {
        Scalar::Float(float) => *float,
        other => unreachable!("the data set has {other:?} in place of a float"),
    }
}

pub fn entrants(scale: usize) -> Result<Vec<Entrant>> {
    let graph = graph::generate(scale);
    let value = ours::build(&graph, Shared::new, Shared::downgrade);
    let (message, classes) = Marshal::encode_with_classes(&value)?;
    let back: ours::World = Marshal::decode_with_classes(&message, &classes)?;
    ensure!(Marshal::deep_equal(&value, &back)?, "marshal gives back something else");
    let ours = Ours { value, message, classes };

    let mut fory = Fory::builder().xlang(false).track_ref(true).max_dyn_depth(u32::MAX).build();
    fory.register::<theirs::World>(1)?;
    fory.register::<theirs::Entity>(2)?;
    let value = theirs::build(&graph, Rc::new, |strong| RcWeak::from(strong));
    let message = fory.serialize(&value)?;
    let back: theirs::World = fory.deserialize(&message)?;
    ensure!(fory.serialize(&back)? == message, "fory gives back something else");
    let theirs = Theirs { fory, value, message };
    Ok(vec![
        Entrant { name: super::NAMES[0], peer: Box::new(ours) },
        Entrant { name: super::NAMES[1], peer: Box::new(theirs) },
    ])
}

struct Ours {
    value: ours::World,
    message: Vec<u8>,
    classes: Classes,
}

impl Peer for Ours {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::GraphEncode => Some(time(times, || Marshal::encode_with_classes(&self.value).expect(CHECKED))),
            Operation::GraphDecode => Some(time(times, || {
                Marshal::decode_with_classes::<ours::World>(&self.message, &self.classes).expect(CHECKED)
            })),
            _ => None,
        }
    }
}

struct Theirs {
    fory: Fory,
    value: theirs::World,
    message: Vec<u8>,
}

impl Peer for Theirs {
    fn message_len(&self) -> usize {
        self.message.len()
    }

    fn sample(&mut self, operation: Operation, times: usize) -> Option<Sample> {
        match operation {
            Operation::GraphEncode => Some(time(times, || self.fory.serialize(&self.value).expect(CHECKED))),
            Operation::GraphDecode => {
                Some(time(times, || self.fory.deserialize::<theirs::World>(&self.message).expect(CHECKED)))
            }
            _ => None,
        }
    }
}
