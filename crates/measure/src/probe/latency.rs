//! How long single readings take: one at a time between two readings of the stopwatch.
//!
//! Medians of blocks hide the reading that met an interrupt, a page fault or the hypervisor. Here
//! each is kept. The stopwatch around an empty call is timed as often, and its median taken off.

use crate::clocks::{Clock, PathTo, native_op};
use crate::engine::{Stopwatch, pin_to};
use crate::error::MeasureError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use toll_loops::Op;
use toll_model::probe::{Latency, LatencyOutcome};
use toll_model::{Fact, Host, stats};

/// Readings in a row; then another clock has its turn, so that drift falls on all alike.
const BATCH: usize = 2_000;
/// Readings kept of one clock: what bounds memory.
const MOST: usize = 2_000_000;

/// Times single readings of each clock by each path, for `budget` in all, on `cpu`.
///
/// # Errors
/// A CPU that cannot be used.
pub fn latencies(
    clocks: &[(Clock, PathTo)],
    cpu: Option<u32>,
    host: &Host,
    budget: Duration,
    stop: &AtomicBool,
) -> Result<Vec<Latency>, MeasureError> {
    let _pinned = pin_to(cpu, host)?;
    let stopwatch = Stopwatch::choose(host);
    let mut empty = Series::default();
    let mut all: Vec<(Result<Op, String>, Series)> =
        clocks.iter().map(|&(clock, path)| (native_op(clock, path), Series::default())).collect();
    let began = Instant::now();
    while began.elapsed() < budget && !stop.load(Ordering::Relaxed) {
        empty.batch(Op::EmptyCall, &stopwatch, began + budget);
        for (op, series) in &mut all {
            if let Ok(op) = op {
                series.batch(*op, &stopwatch, began + budget);
            }
        }
    }
    let own = stats::median(&empty.0).unwrap_or(0.0);
    let outcome = |(op, series): (Result<Op, String>, Series)| match op {
        Ok(_) => series.summary(own).map_or_else(Fact::unavailable, Fact::Known),
        Err(why) => Fact::unavailable(why),
    };
    Ok(clocks
        .iter()
        .zip(all)
        .map(|(&(clock, path), series)| Latency {
            clock: clock.name().into(),
            path: path.of(clock),
            outcome: outcome(series),
        })
        .collect())
}

/// Single readings, ns, the stopwatch still in them.
#[derive(Default)]
struct Series(Vec<f64>);

impl Series {
    fn batch(&mut self, op: Op, stopwatch: &Stopwatch, deadline: Instant) {
        for reading in 0..BATCH {
            // A slow clock must not hold up the rest.
            if reading % 64 == 63 && Instant::now() > deadline || self.0.len() >= MOST {
                return;
            }
            let start = stopwatch.now();
            // SAFETY: the operation was tried before (`native_op`).
            unsafe { op.once() };
            self.0.push(stopwatch.nanos_since(start));
        }
    }

    fn summary(mut self, own: f64) -> Result<LatencyOutcome, String> {
        self.0.sort_by(f64::total_cmp);
        let count = self.0.len();
        // The nearest rank, and none that is finer than one in `count`.
        let at = |part: f64| {
            let rank = (part * count as f64).ceil() as usize;
            ((1.0 - part) * count as f64 >= 1.0).then(|| tenths(self.0[rank.max(1) - 1] - own))
        };
        let (Some(p50_ns), Some(max)) = (at(0.5), self.0.last()) else {
            return Err("too few readings in the time there was".into());
        };
        Ok(LatencyOutcome {
            readings: count as u64,
            p50_ns,
            p99_ns: at(0.99),
            p999_ns: at(0.999),
            max_ns: tenths(max - own),
            stopwatch_ns: tenths(own),
        })
    }
}

fn tenths(ns: f64) -> f64 {
    (ns * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_ranks_and_never_finer_than_the_count() {
        let series = Series((1..=200).map(f64::from).collect());
        let seen = series.summary(0.0).unwrap();
        assert_eq!((seen.p50_ns, seen.p99_ns, seen.max_ns), (100.0, Some(198.0), 200.0));
        assert_eq!(seen.p999_ns, None);
        let few = Series(vec![5.0, 7.0]).summary(1.0).unwrap();
        assert_eq!((few.p50_ns, few.p99_ns, few.max_ns), (4.0, None, 6.0));
        assert!(Series::default().summary(0.0).is_err());
    }

    #[test]
    fn a_system_call_takes_longer_than_the_coarse_clock() {
        let host = toll_host::read(&toll_host::Roots::live());
        let coarse: Clock = "CLOCK_MONOTONIC_COARSE".parse().unwrap();
        let seen = latencies(
            &[(coarse, PathTo::Vdso), (coarse, PathTo::Syscall)],
            None,
            &host,
            Duration::from_millis(200),
            &AtomicBool::new(false),
        )
        .unwrap();
        let p50 = |index: usize| seen[index].outcome.known().unwrap().p50_ns;
        assert!(p50(1) > p50(0) + 10.0, "{seen:?}");
        let all = seen[0].outcome.known().unwrap();
        assert!(all.readings > 1_000 && all.max_ns >= all.p999_ns.unwrap(), "{all:?}");
    }
}
