//! How a clock steps: the differences between successive readings of one thread.

use super::histogram::Histogram;
use crate::clocks::{Clock, PosixClock};
use crate::vdso::{Symbol, Vdso};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use toll_loops::sys::{Presence, syscall};
use toll_model::Fact;
use toll_model::probe::{Steps, StepsOutcome};

/// How long a clock is watched that moves with every reading.
const FINE: Duration = Duration::from_millis(8);
/// How long for one that stands still meanwhile: ten ticks of 10 ms, the coarsest in use (HZ=100).
const COARSE: Duration = Duration::from_millis(100);
/// Steps above zero that are enough of a coarse clock: the kernel itself may be late with some.
const ENOUGH_TICKS: u64 = 8;

/// Watches each of `clocks` that `clock_gettime` knows.
pub fn steps(clocks: &[Clock]) -> Vec<Steps> {
    of_each(clocks, watch)
}

/// As [`steps`], for `each` a clock, with the distribution of the steps.
pub fn steps_in_full(clocks: &[Clock], each: Duration, stop: &AtomicBool) -> Vec<Steps> {
    of_each(clocks, |reader, getres_ns| distributed(|| reader.read(), each, stop, getres_ns))
}

/// A way to read one clock. A type of its own and no boxed closure: an indirect call would lie between
/// two readings, and widen the steps.
#[derive(Clone, Copy)]
struct Reader {
    clock: PosixClock,
    function: Option<usize>,
}

impl Reader {
    fn read(self) -> Option<i64> {
        now(self.clock, self.function)
    }
}

/// What `look` sees of each clock, given its reading and what `clock_getres` promises.
fn of_each(clocks: &[Clock], look: impl Fn(Reader, Option<f64>) -> StepsOutcome) -> Vec<Steps> {
    let vdso = Vdso::of_this_process();
    let function = vdso.and_then(|vdso| vdso.address_of(Symbol::ClockGettime));
    clocks
        .iter()
        .filter_map(|&clock| {
            let Clock::Posix(id) = clock else { return None };
            let reader = Reader { clock: id, function };
            let outcome = match reader.read() {
                Some(_) => Fact::Known(look(reader, resolution(id))),
                None => Fact::unavailable("the kernel refuses this clock"),
            };
            Some(Steps { clock: clock.name().into(), outcome })
        })
        .collect()
}

/// In short: until the clock has shown how it moves.
fn watch(reader: Reader, getres_ns: Option<f64>) -> StepsOutcome {
    let (began, mut seen) = (Instant::now(), Tally::default());
    loop {
        seen.batch(|| reader.read());
        let spent = began.elapsed();
        let shown = seen.moves() || seen.clean_steps >= ENOUGH_TICKS;
        if spent >= COARSE || (spent >= FINE && shown) {
            return StepsOutcome { getres_ns, ..seen.outcome() };
        }
    }
}

/// For `time`, with the distribution.
fn distributed(
    read: impl Fn() -> Option<i64>,
    time: Duration,
    stop: &AtomicBool,
    getres_ns: Option<f64>,
) -> StepsOutcome {
    let (began, mut seen) = (Instant::now(), Tally::default());
    while began.elapsed() < time && !stop.load(Ordering::Relaxed) {
        seen.batch(&read);
    }
    let distribution = seen.histogram.bins();
    StepsOutcome { getres_ns, distribution, ..seen.outcome() }
}

/// Steps of any number of readings in little memory: counted by size as they come.
#[derive(Default)]
struct Tally {
    readings: u64,
    zero: u64,
    /// Stretches of equal readings: a clock that ticks has one between any two ticks.
    standstills: u64,
    standing: bool,
    backward: u64,
    worst: i64,
    /// Steps above zero of batches in which the thread was not switched out.
    clean_steps: u64,
    smallest: Option<i64>,
    histogram: Histogram,
    last: Option<i64>,
}

impl Tally {
    /// Takes a batch, so that watching the time does not stand between two readings.
    ///
    /// Who was switched out meanwhile has missed ticks: such a batch shows backward steps, but not how
    /// small a step can be.
    fn batch(&mut self, read: impl Fn() -> Option<i64>) {
        const BATCH: usize = 256;
        let before = Presence::now();
        let batch: Vec<i64> = (0..BATCH).map_while(|_| read()).collect();
        let clean = Presence::now() == before;
        for value in batch {
            self.reading(value, clean);
        }
        if !clean {
            self.last = None;
        }
    }

    fn reading(&mut self, value: i64, clean: bool) {
        let Some(before) = self.last.replace(value) else { return };
        let step = value - before;
        self.readings += 1;
        self.zero += u64::from(step == 0);
        self.standstills += u64::from(step == 0 && !self.standing);
        self.standing = step == 0;
        if step < 0 {
            self.backward += 1;
            self.worst = self.worst.max(-step);
        } else if step > 0 && clean {
            self.clean_steps += 1;
            self.smallest = Some(self.smallest.map_or(step, |least| least.min(step)));
        }
        self.histogram.add(step);
    }

    /// Whether it moves with nearly every reading.
    fn moves(&self) -> bool {
        self.clean_steps > self.readings / 8
    }

    fn outcome(&self) -> StepsOutcome {
        StepsOutcome {
            readings: self.readings,
            smallest_ns: self.smallest.map(|step| step as f64),
            median_ns: self.histogram.median_above_zero(),
            zero: self.zero,
            standstills: Some(self.standstills),
            backward: self.backward,
            worst_backward_ns: self.worst as f64,
            ..StepsOutcome::default()
        }
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

    fn tally(batches: &[(&[i64], bool)]) -> Tally {
        let mut tally = Tally::default();
        for (batch, clean) in batches {
            batch.iter().for_each(|&value| tally.reading(value, *clean));
        }
        tally
    }

    #[test]
    fn steps_are_told_apart() {
        let ticking = tally(&[(&[1, 1, 1, 2, 2, 3, 3, 4], true)]).outcome();
        assert_eq!((ticking.zero, ticking.standstills), (4, Some(3)));
        let outcome = tally(&[(&[10, 10, 15], true), (&[12, 40], true)]).outcome();
        assert_eq!(outcome.standstills, Some(1));
        assert_eq!(outcome.readings, 4);
        assert_eq!((outcome.zero, outcome.backward), (1, 1));
        assert_eq!(outcome.standstills, Some(1));
        assert_eq!(outcome.worst_backward_ns, 3.0);
        assert_eq!(outcome.smallest_ns, Some(5.0));
    }

    #[test]
    fn who_was_switched_out_says_nothing_of_the_smallest_step() {
        let outcome = tally(&[(&[0, 12, 8], false), (&[20, 24], true)]).outcome();
        assert_eq!(outcome.smallest_ns, Some(4.0));
        // A step back counts all the same.
        assert_eq!(outcome.backward, 1);
        assert_eq!(tally(&[(&[0, 12], false)]).outcome().smallest_ns, None);
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
    fn a_clock_that_stands_is_seen_to_stand() {
        let mut tally = Tally::default();
        for _ in 0..100 {
            tally.batch(|| Some(7));
        }
        let outcome = tally.outcome();
        assert_eq!(outcome.smallest_ns, None);
        assert_eq!(outcome.zero, outcome.readings);
        assert!(!tally.moves());
    }
}
