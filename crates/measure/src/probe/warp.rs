//! The kernel's own warp test (`check_tsc_warp`, arch/x86/kernel/tsc_sync.c): two CPUs take a lock in
//! turn and read the counter under it; no reading may lie before the one before it.
//!
//! With fenced readings a warp means that the counters disagree. Without a fence the CPU may read
//! ahead of the lock: the contrast shows what programs risk that read the counter bare.

use crate::sys::{self, CpuSet};
use std::hint::spin_loop;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use toll_clock::Calibration;
use toll_model::probe::WarpOutcome;

/// Lock and last reading, a cache line each.
#[derive(Default)]
#[repr(align(128))]
struct Line<T>(T);

#[derive(Default)]
struct Shared {
    taken: Line<AtomicBool>,
    last: Line<AtomicU64>,
}

/// What one CPU saw, in ticks.
#[derive(Default)]
struct Seen {
    readings: u64,
    backward: u64,
    worst: u64,
}

/// Lets both CPUs read for `time`, with a fence or without.
pub(super) fn warp(
    cpus: [u32; 2],
    time: Duration,
    fenced: bool,
    calibration: &Calibration,
) -> Result<WarpOutcome, String> {
    let (shared, start) = (Shared::default(), Barrier::new(2));
    let both = std::thread::scope(|scope| {
        let (shared, start) = (&shared, &start);
        cpus.map(|cpu| {
            scope.spawn(move || {
                let pinned = sys::set_affinity(&CpuSet::of(&[cpu]));
                // Both come, whether they could be pinned or not.
                start.wait();
                pinned.map_err(|e| format!("CPU {cpu}: {e}"))?;
                Ok::<Seen, String>(read(shared, time, fenced))
            })
        })
        .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into())))
    });
    let [one, other] = both;
    let (one, other) = (one?, other?);
    let worst = one.worst.max(other.worst);
    Ok(WarpOutcome {
        readings: one.readings + other.readings,
        backward: one.backward + other.backward,
        worst_ns: (calibration.nanos(worst) * 10.0).round() / 10.0,
    })
}

fn read(shared: &Shared, time: Duration, fenced: bool) -> Seen {
    let (taken, last) = (&shared.taken.0, &shared.last.0);
    let (mut seen, deadline) = (Seen::default(), Instant::now() + time);
    loop {
        // As the kernel does: the time is looked at rarely, beside the readings.
        for _ in 0..1_000 {
            while taken.swap(true, Ordering::Acquire) {
                spin_loop();
            }
            let before = last.load(Ordering::Relaxed);
            let now = if fenced { toll_clock::ordered_by_fence() } else { toll_clock::unordered() };
            last.store(now, Ordering::Relaxed);
            taken.store(false, Ordering::Release);
            seen.readings += 1;
            if before > now {
                seen.backward += 1;
                seen.worst = seen.worst.max(before - now);
            }
            spin_loop();
        }
        if Instant::now() >= deadline {
            return seen;
        }
    }
}
