//! Dropping long chains without recursion: what is nested too deeply waits in a queue.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::node::AnyNode;

/// Chains are dropped by recursion up to this depth, which costs nothing; from there on through the queue.
const MAX_DEPTH: u32 = 32;

/// What waits to be dropped.
pub(super) enum Dropped {
    Rc(#[expect(dead_code, reason = "held to be dropped")] Rc<dyn AnyNode>),
    Arc(#[expect(dead_code, reason = "held to be dropped")] Arc<dyn Any>),
}

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static QUEUE: RefCell<Vec<Dropped>> = const { RefCell::new(Vec::new()) };
}

/// One level deeper for as long as it lives, also when a destructor panics.
struct Level(u32);

impl Drop for Level {
    fn drop(&mut self) {
        // At the end of a thread there may be no depth any more, and no queue either.
        let _ = DEPTH.try_with(|depth| depth.set(self.0));
    }
}

/// Drops `last`, the last pointer to something (or a pointer that may be it).
pub(super) fn drop_pointer<P>(last: P, queued: impl FnOnce(P) -> Dropped) {
    let depth = DEPTH.try_with(Cell::get).unwrap_or_default();
    if depth >= MAX_DEPTH {
        let waiting = queued(last);
        let _ = QUEUE.try_with(|queue| queue.borrow_mut().push(waiting));
        return;
    }
    let level = Level(depth);
    let _ = DEPTH.try_with(|current| current.set(depth + 1));
    drop(last);
    if depth == 0 {
        // What is dropped here may add to the queue, which is not borrowed meanwhile.
        while let Some(waiting) = QUEUE.try_with(|queue| queue.borrow_mut().pop()).ok().flatten() {
            drop(waiting);
        }
    }
    drop(level);
}
