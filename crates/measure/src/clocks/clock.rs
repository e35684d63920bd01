//! The clocks that can be priced, by the field's own names.

use crate::error::MeasureError;
use crate::vdso::Symbol;
use std::str::FromStr;
use toll_loops::remote::Function;
use toll_model::names::distance;

/// A clock, or a way to read the hardware counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Clock {
    /// `clock_gettime` with this id.
    Posix(PosixClock),
    /// `gettimeofday`.
    Gettimeofday,
    /// `time`.
    Time,
    /// `rdtsc`, `mrs cntvct_el0`: the counter without order.
    Counter,
    /// `rdtscp`.
    Rdtscp,
    /// `lfence; rdtsc`, `isb; mrs cntvct_el0`.
    FencedCounter,
}

/// The clocks of `clock_gettime`, with their ids (include/uapi/linux/time.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum PosixClock {
    /// `CLOCK_REALTIME`.
    Realtime = 0,
    /// `CLOCK_MONOTONIC`.
    Monotonic = 1,
    /// `CLOCK_MONOTONIC_RAW`.
    MonotonicRaw = 4,
    /// `CLOCK_BOOTTIME`.
    Boottime = 7,
    /// `CLOCK_TAI`.
    Tai = 11,
    /// `CLOCK_REALTIME_COARSE`.
    RealtimeCoarse = 5,
    /// `CLOCK_MONOTONIC_COARSE`.
    MonotonicCoarse = 6,
    /// `CLOCK_PROCESS_CPUTIME_ID`: always a system call.
    ProcessCputime = 2,
    /// `CLOCK_THREAD_CPUTIME_ID`: always a system call.
    ThreadCputime = 3,
}

use PosixClock as P;

/// Every clock with its name, in the order of the tables.
const ALL: [(Clock, &str); 14] = [
    (Clock::Posix(P::Realtime), "CLOCK_REALTIME"),
    (Clock::Posix(P::Monotonic), "CLOCK_MONOTONIC"),
    (Clock::Posix(P::MonotonicRaw), "CLOCK_MONOTONIC_RAW"),
    (Clock::Posix(P::Boottime), "CLOCK_BOOTTIME"),
    (Clock::Posix(P::Tai), "CLOCK_TAI"),
    (Clock::Posix(P::RealtimeCoarse), "CLOCK_REALTIME_COARSE"),
    (Clock::Posix(P::MonotonicCoarse), "CLOCK_MONOTONIC_COARSE"),
    (Clock::Posix(P::ProcessCputime), "CLOCK_PROCESS_CPUTIME_ID"),
    (Clock::Posix(P::ThreadCputime), "CLOCK_THREAD_CPUTIME_ID"),
    (Clock::Gettimeofday, "gettimeofday"),
    (Clock::Time, "time"),
    (Clock::Counter, COUNTER_NAMES[0]),
    (Clock::Rdtscp, COUNTER_NAMES[1]),
    (Clock::FencedCounter, COUNTER_NAMES[2]),
];

#[cfg(target_arch = "x86_64")]
const COUNTER_NAMES: [&str; 3] = ["rdtsc", "rdtscp", "lfence-rdtsc"];
// arm64 has one ordered reading; the name in the middle is never shown (see `Clock::all`).
#[cfg(not(target_arch = "x86_64"))]
const COUNTER_NAMES: [&str; 3] = ["cntvct", "cntvct-ordered", "isb-cntvct"];

impl Clock {
    /// All that this architecture has.
    pub fn all() -> impl Iterator<Item = Clock> {
        let has_rdtscp = cfg!(target_arch = "x86_64");
        ALL.iter().map(|&(clock, _)| clock).filter(move |&c| has_rdtscp || c != Clock::Rdtscp)
    }

