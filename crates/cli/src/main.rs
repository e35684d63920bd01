//! The program toll.
fn main() {}
