//! Prints a machine as JSON, with the time it took: `cargo run -p toll-host --example show -- [FIXTURE]`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example for the terminal")]

use std::path::PathBuf;
use std::time::Instant;
use toll_host::Roots;

fn main() -> serde_json::Result<()> {
    let roots = match std::env::args_os().nth(1) {
        Some(folder) => Roots::fixture(&PathBuf::from(folder)),
        None => Roots::live(),
    };
    let start = Instant::now();
    let host = toll_host::read(&roots);
    eprintln!("{:?}", start.elapsed());
    println!("{}", serde_json::to_string_pretty(&host)?);
    Ok(())
}
