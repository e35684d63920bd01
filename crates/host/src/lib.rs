//! What this machine is, read from `/proc`, `/sys`, CPUID and the kernel log; changes nothing.
//!
//! [`read`] gives a whole [`Host`], in which whatever could not be read is there with the reason.
//! [`Roots`] says where it is read from: this machine ([`Roots::live`]) or a recorded one
//! ([`Roots::fixture`]). One file per concept; no content of any file makes it panic.

mod clocksource;
mod container;
mod cpu;
mod cpu_info;
pub mod cpu_list;
mod cpuid;
mod elf;
mod files;
mod hypervisor;
pub mod jvm;
mod kernel;
mod kernel_log;
mod libc;
mod memory;
mod missing;
mod mitigations;
mod privileges;
mod process;
mod roots;
mod steal;
mod syscalls;
mod tsc;
mod vdso;

pub use kernel_log::{on_clocks, relevant as relevant_kernel_log};
pub use missing::{Missing, Why};
pub use roots::{AuditSource, CpuidSource, Environment, KernelLogSource, Roots, VdsoSource};

use toll_model::Fact;
use toll_model::host::{Host, Libc, Steal};

/// Reads everything; what cannot be read is there with its reason.
pub fn read(roots: &Roots) -> Host {
    let status = process::Status::read(roots);
    let parameters = kernel::parameters(roots);
    let log = kernel_log::read(roots);
    let leaves = cpuid::open(roots);
    let info = cpu_info::Info::read(roots);
    let known = parameters.as_ref().map(Vec::as_slice).unwrap_or_default();
    let kernel = Fact::from(kernel::read(roots, known, info.as_ref().ok()));
    let clocksource = clocksource::read(roots, &parameters, &log);
    let tsc = tsc::read(&tsc::Sources {
        roots,
        kernel: &kernel,
        clocksource: &clocksource,
        parameters: &parameters,
        log: &log,
        leaves: &leaves,
        info: &info,
    });
    Host {
        distribution: kernel::distribution(roots).into(),
        cpu: cpu::read(roots, &status, &info),
        hypervisor: hypervisor::read(roots, &leaves, &log, info.as_ref().ok()),
        container: container::read(roots),
        tsc,
        vdso: vdso::read(roots, &parameters),
        syscall_tracing: syscalls::read(roots, &status, &parameters, &log),
        mitigations: mitigations::read(roots).into(),
        memory: memory::read(roots).into(),
        libc: read_libc(roots),
        jvms: jvm::read(roots).into(),
        privileges: privileges::read(roots, &status),
        steal: read_steal(roots),
        kernel_log: Fact::from(log).map(|log| log.kept()),
        kernel,
        clocksource,
    }
}

/// CPU time stolen since boot; cheap enough to be read before and after each measurement.
pub fn read_steal(roots: &Roots) -> Fact<Steal> {
    steal::read(roots).into()
}

/// The libc of this host's own programs, with a small program that uses it.
pub fn read_libc(roots: &Roots) -> Fact<Libc> {
    libc::read(roots).into()
}
