//! The time-stamp counter.

use core::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};

/// What the counter is called here.
pub const NAME: &str = "tsc";

/// Reads the TSC. The CPU may move the reading ahead of earlier instructions or behind later ones.
#[inline(always)]
pub fn unordered() -> u64 {
    // SAFETY: RDTSC reads a counter. Where a process may not (PR_SET_TSC), it faults: whoever
    // builds on this asks PR_GET_TSC first.
    unsafe { _rdtsc() }
}

/// Reads the TSC after all earlier instructions and before all later ones (Intel SDM vol. 2B,
/// RDTSC and LFENCE; AMD APM vol. 3): a stopwatch that what it times cannot leak out of.
#[inline(always)]
pub fn ordered() -> u64 {
    // SAFETY: as above; every x86-64 CPU has LFENCE.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

/// Reads the TSC as Linux does where the CPU has RDTSCP (`rdtsc_ordered`, arch/x86/include/asm):
/// after all earlier instructions; later ones may start before.
#[inline(always)]
pub fn ordered_by_rdtscp() -> u64 {
    let mut aux = 0;
    // SAFETY: as above; whoever calls this has found RDTSCP in CPUID.
    unsafe { __rdtscp(&mut aux) }
}

/// Reads the TSC as Linux does where the CPU has no RDTSCP.
#[inline(always)]
pub fn ordered_by_fence() -> u64 {
    // SAFETY: as above.
    unsafe {
        _mm_lfence();
        _rdtsc()
    }
}
