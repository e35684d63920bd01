//! How a clock steps: the differences between successive readings of one thread.

use super::histogram::Histogram;
use crate::clocks::{Clock, PosixClock};
use crate::vdso::{Symbol, Vdso};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use toll_loops::sys::syscall;
use toll_model::Fact;
use toll_model::probe::{Steps, StepsOutcome};

/// How long a clock is watched that moves with every reading.
const FINE: Duration = Duration::from_millis(8);
/// How long for one that stands still meanwhile: some ticks of 10 ms, the coarsest in use (HZ=100).
const COARSE: Duration = Duration::from_millis(60);
/// Steps above zero that are enough of a coarse clock.
const ENOUGH_TICKS: usize = 4;

/// Watches each of `clocks` that `clock_gettime` knows.
pub fn steps(clocks: &[Clock]) -> Vec<Steps> {
    let vdso = Vdso::of_this_process();
    let function = vdso.and_then(|vdso| vdso.address_of(Symbol::ClockGettime));
    clocks
        .iter()
        .filter_map(|&clock| match clock {
            Clock::Posix(id) => {
                let outcome = watch(id, function).map_or_else(Fact::unavailable, Fact::Known);
                Some(Steps { clock: clock.name().into(), outcome })
            }
            _ => None,
        })
        .collect()
}

/// As [`steps`], for `each` a clock, with the distribution of the steps.
pub fn steps_in_full(clocks: &[Clock], each: Duration, stop: &AtomicBool) -> Vec<Steps> {
    let vdso = Vdso::of_this_process();
    let function = vdso.and_then(|vdso| vdso.address_of(Symbol::ClockGettime));
    clocks
        .iter()
        .filter_map(|&clock| match clock {
            Clock::Posix(id) => Some((clock, id)),
            _ => None,
        })
        .map(|(clock, id)| {
            let read = || now(id, function);
            let outcome = match read() {
                Some(_) => Fact::Known(distributed(read, each, stop, resolution(id))),
                None => Fact::unavailable("the kernel refuses this clock"),
            };
            Steps { clock: clock.name().into(), outcome }
        })
        .collect()
}

/// Steps of any number of readings in little memory: counted by size as they come.
fn distributed(
    read: impl Fn() -> Option<i64>,
    time: Duration,
    stop: &AtomicBool,
    getres_ns: Option<f64>,
) -> StepsOutcome {
    const BATCH: usize = 1024;
    let (began, mut histogram) = (Instant::now(), Histogram::default());
    let mut outcome = StepsOutcome { getres_ns, ..StepsOutcome::default() };
    let mut last: Option<i64> = None;
    while began.elapsed() < time && !stop.load(Ordering::Relaxed) {
        let batch: Vec<i64> = (0..BATCH).map_while(|_| read()).collect();
        for value in batch {
            let Some(before) = last.replace(value) else { continue };
            let step = value - before;
            outcome.readings += 1;
            outcome.zero += u64::from(step == 0);
            if step < 0 {
                outcome.backward += 1;
                outcome.worst_backward_ns = outcome.worst_backward_ns.max(-step as f64);
            } else if step > 0 {
                let least = outcome.smallest_ns.unwrap_or(f64::INFINITY);
                outcome.smallest_ns = Some(least.min(step as f64));
            }
            histogram.add(step);
        }
    }
    outcome.median_ns = histogram.median_above_zero();
    outcome.distribution = histogram.bins();
    outcome
}

fn watch(clock: PosixClock, function: Option<usize>) -> Result<StepsOutcome, String> {
    let read = || now(clock, function);
    read().ok_or("the kernel refuses this clock")?;
    let readings = collect(read);
    Ok(summarize(&readings, resolution(clock)))
}

/// Readings until the clock has shown how it moves. Taken in batches, so that watching the time
/// does not stand between two readings.
fn collect(read: impl Fn() -> Option<i64>) -> Vec<Vec<i64>> {
    const BATCH: usize = 256;
    const MOST_BATCHES: usize = 4096;
    let began = Instant::now();
    let (mut batches, mut ticks): (Vec<Vec<i64>>, usize) = (Vec::new(), 0);
    loop {
        let batch: Vec<i64> = (0..BATCH).map_while(|_| read()).collect();
        let crossing = batches.last().and_then(|b| b.last()).zip(batch.first());
        ticks += batch.windows(2).filter(|pair| pair[1] > pair[0]).count();
        ticks += usize::from(crossing.is_some_and(|(last, first)| first > last));
        batches.push(batch);
        let (spent, moves) = (began.elapsed(), ticks > batches.len() * BATCH / 8);
        let enough = spent >= COARSE
            || (spent >= FINE && (moves || ticks >= ENOUGH_TICKS))
            || batches.len() >= MOST_BATCHES && (moves || ticks >= ENOUGH_TICKS);
        if enough {
            return batches;
        }
        if batches.len() >= MOST_BATCHES {
            // A standing clock: keep its last batches, so that memory stays bounded.
            batches.drain(..MOST_BATCHES / 2);
        }
    }
}