    /// Its name, as in an id.
    pub fn name(self) -> &'static str {
        ALL.iter().find(|&&(clock, _)| clock == self).map_or("", |&(_, name)| name)
    }

    /// Whether it is the hardware counter itself, read inline.
    pub fn is_counter(self) -> bool {
        matches!(self, Clock::Counter | Clock::Rdtscp | Clock::FencedCounter)
    }

    /// The function of the vDSO that serves it; `None` for a counter.
    pub(crate) fn symbol(self) -> Option<Symbol> {
        match self {
            Clock::Posix(_) => Some(Symbol::ClockGettime),
            Clock::Gettimeofday => Some(Symbol::Gettimeofday),
            Clock::Time => Some(Symbol::Time),
            Clock::Counter | Clock::Rdtscp | Clock::FencedCounter => None,
        }
    }

    /// The function of libc, with the clock's id; `None` for a counter.
    pub(crate) fn function(self) -> Option<(Function, u32)> {
        match self {
            Clock::Posix(id) => Some((Function::ClockGettime, id as u32)),
            Clock::Gettimeofday => Some((Function::Gettimeofday, 0)),
            Clock::Time => Some((Function::Time, 0)),
            Clock::Counter | Clock::Rdtscp | Clock::FencedCounter => None,
        }
    }

    /// The system call's number; `None` for a counter, and for `time` on arm64.
    pub(crate) fn syscall_number(self) -> Option<u64> {
        match self {
            Clock::Posix(_) => Some(libc::SYS_clock_gettime as u64),
            Clock::Gettimeofday => Some(libc::SYS_gettimeofday as u64),
            #[cfg(target_arch = "x86_64")]
            Clock::Time => Some(libc::SYS_time as u64),
            _ => None,
        }
    }

    /// The arguments of function and system call alike, with a place for the time.
    pub(crate) fn arguments(self, into: *mut [i64; 2]) -> (u64, u64) {
        match self {
            Clock::Posix(id) => (u64::from(id as u32), into as u64),
            Clock::Gettimeofday => (into as u64, 0),
            _ => (0, 0),
        }
    }

    /// Whether it is read at the hardware counter's resolution, and so bears that counter's price.
    pub fn is_high_resolution(self) -> bool {
        matches!(
            self,
            Clock::Gettimeofday
                | Clock::Posix(P::Realtime | P::Monotonic | P::MonotonicRaw | P::Boottime | P::Tai)
        )
    }
}

impl FromStr for Clock {
    type Err = MeasureError;

    /// Reads a name in any case, with or without `CLOCK_` and `_ID`, `-` for `_`.
    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let given = plain(text);
        Clock::all().find(|clock| plain(clock.name()) == given).ok_or_else(|| {
            MeasureError::UnknownClock { name: text.into(), nearest: nearest(&given) }
        })
    }
}

fn plain(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace(['_', ';', ' '], "-");
    let name = name.strip_prefix("clock-").unwrap_or(&name);
    name.strip_suffix("-id").unwrap_or(name).to_string()
}

fn nearest(given: &str) -> String {
    let close = Clock::all()
        .map(|clock| (distance(&plain(clock.name()), given), clock.name()))
        .min()
        .filter(|&(distance, name)| distance <= 2 + plain(name).len() / 4);
    match close {
        Some((_, name)) => format!("did you mean {name}?"),
        None => {
            let names: Vec<_> = Clock::all().map(Clock::name).collect();
            format!("choose from {}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clock_is_found_by_its_name_and_by_short_forms() {
        for clock in Clock::all() {
            assert_eq!(clock.name().parse::<Clock>(), Ok(clock));
        }
        for (short, clock) in [
            ("monotonic", Clock::Posix(P::Monotonic)),
            ("realtime-coarse", Clock::Posix(P::RealtimeCoarse)),
            ("process_cputime", Clock::Posix(P::ProcessCputime)),
            ("GETTIMEOFDAY", Clock::Gettimeofday),
        ] {
            assert_eq!(short.parse::<Clock>(), Ok(clock), "{short}");
        }
    }

    #[test]
    fn an_unknown_clock_is_told_the_nearest_name() {
        let message = |name: &str| name.parse::<Clock>().unwrap_err().to_string();
        assert_eq!(
            message("CLOCK_MONOTONICK"),
            r#"no clock is called "CLOCK_MONOTONICK"; did you mean CLOCK_MONOTONIC?"#
        );
        assert!(
            message("sundial").contains("choose from CLOCK_REALTIME, "),
            "{}",
            message("sundial")
        );
        assert!(message("").contains("choose from"));
    }
}
