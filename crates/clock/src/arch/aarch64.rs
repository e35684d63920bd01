//! The virtual counter of the generic timer, CNTVCT_EL0.

use core::arch::asm;

/// What the counter is called here.
pub const NAME: &str = "cntvct";

/// Reads CNTVCT. The CPU may move the reading ahead of earlier instructions.
#[inline(always)]
pub fn unordered() -> u64 {
    let ticks;
    // SAFETY: reads a counter that Linux opens to user space.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// Reads CNTVCT between two instruction barriers (Arm ARM, D11.1.2: the counter may be read
/// speculatively unless an ISB stands before it).
#[inline(always)]
pub fn ordered() -> u64 {
    let ticks;
    // SAFETY: as above.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nostack)) };
    ticks
}

/// Reads CNTVCT as Linux does: behind an ISB. arm64 knows one such reading.
#[inline(always)]
pub fn ordered_by_rdtscp() -> u64 {
    ordered_by_fence()
}

/// Reads CNTVCT behind an ISB.
#[inline(always)]
pub fn ordered_by_fence() -> u64 {
    let ticks;
    // SAFETY: as above.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack)) };
    ticks
}
