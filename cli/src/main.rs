//! The `marshal` command.
fn main() {}
