//! The few system calls that a freestanding probe needs.

use crate::arch;

#[cfg(target_arch = "x86_64")]
mod numbers {
    pub(super) const READ: u64 = 0;
    pub(super) const WRITE: u64 = 1;
    pub(super) const MMAP: u64 = 9;
    pub(super) const MADVISE: u64 = 28;
    pub(super) const GETRUSAGE: u64 = 98;
    pub(super) const EXIT_GROUP: u64 = 231;
    pub(super) const GETCPU: u64 = 309;
}

#[cfg(target_arch = "aarch64")]
mod numbers {
    pub(super) const READ: u64 = 63;
    pub(super) const WRITE: u64 = 64;
    pub(super) const MMAP: u64 = 222;
    pub(super) const MADVISE: u64 = 233;
    pub(super) const GETRUSAGE: u64 = 165;
    pub(super) const EXIT_GROUP: u64 = 94;
    pub(super) const GETCPU: u64 = 168;
}

/// A system call with up to three arguments; its result or `-errno`.
///
/// # Safety
/// As the system call asks for.
pub unsafe fn syscall(number: u64, a: u64, b: u64, c: u64) -> i64 {
    // SAFETY: passed on.
    unsafe { arch::raw_syscall(number, a, b, c) }
}

/// Maps `bytes` of fresh private memory, in huge pages where the kernel gives them.
///
/// Nothing is touched yet. `None` where there is no memory.
pub fn map_anonymous(bytes: u64) -> Option<*mut u8> {
    const READ_WRITE: u64 = 3;
    const PRIVATE_ANONYMOUS: u64 = 0x22;
    const MADV_HUGEPAGE: u64 = 14;
    // SAFETY: a fresh mapping touches no existing memory; advice changes no content.
    unsafe {
        let all = [0, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1i64 as u64, 0];
        let base = arch::raw_syscall_6(numbers::MMAP, all);
        // The kernel's errors are the last 4095 values.
        if (-4095..=0).contains(&base) {
            return None;
        }
        syscall(numbers::MADVISE, base as u64, bytes, MADV_HUGEPAGE);
        Some(base as *mut u8)
    }
}

/// `read(2)`.
pub fn read(fd: i32, into: &mut [u8]) -> i64 {
    // SAFETY: the kernel writes at most `into.len()` bytes into `into`.
    unsafe { syscall(numbers::READ, fd as u64, into.as_mut_ptr() as u64, into.len() as u64) }
}

/// `write(2)`.
pub fn write(fd: i32, from: &[u8]) -> i64 {
    // SAFETY: the kernel reads at most `from.len()` bytes of `from`.
    unsafe { syscall(numbers::WRITE, fd as u64, from.as_ptr() as u64, from.len() as u64) }
}

/// `exit_group(2)`.
pub fn exit_group(status: i32) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { syscall(numbers::EXIT_GROUP, status as u64, 0, 0) };
    }
}

/// What tells whether a thread ran undisturbed: where it runs, and how often it was switched out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    /// The CPU it runs on.
    pub cpu: u32,
    /// Times it was switched out, by its own wish and against it.
    pub switches: u64,
}

impl Presence {
    /// Of the calling thread, now. Two system calls; take it outside what is timed.
    pub fn now() -> Presence {
        const RUSAGE_THREAD: u64 = 1;
        // struct rusage: two timevals, then fourteen longs, of which the last two count switches.
        let mut usage = [0u64; 18];
        let mut cpu = 0u32;
        // SAFETY: both places are as large as the kernel's structures.
        unsafe {
            syscall(numbers::GETRUSAGE, RUSAGE_THREAD, usage.as_mut_ptr() as u64, 0);
            syscall(numbers::GETCPU, &mut cpu as *mut u32 as u64, 0, 0);
        }
        Presence { cpu, switches: usage[16].wrapping_add(usage[17]) }
    }
}
