//! Who answers a clock: the vDSO's function is called while system calls are trapped.
//!
//! A trap whose address lies inside the vDSO is the vDSO falling back to the kernel; no trap means
//! that it answered by itself. Syscall User Dispatch (Linux 5.11) does it within this thread; where
//! the kernel has none, a seccomp filter does it in a child. Neither needs any privilege.

mod dispatch;
mod seccomp;
mod trap;

use crate::clocks::Clock;
use crate::vdso::Vdso;
use toll_model::Fact;
use toll_model::probe::{FallbackOutcome, VdsoFallback};
use trap::Trap;

/// One call of a vDSO function.
#[derive(Clone, Copy)]
struct Call {
    function: usize,
    clock: Clock,
}

impl Call {
    /// Makes the call; its result does not matter, only whether it traps.
    fn make(self, into: *mut [i64; 2]) {
        let (a, b) = self.clock.arguments(into);
        // SAFETY: the vDSO's functions take an id and a pointer, or a pointer and null, as libc's
        // do; `into` has room for both longs.
        unsafe {
            std::mem::transmute::<usize, extern "C" fn(u64, u64) -> i64>(self.function)(a, b);
        }
    }
}

/// The proof for each of `clocks` that the vDSO may serve; counters are left out.
pub(crate) fn proofs(clocks: &[Clock], vdso: Option<&Vdso>) -> Vec<VdsoFallback> {
    let mut found: Vec<(Clock, Fact<FallbackOutcome>)> = Vec::new();
    let mut calls = Vec::new();
    for &clock in clocks {
        let Some(symbol) = clock.symbol() else { continue };
        let function = vdso.map(|vdso| vdso.address_of(symbol));
        match function {
            None => found.push((clock, Fact::unavailable("the kernel maps no vDSO"))),
            Some(None) => {
                found.push((clock, Fact::unavailable("the vDSO exports no such function")));
            }
            Some(Some(function)) => calls.push(Call { function, clock }),
        }
    }
    let (method, traps) = match dispatch::trap_each(&calls) {
        Ok(traps) => ("syscall-user-dispatch", Ok(traps)),
        Err(why) => ("seccomp", seccomp::trap_each(&calls).map_err(|e| format!("{why}; {e}"))),
    };
    for (index, call) in calls.iter().enumerate() {
        let outcome = match &traps {
            Ok(traps) => Fact::Known(outcome(method, traps[index], vdso)),
            Err(why) => Fact::unavailable(why.clone()),
        };
        found.push((call.clock, outcome));
    }
    found.sort_by_key(|&(clock, _)| clocks.iter().position(|&c| c == clock));
    found
        .into_iter()
        .map(|(clock, outcome)| VdsoFallback { clock: clock.name().into(), outcome })
        .collect()
}

/// The proof for each of `clocks`, in this process.
pub fn fallbacks(clocks: &[Clock]) -> Vec<VdsoFallback> {
    proofs(clocks, Vdso::of_this_process().as_ref())
}

fn outcome(method: &str, trap: Option<Trap>, vdso: Option<&Vdso>) -> FallbackOutcome {
    FallbackOutcome {
        method: method.into(),
        trapped: trap.is_some(),
        vdso_offset: trap.and_then(|trap| vdso?.offset_of(trap.address)),
        syscall: trap.map(|trap| trap.number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clocks::PosixClock as P;

    fn calls(clocks: &[Clock]) -> Vec<Call> {
        let vdso = Vdso::of_this_process().expect("a vDSO");
        clocks
            .iter()
            .filter_map(|&clock| Some(Call { function: vdso.address_of(clock.symbol()?)?, clock }))
            .collect()
    }

    #[test]
    fn cpu_time_is_the_kernels_and_coarse_time_is_not() {
        let clocks = [Clock::Posix(P::ProcessCputime), Clock::Posix(P::MonotonicCoarse)];
        let proofs = fallbacks(&clocks);
        let [cpu, coarse] = &proofs[..] else { panic!("{proofs:?}") };
        let (cpu, coarse) = (cpu.outcome.known().unwrap(), coarse.outcome.known().unwrap());
        assert!(cpu.trapped && cpu.vdso_offset.is_some(), "{cpu:?}");
        assert_eq!(cpu.syscall, Some(libc::SYS_clock_gettime));
        assert!(!coarse.trapped, "{coarse:?}");
    }

    #[test]
    fn both_methods_say_the_same() {
        let clocks: Vec<Clock> = Clock::all().filter(|c| c.symbol().is_some()).collect();
        let calls = calls(&clocks);
        let by_seccomp = seccomp::trap_each(&calls).unwrap();
        assert_eq!(by_seccomp.len(), calls.len());
        match dispatch::trap_each(&calls) {
            Ok(by_dispatch) => {
                for ((a, b), call) in by_dispatch.iter().zip(&by_seccomp).zip(&calls) {
                    assert_eq!(a, b, "{:?}", call.clock);
                }
            }
            // arm64, and kernels before 5.11.
            Err(why) => println!("no Syscall User Dispatch here: {why}"),
        }
    }

    #[test]
    fn a_call_after_the_proof_works_as_before() {
        let clock = Clock::Posix(P::ProcessCputime);
        fallbacks(&[clock]);
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes into `time`.
        let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
        assert_eq!(result, 0);
        assert!(time.tv_sec > 0 || time.tv_nsec > 0);
    }
}
