//! The operating system's calls that measuring needs, each behind a safe function.

use std::io;
use std::mem::MaybeUninit;

/// CPUs by number.
#[derive(Clone)]
pub(crate) struct CpuSet(libc::cpu_set_t);

impl std::fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.list()).finish()
    }
}

impl CpuSet {
    /// The set of these CPUs; numbers beyond what the type can hold are left out.
    pub(crate) fn of(cpus: &[u32]) -> CpuSet {
        // SAFETY: an all-zero cpu_set_t is the empty set.
        let mut set = unsafe { MaybeUninit::<libc::cpu_set_t>::zeroed().assume_init() };
        for &cpu in cpus.iter().filter(|&&cpu| cpu < libc::CPU_SETSIZE as u32) {
            // SAFETY: within the set's size.
            unsafe { libc::CPU_SET(cpu as usize, &mut set) };
        }
        CpuSet(set)
    }

    /// Its members, ascending.
    pub(crate) fn list(&self) -> Vec<u32> {
        // SAFETY: within the set's size.
        let holds = |&cpu: &u32| unsafe { libc::CPU_ISSET(cpu as usize, &self.0) };
        (0..libc::CPU_SETSIZE as u32).filter(holds).collect()
    }
}

/// Where the calling thread may run; `None` where the kernel does not say (more CPUs than the type
/// can hold).
pub(crate) fn affinity() -> Option<CpuSet> {
    let mut set = CpuSet::of(&[]);
    // SAFETY: the kernel writes at most the size given.
    let result = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set.0) };
    (result == 0).then_some(set)
}

/// Restricts the calling thread to `set`.
pub(crate) fn set_affinity(set: &CpuSet) -> io::Result<()> {
    set_affinity_of(0, set)
}

/// Restricts a thread of a child to `set`.
pub(crate) fn set_affinity_of(thread: libc::pid_t, set: &CpuSet) -> io::Result<()> {
    // SAFETY: the kernel reads the size given.
    let result = unsafe { libc::sched_setaffinity(thread, size_of::<libc::cpu_set_t>(), &set.0) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The CPU under the calling thread.
pub(crate) fn current_cpu() -> u32 {
    toll_loops::sys::Presence::now().cpu
}

/// `CLOCK_MONOTONIC_RAW`, ns since some point.
pub(crate) fn monotonic_raw() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes into `time`. Cannot fail: Linux has this clock since 2.6.28.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Whether RDTSC is allowed to this process (`prctl(PR_GET_TSC)`).
#[cfg(target_arch = "x86_64")]
pub(crate) fn may_read_counter() -> bool {
    const PR_TSC_SIGSEGV: libc::c_int = 2;
    let mut state: libc::c_int = 0;
    // SAFETY: the kernel writes an int.
    let result = unsafe { libc::prctl(libc::PR_GET_TSC, &mut state as *mut libc::c_int) };
    result != 0 || state != PR_TSC_SIGSEGV
}

/// CNTVCT is always open to user space under Linux.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn may_read_counter() -> bool {
    true
}

/// Whether this CPU has RDTSCP (CPUID 0x80000001 EDX[27]).
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_rdtscp() -> bool {
    let highest = core::arch::x86_64::__cpuid(0x8000_0000).eax;
    highest >= 0x8000_0001 && core::arch::x86_64::__cpuid(0x8000_0001).edx & (1 << 27) != 0
}

/// arm64 has no such instruction.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_rdtscp() -> bool {
    false
}
