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
/// RDTSCP and LFENCE): a stopwatch that what it times cannot leak out of.
#[inline(always)]
pub fn ordered() -> u64 {
    let mut aux = 0;
    // SAFETY: as above.
    unsafe {
        let ticks = __rdtscp(&mut aux);
        _mm_lfence();
        ticks
    }
}
