//! What decoding into borrowing types allocates: the vectors of the type itself.

use serde::{Deserialize, Serialize};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    user: &'a str,
    #[serde(borrow)]
    place: Place<'a>,
    code: u16,
    note: Option<&'a str>,
}

#[derive(Serialize, Deserialize)]
struct Place<'a> {
    name: &'a str,
    at: (f64, f32),
}

#[test]
fn borrowed_types_allocate_their_vectors_only() {
    let line = |code| Line { user: "ada", place: Place { name: "Zürich", at: (0.1, 0.5) }, code, note: Some("n") };
    for n in [1u16, 100, 10_000] {
        let bytes = marshal::to_vec(&(0..n).map(line).collect::<Vec<_>>()).unwrap();
        let read = |bytes| marshal::from_slice::<Vec<Line<'_>>>(bytes).unwrap();
        let first = read(&bytes);
        let region = Region::new(ALLOCATOR);
        let lines = read(&bytes);
        let counted = region.change();
        assert_eq!((lines.len(), lines[0].user, first.len()), (usize::from(n), "ada", usize::from(n)));
        // The vector, which serde does not take at once from a message, and the memory of what is known of shapes.
        assert!(counted.allocations + counted.reallocations <= 4, "{n}: {counted:?}");
    }
}
