//! What times a block: the hardware counter where it runs at a constant rate, else a clock.

use crate::sys;
use std::time::Duration;
use toll_clock::{Bracket, Calibration};
use toll_model::Host;

/// A stopwatch.
#[derive(Clone, Copy, Debug)]
pub enum Stopwatch {
    /// The TSC or CNTVCT with its frequency.
    Counter(Calibration),
    /// `CLOCK_MONOTONIC_RAW`, because of the reason given.
    Clock {
        /// Why the counter is not used.
        why: &'static str,
    },
}

impl Stopwatch {
    /// How long the counter is watched; bounds the error at about a part in ten million where a
    /// reading costs 25 ns.
    const WINDOW: Duration = Duration::from_millis(10);
    const TRIES: u32 = 50;

    /// Chooses one for this machine and calibrates it, which takes some 10 ms.
    ///
    /// A TSC that the kernel has demoted still times blocks well if it ticks at a constant rate:
    /// the thread stays on one CPU.
    pub fn choose(host: &Host) -> Stopwatch {
        match counter_objection(host) {
            Some(why) => Stopwatch::Clock { why },
            None => calibrated().map_or(
                Stopwatch::Clock { why: "the counter did not advance while it was calibrated" },
                Stopwatch::Counter,
            ),
        }
    }

    /// A point in time, in this stopwatch's own unit.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        match self {
            Stopwatch::Counter(_) => toll_clock::ordered(),
            Stopwatch::Clock { .. } => sys::monotonic_raw(),
        }
    }

    /// Nanoseconds since that point.
    #[inline(always)]
    pub fn nanos_since(&self, start: u64) -> f64 {
        self.nanos(self.now().wrapping_sub(start))
    }

    /// A span in this stopwatch's own unit as nanoseconds.
    pub fn nanos(&self, span: u64) -> f64 {
        match self {
            Stopwatch::Counter(calibration) => calibration.nanos(span),
            Stopwatch::Clock { .. } => span as f64,
        }
    }

    /// What it is called in a run file.
    pub fn name(&self) -> &'static str {
        match self {
            Stopwatch::Counter(_) => toll_clock::NAME,
            Stopwatch::Clock { .. } => "CLOCK_MONOTONIC_RAW",
        }
    }

    /// The counter's calibration, if it is one.
    pub fn calibration(&self) -> Option<&Calibration> {
        match self {
            Stopwatch::Counter(calibration) => Some(calibration),
            Stopwatch::Clock { .. } => None,
        }
    }

    /// What one reading costs, ns: the least of some batches.
    pub fn own_cost(&self) -> f64 {
        const READINGS: u32 = 32;
        let batch = || {
            let start = self.now();
            for _ in 0..READINGS {
                std::hint::black_box(self.now());
            }
            self.nanos_since(start) / f64::from(READINGS + 1)
        };
        (0..20).map(|_| batch()).fold(f64::INFINITY, f64::min)
    }

    /// How long a block must be for two readings to be under 0.1% of it.
    pub fn least_block(&self) -> Duration {
        Duration::from_nanos((self.own_cost() * 2.0 * 1000.0) as u64)
    }
}

fn calibrated() -> Option<Calibration> {
    let point = || {
        Bracket::narrowest(Stopwatch::TRIES, toll_clock::ordered, || sys::monotonic_raw() as i64)
    };
    let first = point()?;
    std::thread::sleep(Stopwatch::WINDOW);
    Calibration::between(&first, &point()?)
}

#[cfg(target_arch = "x86_64")]
fn counter_objection(host: &Host) -> Option<&'static str> {
    if !sys::may_read_counter() {
        return Some("this process may not read the TSC (prctl PR_SET_TSC)");
    }
    match host.cpu.clock_flags.known() {
        Some(flags) if flags.iter().any(|f| f == "constant_tsc" || f == "nonstop_tsc") => None,
        Some(_) => Some("the CPU does not announce a TSC of constant rate (constant_tsc)"),
        None => Some("whether the TSC has a constant rate could not be read"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter_objection(_: &Host) -> Option<&'static str> {
    None
}
