//! Laws of class values, over random object graphs with cycles, shared pointers of every kind and trait objects.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use marshal::class::TypedArray;
use marshal::{Class, Classes, Marshal, Shared, Weak, class_trait};
use quickcheck::{Arbitrary, Gen, QuickCheck};

#[class_trait]
trait Thing {
    fn edges(&self) -> Vec<Shared<dyn Thing>>;
    fn backs(&self) -> Vec<Option<Shared<dyn Thing>>>;
}

#[derive(Class, Default)]
struct Node {
    name: String,
    next: RefCell<Option<Shared<dyn Thing>>>,
    others: RefCell<Vec<Shared<dyn Thing>>>,
    back: RefCell<Weak<dyn Thing>>,
    leaf: RefCell<Option<Rc<Leaf>>>,
}

#[derive(Class, Default)]
struct Table {
    #[class(base)]
    entries: RefCell<BTreeMap<u32, Shared<dyn Thing>>>,
    by_name: RefCell<HashMap<String, Shared<dyn Thing>>>,
    size: f64,
}

#[derive(Class)]
enum Choice {
    Empty,
    One(RefCell<Option<Shared<dyn Thing>>>),
    Two { left: RefCell<Option<Shared<dyn Thing>>>, right: RefCell<Weak<dyn Thing>>, mark: (i32, Option<bool>) },
}

#[derive(Class)]
struct Leaf {
    numbers: Vec<i64>,
    floats: TypedArray<f32>,
    set: HashSet<String>,
}

impl Thing for Node {
    fn edges(&self) -> Vec<Shared<dyn Thing>> {
        self.next.borrow().iter().chain(self.others.borrow().iter()).cloned().collect()
    }
    fn backs(&self) -> Vec<Option<Shared<dyn Thing>>> {
        vec![self.back.borrow().upgrade()]
    }
}

impl Thing for Table {
    fn edges(&self) -> Vec<Shared<dyn Thing>> {
        let mut names: Vec<_> =
            self.by_name.borrow().iter().map(|(name, thing)| (name.clone(), thing.clone())).collect();
        names.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.entries.borrow().values().cloned().chain(names.into_iter().map(|(_, thing)| thing)).collect()
    }
    fn backs(&self) -> Vec<Option<Shared<dyn Thing>>> {
        Vec::new()
    }
}

impl Thing for Choice {
    fn edges(&self) -> Vec<Shared<dyn Thing>> {
        match self {
            Choice::Empty => Vec::new(),
            Choice::One(edge) | Choice::Two { left: edge, .. } => edge.borrow().iter().cloned().collect(),
        }
    }
    fn backs(&self) -> Vec<Option<Shared<dyn Thing>>> {
        match self {
            Choice::Two { right, .. } => vec![right.borrow().upgrade()],
            _ => Vec::new(),
        }
    }
}

/// What a random graph is made of: for each object its kind, some text and numbers, and where its edges go.
#[derive(Debug, Clone)]
struct Plan(Vec<(u8, String, Vec<i64>, Vec<usize>)>);