fn summarize(batches: &[Vec<i64>], getres_ns: Option<f64>) -> StepsOutcome {
    let (mut above, mut zero, mut backward, mut worst, mut readings) = (vec![], 0, 0, 0i64, 0);
    let mut last: Option<i64> = None;
    for batch in batches {
        for &value in batch {
            if let Some(before) = last.replace(value) {
                readings += 1;
                match value - before {
                    0 => zero += 1,
                    step if step < 0 => {
                        backward += 1;
                        worst = worst.max(-step);
                    }
                    step => above.push(step as f64),
                }
            }
        }
    }
    StepsOutcome {
        readings,
        smallest_ns: above.iter().copied().reduce(f64::min),
        median_ns: toll_model::stats::median(&above),
        zero,
        backward,
        worst_backward_ns: worst as f64,
        getres_ns,
        ..StepsOutcome::default()
    }
}

/// The clock through the vDSO's function, or by system call where there is none.
fn now(clock: PosixClock, function: Option<usize>) -> Option<i64> {
    let mut into = [0i64; 2];
    let (a, b) = Clock::Posix(clock).arguments(&mut into);
    let result = match function {
        // SAFETY: the vDSO's clock_gettime has the prototype of libc's.
        Some(function) => i64::from(unsafe {
            std::mem::transmute::<usize, extern "C" fn(u64, u64) -> i32>(function)(a, b)
        }),
        // SAFETY: the kernel writes a timespec into `into`.
        None => unsafe { syscall(libc::SYS_clock_gettime as u64, a, b, 0) },
    };
    (result == 0).then(|| into[0].wrapping_mul(1_000_000_000).wrapping_add(into[1]))
}

fn resolution(clock: PosixClock) -> Option<f64> {
    let mut into = [0i64; 2];
    // SAFETY: the kernel writes a timespec into `into`.
    let result = unsafe {
        syscall(libc::SYS_clock_getres as u64, u64::from(clock as u32), into.as_mut_ptr() as u64, 0)
    };
    (result == 0).then(|| into[0] as f64 * 1e9 + into[1] as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_apart() {
        let outcome = summarize(&[vec![10, 10, 15], vec![12, 40]], Some(1.0));
        assert_eq!(outcome.readings, 4);
        assert_eq!((outcome.zero, outcome.backward), (1, 1));
        assert_eq!(outcome.worst_backward_ns, 3.0);
        assert_eq!(outcome.smallest_ns, Some(5.0));
        assert_eq!(outcome.median_ns, Some(16.5));
    }

    #[test]
    fn a_coarse_clock_ticks_and_a_fine_one_flows() {
        let watched = steps(&[
            Clock::Posix(PosixClock::Monotonic),
            Clock::Posix(PosixClock::MonotonicCoarse),
        ]);
        let of = |index: usize| watched[index].outcome.known().unwrap().clone();
        let (fine, coarse) = (of(0), of(1));
        assert_eq!((fine.backward, coarse.backward), (0, 0));
        assert!(coarse.zero > coarse.readings / 2, "{coarse:?}");
        let tick = coarse.smallest_ns.expect("some ticks in 60 ms");
        assert!(tick > 100_000.0, "{coarse:?}");
        assert!(fine.smallest_ns.unwrap() < tick / 10.0, "{fine:?}");
    }

    #[test]
    fn the_distribution_holds_every_step() {
        let clock = [Clock::Posix(PosixClock::Monotonic)];
        let stop = AtomicBool::new(false);
        let seen = steps_in_full(&clock, Duration::from_millis(20), &stop);
        let seen = seen[0].outcome.known().unwrap();
        let counted: u64 = seen.distribution.iter().map(|bin| bin.count).sum();
        assert_eq!(counted, seen.readings);
        assert!(seen.distribution.windows(2).all(|pair| pair[0].to_ns <= pair[1].from_ns));
        assert!(seen.median_ns.unwrap() >= seen.smallest_ns.unwrap() * 0.8);
    }

    #[test]
    fn a_clock_that_stands_ends_all_the_same() {
        let outcome = summarize(&collect(|| Some(7)), None);
        assert_eq!(outcome.smallest_ns, None);
        assert_eq!(outcome.zero, outcome.readings);
    }
}
