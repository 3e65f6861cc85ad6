use std::rc::Rc;

use marshal::{Class, Shared};

struct Plain;

#[derive(Class)]
struct Holder {
    plain: Plain,
    shared: Shared<Plain>,
    raw: Rc<std::thread::Thread>,
}

fn main() {}
