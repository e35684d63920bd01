//! Keeping the measuring thread on one CPU.

use crate::error::MeasureError;
use crate::sys;
use toll_model::Host;

/// The calling thread is pinned; dropped, it may run where it could before.
#[derive(Debug)]
pub struct Pinned {
    /// The CPU.
    pub cpu: u32,
    before: Option<sys::CpuSet>,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // Fails only if those CPUs are gone; then the kernel has moved the thread already.
            let _ = sys::set_affinity(before);
        }
    }
}

/// Pins the calling thread to `cpu`, or to the last CPU it may use: interrupts that nobody has
/// spread land on the first.
///
/// # Errors
/// [`MeasureError::Cpu`] for a CPU that is offline or not allowed.
pub fn pin_to(cpu: Option<u32>, host: &Host) -> Result<Pinned, MeasureError> {
    let before = sys::affinity();
    let allowed = before.as_ref().map(sys::CpuSet::list).unwrap_or_default();
    let Some(cpu) = cpu.or_else(|| allowed.last().copied()) else {
        return Ok(Pinned { cpu: sys::current_cpu(), before: None });
    };
    let refuse = |why: &str| {
        Err(MeasureError::Cpu {
            cpu,
            why: why.into(),
            usable: toll_host::cpu_list::format(&allowed),
        })
    };
    if host.cpu.online.is_known_and(|online| !online.contains(&cpu)) {
        return refuse("it is offline or does not exist");
    }
    if !allowed.is_empty() && !allowed.contains(&cpu) {
        return refuse("this process may not run on it (cpuset or affinity)");
    }
    match sys::set_affinity(&sys::CpuSet::of(&[cpu])) {
        Ok(()) => Ok(Pinned { cpu, before }),
        Err(error) => refuse(&error.to_string()),
    }
}
