//! The engine's own overhead: what lies between the blocks it times, and what each part costs.
//!
//! `cargo bench -p toll-measure`

#![allow(clippy::unwrap_used)]

use divan::{Bencher, black_box};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use toll_loops::sys::Presence;
use toll_measure::clocks::Clock;
use toll_measure::engine::{Bench, Block, Entry, Limits, Stopwatch, measurement, run_rounds};
use toll_model::{Path, Shape, Subject, stats};

fn main() {
    divan::main();
}

/// A block that takes no time: what remains is the engine.
struct Nothing;

impl Bench for Nothing {
    fn run(&mut self, calls: u64) -> Result<Block, String> {
        Ok(Block { nanos: calls as f64 * black_box(20.0), calls, disturbed: false })
    }
}

fn entries(count: usize) -> Vec<Entry<'static>> {
    (0..count)
        .map(|i| {
            let subject = Subject::clock(format!("clock{i}"), Path::Vdso, Shape::ONE);
            Entry::row(subject, None, Nothing)
        })
        .collect()
}

const LIMITS: Limits = Limits {
    budget: Duration::from_secs(3600),
    block: Duration::from_micros(100),
    min_rounds: 200,
    max_rounds: 200,
    precision: 0.01,
};

/// 200 rounds of 50 subjects: 10,000 blocks, of 100 µs each in earnest. A thousandth of that second
/// is what the engine may take.
#[divan::bench]
fn ten_thousand_empty_blocks(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(|| entries(50)).bench_local_refs(|entries| {
        let began = Instant::now();
        let mut rng = stats::Rng::seeded(1);
        let stop = AtomicBool::new(false);
        run_rounds(entries, &LIMITS, &mut rng, &mut || began.elapsed(), &stop, &mut |_| {})
    });
}

/// From raw blocks to the rows of a run, intervals included.
#[divan::bench]
fn fifty_rows_from_their_blocks(bencher: Bencher<'_, '_>) {
    let mut entries = entries(50);
    let began = Instant::now();
    let rounds = run_rounds(
        &mut entries,
        &LIMITS,
        &mut stats::Rng::seeded(1),
        &mut || began.elapsed(),
        &AtomicBool::new(false),
        &mut |_| {},
    );
    bencher.bench_local(|| {
        (0..entries.len()).filter_map(|i| measurement(&entries, i, &rounds)).count()
    });
}

/// Taken twice for every block, outside what is timed.
#[divan::bench]
fn presence_of_the_thread() -> Presence {
    Presence::now()
}

/// Taken twice within every block.
#[divan::bench]
fn one_reading_of_the_stopwatch(bencher: Bencher<'_, '_>) {
    let host = toll_host::read(&toll_host::Roots::live());
    let stopwatch = Stopwatch::choose(&host);
    bencher.bench_local(|| stopwatch.now());
}

/// The proof of who answers each clock.
#[divan::bench]
fn proof_of_all_vdso_fallbacks(bencher: Bencher<'_, '_>) {
    let clocks: Vec<Clock> = Clock::all().collect();
    bencher.bench_local(|| toll_measure::probe::fallbacks(&clocks));
}
