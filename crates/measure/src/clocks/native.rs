//! The ways from native code to a clock, each tried once before it is timed: a price of a call
//! that fails is no price.

use super::clock::Clock;
use super::twin;
use crate::engine::{Bench, Block, Local, SharedField, Stopwatch};
use crate::sys;
use crate::vdso::Vdso;
use std::io;
use toll_loops::{Call, Counter, Op, sys::syscall};
use toll_model::Path;

/// How native code of this process gets at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathTo {
    /// The vDSO's own function.
    Vdso,
    /// The system call.
    Syscall,
    /// The instruction itself, for a counter.
    Inline,
}

impl PathTo {
    /// The word for it in an id.
    pub fn of(self, clock: Clock) -> Path {
        match self {
            PathTo::Vdso => Path::Vdso,
            PathTo::Syscall => Path::Syscall,
            PathTo::Inline if clock == Clock::Counter => Path::User,
            PathTo::Inline => Path::UserOrdered,
        }
    }

    /// Which of the three empty loops (call, system call, counter) is its baseline.
    pub(crate) fn baseline(self) -> usize {
        match self {
            PathTo::Vdso => 0,
            PathTo::Syscall => 1,
            PathTo::Inline => 2,
        }
    }
}

/// The operation that reads `clock` by `path`, tried once; it writes to this thread's own place.
pub(crate) fn native_op(clock: Clock, path: PathTo) -> Result<Op, String> {
    match path {
        PathTo::Vdso => vdso(clock, Vdso::of_this_process().as_ref()),
        PathTo::Syscall => by_syscall(clock),
        PathTo::Inline => counter(clock),
    }
}

/// A place for the time that every call of this thread writes to: it lives as long as the program.
///
/// Nothing reads it; the kernel or the vDSO writes it. It has cache lines of its own, or threads
/// that read a clock at once would pay for each other's writing.
fn scratch() -> *mut [i64; 2] {
    #[repr(align(128))]
    struct Place(#[allow(dead_code)] [i64; 2]);
    thread_local! {
        static PLACE: *mut Place = Box::into_raw(Box::new(Place([0; 2])));
    }
    PLACE.with(|place| place.cast::<[i64; 2]>())
}

/// The vDSO's own function for `clock`.
pub(crate) fn vdso(clock: Clock, vdso: Option<&Vdso>) -> Result<Op, String> {
    let symbol = clock.symbol().ok_or("the counter needs no vDSO")?;
    let vdso = vdso.ok_or("the kernel maps no vDSO into this process")?;
    let function = vdso
        .address_of(symbol)
        .ok_or_else(|| format!("the vDSO exports no function for {}", clock.name()))?;
    let (a, b) = clock.arguments(scratch());
    // SAFETY: the vDSO's functions take an id and a pointer, or a pointer and null, as libc's do.
    let result =
        unsafe { std::mem::transmute::<usize, extern "C" fn(u64, u64) -> i64>(function)(a, b) };
    // Only `time` returns more than an int.
    let failed = clock != Clock::Time && (result as i32) < 0;
    if failed {
        Err(refused(i64::from(result as i32)))
    } else {
        Ok(Op::Call(Call { function, a, b }))
    }
}

/// The system call for `clock`.
pub(crate) fn by_syscall(clock: Clock) -> Result<Op, String> {
    let number = clock
        .syscall_number()
        .ok_or_else(|| format!("this architecture has no system call for {}", clock.name()))?;
    let (a, b) = clock.arguments(scratch());
    // SAFETY: reads a clock into `scratch`.
    let result = unsafe { syscall(number, a, b, 0) };
    if result < 0 { Err(refused(result)) } else { Ok(Op::Syscall { number, a, b }) }
}

/// The empty system call: `getppid`, as `perf bench syscall basic` makes it.
pub(crate) fn empty_syscall() -> Op {
    Op::Syscall { number: libc::SYS_getppid as u64, a: 0, b: 0 }
}

/// A reading of the counter.
pub(crate) fn counter(clock: Clock) -> Result<Op, String> {
    if !sys::may_read_counter() {
        return Err("this process may not read the TSC (prctl PR_SET_TSC)".into());
    }
    match clock {
        Clock::Counter => Ok(Op::Counter(Counter::Unordered)),
        Clock::FencedCounter => Ok(Op::Counter(Counter::Fenced)),
        Clock::Rdtscp if sys::has_rdtscp() => Ok(Op::Counter(Counter::Rdtscp)),
        _ => Err("this CPU has no such instruction".into()),
    }
}

fn refused(result: i64) -> String {
    let error = io::Error::from_raw_os_error(-result as i32);
    format!("the kernel refuses the call: {error}")
}

/// A frequency for a counter that has none of its own.
const USUAL_HZ: f64 = 2.5e9;

/// The twin of the vDSO, wound up before every block.
pub(crate) struct Twin<'a> {
    inner: Local<'a>,
    hz: f64,
}

impl<'a> Twin<'a> {
    /// Idle, or among misses of `field`.
    pub(crate) fn new(
        among: Option<(SharedField, u32)>,
        stopwatch: &'a Stopwatch,
    ) -> Result<Self, String> {
        if !sys::may_read_counter() {
            return Err("this process may not read the TSC (prctl PR_SET_TSC)".into());
        }
        // What the algorithm costs does not depend on how fast the counter runs, or whether it
        // can be relied on: a wrong frequency makes wrong times, which nobody reads.
        let hz = stopwatch.calibration().map_or(USUAL_HZ, |calibration| calibration.hz);
        let clock = Clock::Posix(super::clock::PosixClock::Monotonic);
        let (a, b) = clock.arguments(scratch());
        let function = twin::function(sys::has_rdtscp());
        let op = Op::Call(Call { function, a, b });
        let inner = match among {
            None => Local::idle(op, stopwatch),
            Some((field, misses)) => Local::among(op, field, misses, stopwatch),
        };
        Ok(Twin { inner, hz })
    }
}

impl Bench for Twin<'_> {
    fn run(&mut self, calls: u64) -> Result<Block, String> {
        twin::wind(self.hz);
        self.inner.run(calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twin_has_a_price_where_the_counter_is_no_stopwatch() {
        if !sys::may_read_counter() {
            return;
        }
        let stopwatch = Stopwatch::Clock { why: "no constant_tsc" };
        let block = Twin::new(None, &stopwatch).and_then(|mut twin| twin.run(1600)).unwrap();
        assert!(block.nanos > 1600.0, "{block:?}");
    }
}
