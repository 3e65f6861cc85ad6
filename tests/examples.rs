//! The examples run, and so do not rot.

#[cfg(feature = "remote")]
#[path = "../examples/remote.rs"]
mod remote;
#[path = "../examples/tour.rs"]
mod tour;

#[test]
fn the_tour_ends_well() {
    tour::main().unwrap();
}

#[cfg(feature = "remote")]
#[test]
fn the_store_keeps_what_it_was_given() {
    remote::main().unwrap();
}
