//! The known answer: a chain of dependent multiplications and one twice as long.
//!
//! A multiplication that waits for the one before it takes the same time on any x86-64 or arm64
//! CPU, whatever its frequency. So the longer chain takes twice as long, unless what was timed was
//! not the chain: interrupts, a neighbour, a frequency that changed in between.
//!
//! One neighbour it cannot show: another hardware thread of the same core, since waiting
//! multiplications leave most of the core to it. A loop of independent additions does.

use super::bench::Entry;
use super::local::Local;
use super::schedule::Rounds;
use super::stopwatch::Stopwatch;
use toll_loops::Op;
use toll_model::stats;

/// How far from 2 the ratio may lie.
pub const TOLERANCE: f64 = 0.02;

/// Where the two chains stand among a run's entries.
#[derive(Clone, Copy, Debug)]
pub struct KnownAnswer {
    short: usize,
    long: usize,
    wide: usize,
}

impl KnownAnswer {
    /// Adds both chains to `entries`.
    pub fn add<'a>(entries: &mut Vec<Entry<'a>>, stopwatch: &'a Stopwatch) -> KnownAnswer {
        let mut add = |op| {
            entries.push(Entry::baseline(Local::idle(op, stopwatch)));
            entries.len() - 1
        };
        KnownAnswer { short: add(Op::Multiply16), long: add(Op::Multiply32), wide: add(Op::Wide) }
    }

    /// Instructions a cycle that the loop of independent additions reached. A multiplication takes
    /// three cycles on the x86-64 CPUs of the last fifteen years (Agner Fog, Instruction tables;
    /// uops.info); `None` elsewhere, and without enough blocks.
    pub fn instructions_per_cycle(self, rounds: &Rounds) -> Option<f64> {
        const CYCLES_PER_MULTIPLICATION: f64 = 3.0;
        const ADDITIONS_PER_CALL: f64 = 4.0;
        if !cfg!(target_arch = "x86_64") {
            return None;
        }
        let median = |index: usize| stats::median(&rounds.raw[index].costs());
        let cycle = median(self.short)? / CYCLES_PER_MULTIPLICATION;
        Some((ADDITIONS_PER_CALL * cycle / median(self.wide)? * 1e2).round() / 1e2)
    }

    /// The entry of the shorter chain: what one multiplication takes tells the core's speed
    /// during the run, so that runs at different speeds can be told apart.
    pub fn short_chain(self) -> usize {
        self.short
    }

    /// The ratio that came out; `None` without enough blocks.
    pub fn ratio(self, rounds: &Rounds) -> Option<f64> {
        let median = |index: usize| stats::median(&rounds.raw[index].costs());
        let ratio = median(self.long)? / median(self.short)?;
        Some((ratio * 1e4).round() / 1e4)
    }
}