impl Arbitrary for Plan {
    fn arbitrary(g: &mut Gen) -> Self {
        let count = usize::arbitrary(g) % (3 * g.size()) + 1;
        let edge = |g: &mut Gen, i: usize| if bool::arbitrary(g) { i + 1 } else { usize::arbitrary(g) } % count;
        let object = |g: &mut Gen, i: usize| {
            let edges = (0..usize::arbitrary(g) % 5).map(|_| edge(g, i)).collect();
            (u8::arbitrary(g), String::arbitrary(g), Vec::arbitrary(g), edges)
        };
        Plan((0..count).map(|i| object(g, i)).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let len = self.0.len();
        let cut = |n: usize| {
            let fit = |edges: &Vec<usize>| edges.iter().copied().filter(|&edge| edge < n).collect();
            Plan(self.0[..n].iter().map(|(k, s, v, e)| (*k, s.clone(), v.clone(), fit(e))).collect())
        };
        Box::new(
            [len / 2, len - 1].into_iter().filter(move |&n| n > 0 && n < len).map(cut).collect::<Vec<_>>().into_iter(),
        )
    }
}

enum Any {
    Node(Shared<Node>),
    Table(Shared<Table>),
    Choice(Shared<Choice>),
}

impl Any {
    fn thing(&self) -> Shared<dyn Thing> {
        match self {
            Any::Node(node) => node.clone().upcast(),
            Any::Table(table) => table.clone().upcast(),
            Any::Choice(choice) => choice.clone().upcast(),
        }
    }
}

impl Plan {
    fn build(&self) -> Vec<Shared<dyn Thing>> {
        let objects: Vec<Any> = self
            .0
            .iter()
            .map(|(kind, text, numbers, _)| match kind % 5 {
                0 | 1 => Any::Node(Shared::new(Node { name: text.clone(), ..Node::default() })),
                2 => Any::Table(Shared::new(Table { size: numbers.len() as f64 / 2.0, ..Table::default() })),
                3 => Any::Choice(Shared::new(Choice::One(RefCell::default()))),
                _ if numbers.is_empty() => Any::Choice(Shared::new(Choice::Empty)),
                _ => {
                    let mark = (numbers[0] as i32, (numbers[0] % 3 != 0).then_some(numbers[0] > 0));
                    Any::Choice(Shared::new(Choice::Two { left: RefCell::default(), right: RefCell::default(), mark }))
                }
            })
            .collect();
        let leaf = Rc::new(Leaf {
            numbers: self.0[0].2.clone(),
            floats: TypedArray(vec![0.5; self.0.len() % 20]),
            set: self.0.iter().map(|(_, text, ..)| text.clone()).take(5).collect(),
        });
        let things: Vec<Shared<dyn Thing>> = objects.iter().map(Any::thing).collect();
        for (object, (kind, text, _, edges)) in objects.iter().zip(&self.0) {
            let mut targets = edges.iter().map(|&edge| things[edge].clone());
            match object {
                Any::Node(node) => {
                    *node.leaf.borrow_mut() = (kind % 3 == 0).then(|| leaf.clone());
                    *node.next.borrow_mut() = targets.next();
                    *node.back.borrow_mut() = targets.next().map(|thing| Shared::downgrade(&thing)).unwrap_or_default();
                    node.others.borrow_mut().extend(targets);
                }
                Any::Table(table) => {
                    for (i, target) in targets.enumerate() {
                        table.entries.borrow_mut().insert(i as u32 * 100, target.clone());
                        table.by_name.borrow_mut().insert(format!("{text}{i}"), target);
                    }
                }
                Any::Choice(choice) => match &**choice {
                    Choice::Empty => {}
                    Choice::One(edge) => *edge.borrow_mut() = targets.next(),
                    Choice::Two { left, right, .. } => {
                        *left.borrow_mut() = targets.next();
                        *right.borrow_mut() = targets.next().map(|thing| Shared::downgrade(&thing)).unwrap_or_default();
                    }
                },
            }
        }
        things
    }
}

/// For each object, the places of those that its edges lead to.
type Edges = Vec<Vec<Option<usize>>>;

/// The objects in the order in which they are met, and the edges of each as places in it.
fn map_of(roots: &[Shared<dyn Thing>]) -> (Vec<Shared<dyn Thing>>, Edges) {
    let mut met: Vec<Shared<dyn Thing>> = roots.to_vec();
    let mut places: HashMap<Shared<dyn Thing>, usize> = HashMap::new();
    for (i, thing) in met.iter().enumerate() {
        places.entry(thing.clone()).or_insert(i);
    }
    let mut edges = Vec::new();
    let mut next = 0;
    while next < met.len() {
        let thing = met[next].clone();
        next += 1;
        let strong = thing.edges().into_iter().map(Some);
        let places_of = strong.chain(thing.backs()).map(|edge| {
            let edge = edge?;
            Some(*places.entry(edge.clone()).or_insert_with(|| {
                met.push(edge);
                met.len() - 1
            }))
        });
        edges.push(places_of.collect());
    }
    (met, edges)
}

#[test]
fn what_is_decoded_is_isomorphic_and_encodes_to_the_same_bytes() {
    fn law(plan: Plan) -> bool {
        let things = plan.build();
        let (bytes, classes) = Marshal::encode_with_classes(&things).unwrap();
        let back: Vec<Shared<dyn Thing>> = Marshal::decode_with_classes(&bytes, &classes).unwrap();
        let graph = Marshal::decode(&bytes).unwrap();
        map_of(&things).1 == map_of(&back).1
            && Marshal::encode_with_classes(&back).unwrap().0 == bytes
            && Marshal::encode(&graph).unwrap() == bytes
    }
    QuickCheck::new().tests(200).quickcheck(law as fn(Plan) -> bool);
}

#[test]
fn a_clone_is_isomorphic_and_disjoint() {
    fn law(plan: Plan) -> bool {
        let things = plan.build();
        let copy = Marshal::deep_clone(&things).unwrap();
        let ((met, edges), (copied, copied_edges)) = (map_of(&things), map_of(&copy));
        let originals: HashSet<_> = met.iter().collect();
        edges == copied_edges
            && copied.iter().all(|thing| !originals.contains(thing))
            && Marshal::deep_equal(&things, &copy).unwrap()
    }
    QuickCheck::new().tests(300).quickcheck(law as fn(Plan) -> bool);
}

#[test]
fn bytes_that_are_cut_or_changed_are_errors_or_values() {
    fn law(plan: Plan, at: usize, bit: u8) -> bool {
        let (mut bytes, classes) = Marshal::encode_with_classes(&plan.build()).unwrap();
        let cut = at % bytes.len();
        let is_error = Marshal::decode_with_classes::<Vec<Shared<dyn Thing>>>(&bytes[..cut], &classes).is_err();
        bytes[cut] ^= 1 << (bit % 8);
        if let Ok(value) = Marshal::decode_with_classes::<Vec<Shared<dyn Thing>>>(&bytes, &classes) {
            // Whatever it is now, it is whole.
            let (again, classes): (Vec<u8>, Classes) = Marshal::encode_with_classes(&value).unwrap();
            Marshal::decode_with_classes::<Vec<Shared<dyn Thing>>>(&again, &classes).unwrap();
        }
        is_error
    }
    QuickCheck::new().tests(2000).quickcheck(law as fn(Plan, usize, u8) -> bool);
}
