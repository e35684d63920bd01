//! Rounds: in each, every bench runs one block, in an order drawn anew.
//!
//! So whatever drifts (frequency, neighbours, temperature) drifts under all of them alike, and any
//! two rows of a run may be set in proportion.

use super::bench::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use toll_model::{Stopped, stats};

/// How long, how fine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time after which no new round starts.
    pub budget: Duration,
    /// How long one block should take.
    pub block: Duration,
    /// Rounds before the intervals are looked at.
    pub min_rounds: u64,
    /// Rounds after which it ends in any case: what bounds the size of a run file.
    pub max_rounds: u64,
    /// An interval is narrow when half of it is under this part of the median.
    pub precision: f64,
}

impl Limits {
    /// Half an interval that is narrow enough whatever the median, ns: with loops of some
    /// thousand calls nothing finer can be told apart from the loop's own alignment.
    pub const FLOOR_NS: f64 = 0.05;

    /// Rounds that are run although the budget is spent, since fewer give no interval at all: on a
    /// machine that takes tens of microseconds for a system call, one round may take half a second.
    pub const FEWEST_ROUNDS: u64 = 7;

    /// How many budgets they may take.
    pub const OVERTIME: f64 = 4.0;

    /// How long a block should be: short enough that most see no timer tick, long enough for two
    /// readings of a stopwatch with this least block, and never so long that `entries` blocks,
    /// `min_rounds` times, would not fit into `budget`.
    pub fn block_for(
        budget: Duration,
        min_rounds: u64,
        entries: usize,
        least_block: Duration,
    ) -> Duration {
        const SHORT: Duration = Duration::from_micros(100);
        let blocks = (entries as u64 * min_rounds).clamp(1, u64::from(u32::MAX)) as u32;
        SHORT.max(least_block).min((budget / blocks).max(SHORT))
    }
}

/// What one entry's blocks gave.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Round and cost per call (ns) of every kept block. Nothing is subtracted yet.
    pub kept: Vec<(u64, f64)>,
    /// Blocks during which the thread was disturbed.
    pub discarded: u64,
    /// Calls of all blocks, kept or not.
    pub calls: u64,
    /// Time of all blocks, ns.
    pub nanos: f64,
    /// Calls in one block.
    pub calls_per_block: u64,
    /// Why there are no more blocks.
    pub broken: Option<String>,
}

impl Raw {
    /// The costs alone.
    pub fn costs(&self) -> Vec<f64> {
        self.kept.iter().map(|&(_, cost)| cost).collect()
    }
}

/// The outcome of all rounds.
#[derive(Debug)]
pub struct Rounds {
    /// One for each entry, in the entries' order.
    pub raw: Vec<Raw>,
    /// Rounds run, the last one perhaps in part.
    pub rounds: u64,
    /// Why it ended.
    pub stopped: Stopped,
}

/// What to tell a person who waits.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Part of the budget that is used up, 0 to 1.
    pub done: f64,
    /// Rounds so far.
    pub rounds: u64,
}

/// Runs rounds until every interval is narrow or `limits` are reached.
///
/// `elapsed` tells how long it has been at work; `stop` ends it after the block under way.
pub fn run_rounds(
    entries: &mut [Entry<'_>],
    limits: &Limits,
    rng: &mut stats::Rng,
    elapsed: &mut dyn FnMut() -> Duration,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Rounds {
    let mut raw: Vec<Raw> =
        entries
            .iter_mut()
            .map(|entry| {
                if stop.load(Ordering::Relaxed) {
                    Raw::default()
                } else {
                    sized(entry, limits.block)
                }
            })
            .collect();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    let mut rounds = 0;
    let mut next_look = limits.min_rounds;
    let stopped = loop {
        let done = elapsed().as_secs_f64() / limits.budget.as_secs_f64().max(1e-9);
        progress(Progress { done: done.min(1.0), rounds });
        if stop.load(Ordering::Relaxed) {
            break Stopped::Interrupted;
        }
        let overdue = rounds >= Limits::FEWEST_ROUNDS || done >= Limits::OVERTIME;
        if done >= 1.0 && overdue || rounds >= limits.max_rounds {
            break Stopped::Time;
        }
        if rounds >= next_look {
            if all_narrow(entries, &raw, limits.precision) {
                break Stopped::Precise;
            }
            next_look = rounds + (rounds / 4).max(5);
        }
        rng.shuffle(&mut order);
        for &index in &order {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            one_block(&mut entries[index], &mut raw[index], rounds);
        }
        rounds += 1;
    };
    Rounds { raw, rounds, stopped }
}

/// Finds out how many calls make a block of `target`.
fn sized(entry: &mut Entry<'_>, target: Duration) -> Raw {
    /// A pass may be this many times as long as the one before: where a clock stands still for a
    /// moment, a pass seems to take no time, and the next would otherwise run for minutes.
    const GROWTH: f64 = 16.0;
    const PASSES: usize = 7;
    let target = target.as_nanos() as f64;
    let mut raw = Raw { calls_per_block: 16, ..Raw::default() };
    let mut previous = f64::INFINITY;
    // Few calls first: a clock may cost 20 µs. Each pass comes nearer.
    for pass in 0..PASSES {
        let block = match entry.bench.run(raw.calls_per_block) {
            Err(why) => {
                raw.broken = Some(why);
                break;
            }
            Ok(block) => block,
        };
        let calls = block.calls as f64;
        let per_call = (block.nanos / calls).max(0.05);
        // One pass alone says little: the first is cold, and any may be interrupted, which would
        // make all blocks of the run too short.
        let wanted = (target / per_call.min(previous)).clamp(16.0, 1e7);
        previous = per_call;
        raw.calls_per_block = wanted.min(calls * GROWTH) as u64 / 16 * 16;
        if pass > 0 && wanted <= calls * 1.5 {
            break;
        }
    }
    raw
}

fn one_block(entry: &mut Entry<'_>, raw: &mut Raw, round: u64) {
    if raw.broken.is_some() {
        return;
    }
    match entry.bench.run(raw.calls_per_block) {
        Err(why) => raw.broken = Some(why),
        Ok(block) => {
            raw.calls += block.calls;
            raw.nanos += block.nanos;
            if block.disturbed {
                raw.discarded += 1;
            } else {
                raw.kept.push((round, block.nanos / block.calls as f64));
            }
        }
    }
}

/// Whether half of each row's interval is under `precision` of its median, the subtraction done.
fn all_narrow(entries: &[Entry<'_>], raw: &[Raw], precision: f64) -> bool {
    let intervals: Vec<Option<(f64, f64)>> = raw
        .iter()
        .map(|raw| {
            let costs = raw.costs();
            let [lo, hi] = stats::median_ci95(&costs)?;
            Some((stats::median(&costs)?, (hi - lo) / 2.0))
        })
        .collect();
    entries.iter().zip(raw).enumerate().all(|(index, (entry, raw))| {
        if entry.subject.is_none() || raw.broken.is_some() {
            return true;
        }
        let Some((median, half)) = intervals[index] else { return false };
        let subtracted = entry.baseline.and_then(|b| intervals[b]).unwrap_or((0.0, 0.0));
        half.hypot(subtracted.1) <= (precision * (median - subtracted.0)).max(Limits::FLOOR_NS)
    })
}
