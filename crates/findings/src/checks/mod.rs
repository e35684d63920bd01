//! The checks, one a file. Their order is that of `--list-checks` and of the report.

mod clock_flags;
mod coarse_tick;
mod cores_disagree;
mod dear_syscalls;
mod hypervisor_advice;
mod java_installations;
mod leaves_vdso;
mod machine_noise;
mod slow_clocksource;
mod steps_back;
mod tsc_evidence;

use crate::check::Check;

static CHECKS: [&dyn Check; 11] = [
    &slow_clocksource::SlowClocksource,
    &tsc_evidence::TscEvidence,
    &hypervisor_advice::HypervisorAdvice,
    &leaves_vdso::LeavesVdso,
    &dear_syscalls::DearSyscalls,
    &steps_back::StepsBack,
    &coarse_tick::CoarseTick,
    &cores_disagree::CoresDisagree,
    &java_installations::Installations,
    &clock_flags::ClockFlags,
    &machine_noise::MachineNoise,
];

/// Every check there is, in the order in which they run.
pub fn checks() -> &'static [&'static dyn Check] {
    &CHECKS
}
