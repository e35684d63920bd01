//! The twin: the vDSO's algorithm on the hardware counter, rebuilt in user space.
//!
//! What a vDSO reading costs under the clocksource `tsc` can so be measured while another one is
//! in force. It follows `__cvdso_clock_gettime_common` and `do_hres` of Linux's
//! `lib/vdso/gettimeofday.c` (6.x): the choice by a mask of clock ids, a sequence count read on
//! both sides, one ordered reading of the counter, multiply, shift, a division by subtraction. The
//! page it reads is its own: the layout of the kernel's is no ABI, only its cost is imitated.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// As the kernel's `struct vdso_clock`: the fields one reading touches lie in two cache lines.
#[repr(C, align(64))]
struct Page {
    sequence: AtomicU32,
    mode: AtomicU32,
    last: AtomicU64,
    largest: AtomicU64,
    _mask: AtomicU64,
    multiplier: AtomicU32,
    shift: AtomicU32,
    bases: [Base; 12],
}

#[repr(C)]
struct Base {
    seconds: AtomicU64,
    shifted_nanos: AtomicU64,
}

/// `VDSO_CLOCKMODE_TSC`, and its like on arm64.
const MODE_COUNTER: u32 = 1;
/// `VDSO_HRES`: the clocks served at the counter's resolution.
const HIGH_RESOLUTION: u32 = 1 | 1 << 1 | 1 << 7 | 1 << 11;
const NANOS_PER_SECOND: u64 = 1_000_000_000;
const SHIFT: u32 = 24;

static PAGE: Page = Page {
    sequence: AtomicU32::new(0),
    mode: AtomicU32::new(MODE_COUNTER),
    last: AtomicU64::new(0),
    largest: AtomicU64::new(u64::MAX),
    _mask: AtomicU64::new(u64::MAX),
    multiplier: AtomicU32::new(0),
    shift: AtomicU32::new(SHIFT),
    bases: [const { Base { seconds: AtomicU64::new(0), shifted_nanos: AtomicU64::new(0) } }; 12],
};

/// Sets the twin's page as a timekeeper would that runs since now, with a counter of `hz`.
///
/// Unlike the kernel's, it is not brought forward at every tick, so its loop that subtracts
/// seconds would lengthen as time goes by: call this again at least once a second.
pub(crate) fn wind(hz: f64) {
    let multiplier = (NANOS_PER_SECOND as f64 / hz * f64::from(1u32 << SHIFT)) as u32;
    PAGE.sequence.fetch_add(1, Ordering::AcqRel);
    PAGE.multiplier.store(multiplier, Ordering::Relaxed);
    PAGE.last.store(toll_clock::ordered(), Ordering::Relaxed);
    for base in &PAGE.bases {
        base.seconds.store(1, Ordering::Relaxed);
        base.shifted_nanos.store((NANOS_PER_SECOND / 2) << SHIFT, Ordering::Relaxed);
    }
    PAGE.sequence.fetch_add(1, Ordering::AcqRel);
}

/// The twin's `clock_gettime`, with the counter read as the kernel does on this CPU.
pub(crate) fn function(rdtscp: bool) -> usize {
    if rdtscp { by_rdtscp as *const () as usize } else { by_fence as *const () as usize }
}

extern "C" fn by_rdtscp(clock: u32, into: *mut [i64; 2]) -> i64 {
    read(clock, into, toll_clock::ordered_by_rdtscp)
}

extern "C" fn by_fence(clock: u32, into: *mut [i64; 2]) -> i64 {
    read(clock, into, toll_clock::ordered_by_fence)
}

#[inline(always)]
fn read(clock: u32, into: *mut [i64; 2], counter: impl Fn() -> u64) -> i64 {
    if clock >= 24 || (1u32 << clock) & HIGH_RESOLUTION == 0 {
        return -1;
    }
    let page = std::hint::black_box(&PAGE);
    let base = &page.bases[clock as usize % 12];
    let (seconds, nanos) = loop {
        let sequence = page.sequence.load(Ordering::Acquire);
        if sequence & 1 != 0 {
            std::hint::spin_loop();
            continue;
        }
        if page.mode.load(Ordering::Relaxed) != MODE_COUNTER {
            return -1;
        }
        let cycles = counter() & i64::MAX as u64;
        let delta = cycles.wrapping_sub(page.last.load(Ordering::Relaxed));
        if delta > page.largest.load(Ordering::Relaxed) {
            return -1;
        }
        let product = delta.wrapping_mul(u64::from(page.multiplier.load(Ordering::Relaxed)));
        let sum = product.wrapping_add(base.shifted_nanos.load(Ordering::Relaxed));
        let nanos = sum >> (page.shift.load(Ordering::Relaxed) & 63);
        let seconds = base.seconds.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        if page.sequence.load(Ordering::Relaxed) == sequence {
            break (seconds, nanos);
        }
    };
    let (mut nanos, mut carry) = (nanos, 0u64);
    while nanos >= NANOS_PER_SECOND {
        nanos -= NANOS_PER_SECOND;
        carry += 1;
        // Keeps the compiler from making a division of it, as the kernel's own barrier does.
        std::hint::black_box(carry);
    }
    // SAFETY: called like clock_gettime, with a place for two longs.
    unsafe { *into = [seconds.wrapping_add(carry) as i64, nanos as i64] };
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twin_tells_time() {
        let hz = 1e9 * {
            // Roughly: how fast the counter runs, from 20 ms.
            let (t, n) = (toll_clock::ordered(), crate::sys::monotonic_raw());
            std::thread::sleep(std::time::Duration::from_millis(20));
            (toll_clock::ordered() - t) as f64 / (crate::sys::monotonic_raw() - n) as f64
        };
        wind(hz);
        let mut time = [0i64; 2];
        let now = |time: &mut [i64; 2]| {
            assert_eq!(by_fence(1, time), 0);
            time[0] as f64 * 1e9 + time[1] as f64
        };
        let (t0, real0) = (now(&mut time), crate::sys::monotonic_raw());
        std::thread::sleep(std::time::Duration::from_millis(700));
        let (t1, real1) = (now(&mut time), crate::sys::monotonic_raw());
        let ratio = (t1 - t0) / (real1 - real0) as f64;
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
        assert!((0..1_000_000_000).contains(&time[1]));
    }

    #[test]
    fn the_twin_refuses_what_the_vdso_would_send_to_the_kernel() {
        let mut time = [0i64; 2];
        assert_eq!(by_fence(2, &mut time), -1);
        assert_eq!(by_fence(99, &mut time), -1);
    }
}
