//! What a person waits for: the start, the first words, the whole answer.
//!
//! `cargo bench -p toll-cli`. The promises: first words within 100 ms (10 ms where nothing else
//! runs), the whole check within 5 s, 10 s with a JVM.

use divan::Bencher;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

fn main() {
    divan::main();
}

fn toll(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toll"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Loading the program and reading its arguments.
#[divan::bench]
fn start() {
    toll(&["--version"]).output().expect("toll starts");
}

/// From the start to the first line about this host, with nothing measured yet.
#[divan::bench(sample_count = 30)]
fn first_line(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let mut child = toll(&["check"]).spawn().expect("toll starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        assert!(line.starts_with("machine"), "{line}");
        // Ended by divan's dropping of the output, outside the time that is taken.
        Ended(child)
    });
}

/// A child that is interrupted when it is dropped: nobody waits for the rest of its answer.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        if let Ok(pid) = libc::pid_t::try_from(self.0.id()) {
            // SAFETY: the child has not been waited for: the pid is its own.
            unsafe { libc::kill(pid, libc::SIGTERM) };
        }
        let _ = self.0.wait();
    }
}

/// The whole answer, a JVM included if one is found.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn whole_check() {
    let output = toll(&["check", "--fail-on", "never"]).output().expect("toll starts");
    assert!(output.status.success());
}
