//! The examples run, and so do not rot.

#[path = "../examples/tour.rs"]
mod tour;

#[test]
fn the_tour_ends_well() {
    tour::main().unwrap();
}
