//! Records this machine as a fixture: `cargo run -p toll-host --example record -- DIR`.
//!
//! Only what toll-host reads is kept, and of that only what says nothing of whose machine it is.
#![allow(clippy::print_stderr, reason = "an example for the terminal")]

mod recording;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: record DIR");
        return ExitCode::from(2);
    };
    match recording::record(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::from(2)
        }
    }
}
