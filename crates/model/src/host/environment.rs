//! Hypervisor, container, libc, privileges, and what makes system calls dear.

use crate::fact::Fact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the machine runs on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hypervisor {
    /// Which one, as far as can be told.
    pub kind: HypervisorKind,
    /// What told it: `"CPUID 0x40000000: KVMKVMKVM"`, `"DMI sys_vendor: Amazon EC2"`.
    pub evidence: Vec<String>,
    /// DMI `sys_vendor` and `product_name`, where readable: `Amazon EC2 m5.large`.
    pub product: Fact<String>,
    /// For Xen: this domain is the privileged one (dom0).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xen_dom0: Option<bool>,
    /// The machine is emulated in software (QEMU TCG): its figures show function, not speed.
    pub emulated: bool,
}

/// Hypervisors whose clock advice differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HypervisorKind {
    /// No hypervisor bit in CPUID.
    BareMetal,
    /// Linux KVM other than AWS Nitro.
    Kvm,
    /// AWS Nitro (KVM-based).
    Nitro,
    /// Xen, PV, HVM or PVH.
    Xen,
    /// Microsoft Hyper-V, Azure and WSL included.
    HyperV,
    /// VMware.
    Vmware,
    /// A hypervisor that is none of these, or one that could not be told.
    Other,
    /// Neither CPUID nor the kernel says.
    #[default]
    Unknown,
}

/// What the process is confined to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Container {
    /// `docker`, `kubernetes`, `podman`, `lxc`, `systemd-nspawn`, …; `null` if none was detected.
    pub kind: Option<String>,
    /// What told it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// CPUs' worth of quota from the cgroup (v1 or v2); `null` if there is none.
    pub cpu_quota: Fact<Option<f64>>,
    /// Memory limit from the cgroup, bytes; `null` if there is none.
    pub memory_limit: Fact<Option<u64>>,
    /// Times this cgroup was throttled so far, where its `cpu.stat` says.
    pub throttled: Fact<u64>,
    /// The process lives in a time namespace with offsets.
    pub time_namespace: Fact<bool>,
}

/// What makes system calls dear here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyscallTracing {
    /// `TracerPid` of this process; 0 if none.
    pub tracer: Fact<u32>,
    /// Seccomp filters on this process.
    pub seccomp: Fact<Seccomp>,
    /// The audit system.
    pub audit: Fact<Audit>,
    /// Linux security modules in force, `/sys/kernel/security/lsm`.
    pub lsm: Fact<Vec<String>>,
    /// This process's confinement, `/proc/self/attr/current`: `unconfined`, an AppArmor profile, an
    /// SELinux context.
    pub confinement: Fact<String>,
    /// Enabled syscall tracepoints, `raw_syscalls/sys_enter`, `syscalls/sys_enter_…`.
    pub tracepoints: Fact<Vec<String>>,
}

/// `Seccomp` and `Seccomp_filters` of `/proc/self/status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seccomp {
    /// 0 off, 1 strict, 2 filter.
    pub mode: u32,
    /// How many filters run on every system call; `None` before Linux 5.9.
    pub filters: Option<u32>,
}

/// The kernel's audit system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Audit {
    /// Syscall auditing is on: every system call takes the slow path.
    pub enabled: bool,
    /// What told it: `"audit=1 on the kernel command line"`.
    pub evidence: String,
    /// Rules loaded, where they can be counted.
    pub rules: Fact<u32>,
}

/// The libc of this host's own programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Libc {
    /// Which one.
    pub kind: LibcKind,
    /// `2.36`, where it can be told without running it.
    pub version: Option<String>,
    /// The dynamic loader: `/lib64/ld-linux-x86-64.so.2`.
    pub loader: String,
    /// A small dynamic program linked against it: `/usr/bin/true`.
    pub program: String,
}

/// Which libc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LibcKind {
    /// The GNU C library.
    Glibc,
    /// musl.
    Musl,
    /// Another one, or one that could not be told.
    Other,
}

/// What this process may do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Privileges {
    /// Effective user id.
    pub euid: Fact<u32>,
    /// Names of effective capabilities that matter here: `CAP_SYS_ADMIN`, `CAP_SYSLOG`,
    /// `CAP_PERFMON`, `CAP_SYS_PTRACE`, `CAP_AUDIT_CONTROL`, `CAP_SYS_TIME`.
    pub capabilities: Fact<Vec<String>>,
    /// `/proc/sys/kernel/perf_event_paranoid`.
    pub perf_event_paranoid: Fact<i32>,
    /// `/proc/sys/kernel/kptr_restrict`.
    pub kptr_restrict: Fact<i32>,
    /// `/proc/sys/kernel/dmesg_restrict`.
    pub dmesg_restrict: Fact<i32>,
}

/// Steal time from `/proc/stat`, since boot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steal {
    /// Ticks (`USER_HZ`) stolen since boot.
    pub ticks: u64,
    /// All ticks since boot.
    pub of: u64,
}

impl Steal {
    /// Fewer ticks than these tell nothing in percent.
    const LEAST: u64 = 50;

    /// Percent of CPU time that was stolen between `earlier` and this reading; `None` where too
    /// little time lies between them for a percentage.
    pub fn percent_since(&self, earlier: &Steal) -> Option<f64> {
        let of = self.of.checked_sub(earlier.of).filter(|&n| n >= Self::LEAST)?;
        let stolen = self.ticks.checked_sub(earlier.ticks)?;
        Some(100.0 * stolen as f64 / of as f64)
    }

    /// Percent of CPU time stolen since boot.
    pub fn percent_since_boot(&self) -> Option<f64> {
        self.percent_since(&Steal { ticks: 0, of: 0 })
    }
}
