//! The memory that a team shares: what to do, and what each did. It lies in a shared mapping, so that
//! threads and forked processes use the same.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Seats at the table.
pub(super) const SEATS: usize = 1024;

/// What the leader says, a cache line of its own.
#[repr(C, align(128))]
pub(super) struct Orders {
    /// Raised for every slice; the team waits for it to change.
    pub(super) epoch: AtomicU32,
    /// Members that take part.
    pub(super) number: AtomicU32,
    /// Index of the operation.
    pub(super) op: AtomicU32,
    /// The team is dismissed.
    pub(super) over: AtomicU32,
    /// How long to work, in the stopwatch's unit.
    pub(super) slice: AtomicU64,
}

/// Where members meet before and after a slice.
#[repr(C, align(128))]
pub(super) struct Meeting {
    /// Members ready to start.
    pub(super) arrived: AtomicU32,
    /// Members that are through; the leader waits for it.
    pub(super) done: AtomicU32,
}

/// What one member did in the last slice.
#[repr(C, align(128))]
pub(super) struct Seat {
    /// Calls made.
    pub(super) calls: AtomicU64,
    /// How long they took, in the stopwatch's unit.
    pub(super) elapsed: AtomicU64,
    /// When it began and ended, by `CLOCK_MONOTONIC_RAW`, on which all CPUs agree.
    pub(super) span: [AtomicU64; 2],
    /// Times it was switched out, or 1 more if it changed CPU.
    pub(super) disturbed: AtomicU64,
    /// Not zero where it could not run on its CPU: an errno.
    pub(super) refused: AtomicU32,
}

/// The whole table.
#[repr(C)]
pub(super) struct Table {
    pub(super) orders: Orders,
    pub(super) meeting: Meeting,
    pub(super) seats: [Seat; SEATS],
}

impl Table {
    /// A fresh one in shared memory; it lives as long as the program.
    pub(super) fn new() -> Option<&'static Table> {
        // SAFETY: a fresh mapping, zeroed, aligned to a page and as long as the type, which is
        // made of atomic integers: all zeroes are a value of it. It is never unmapped.
        unsafe {
            let memory = libc::mmap(
                std::ptr::null_mut(),
                size_of::<Table>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            (memory != libc::MAP_FAILED).then(|| &*memory.cast::<Table>())
        }
    }
}

/// Sleeps while `word` holds `value`, at most `limit`.
pub(super) fn wait(word: &AtomicU32, value: u32, limit: Duration) {
    let limit = libc::timespec { tv_sec: limit.as_secs() as _, tv_nsec: limit.subsec_nanos() as _ };
    // SAFETY: waits on a living word; not private, since processes may share it. Whatever comes
    // back, the caller looks at the word again.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &limit);
    }
}

/// Wakes all that sleep on `word`.
pub(super) fn wake(word: &AtomicU32) {
    // SAFETY: as above.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
    }
}

impl Table {
    /// Tells everybody to look at the orders again.
    pub(super) fn call(&self) {
        self.orders.epoch.fetch_add(1, Ordering::Release);
        wake(&self.orders.epoch);
    }
}
