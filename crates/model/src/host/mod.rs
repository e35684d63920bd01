//! What a machine is, as plain data. Read by `toll-host`, recorded in every run.

mod clock;
mod environment;
mod jvm;
mod machine;

pub use clock::{Clocksource, Demotion, EvidenceKind, LogLine, Tsc, TscEvidence, Vdso, Verdict};
pub use environment::{
    Audit, Container, Hypervisor, HypervisorKind, Libc, LibcKind, Privileges, Seccomp, Steal,
    SyscallTracing,
};
pub use jvm::{Jvm, JvmProcess};
pub use machine::{Cpu, Distribution, Kernel, Memory};

use crate::fact::Fact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything known of the machine, and why the rest is not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// The kernel and how it was booted.
    pub kernel: Fact<Kernel>,
    /// From `/etc/os-release`.
    pub distribution: Fact<Distribution>,
    /// The processor and which of its CPUs may be used.
    pub cpu: Cpu,
    /// What the machine runs on.
    pub hypervisor: Hypervisor,
    /// What the process is confined to.
    pub container: Container,
    /// The kernel's clocksource.
    pub clocksource: Clocksource,
    /// The evidence for and against the TSC.
    pub tsc: Tsc,
    /// The kernel's code in user space.
    pub vdso: Vdso,
    /// What makes system calls dear.
    pub syscall_tracing: SyscallTracing,
    /// `/sys/devices/system/cpu/vulnerabilities`: name → the kernel's own words.
    pub mitigations: Fact<BTreeMap<String, String>>,
    /// Memory and the caches in front of it.
    pub memory: Fact<Memory>,
    /// The libc that this host's programs use.
    pub libc: Fact<Libc>,
    /// Java installations and running JVMs.
    pub jvms: Fact<Vec<Jvm>>,
    /// What this process may do.
    pub privileges: Privileges,
    /// CPU time that the hypervisor gave to others.
    pub steal: Fact<Steal>,
    /// Lines of the kernel log that speak of clocks, in order; the log itself is not kept.
    pub kernel_log: Fact<Vec<LogLine>>,
}
