//! Kernel, distribution, processor, memory.

use crate::fact::Fact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kernel and how it was booted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Kernel {
    /// `/proc/sys/kernel/osrelease`: `6.1.0-38-cloud-amd64`.
    pub release: String,
    /// `x86_64`, `aarch64`.
    pub arch: String,
    /// The parameters of `/proc/cmdline` that bear on clocks, system calls and mitigations
    /// (`clocksource=`, `tsc=`, `vdso=`, `audit=`, `mitigations=`, `hpet=`, …). The rest is not
    /// kept: a command line can hold secrets.
    pub parameters: Vec<String>,
}

/// From `/etc/os-release`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// `ID`: `debian`, `alpine`.
    pub id: String,
    /// `PRETTY_NAME`: `Debian GNU/Linux 12 (bookworm)`.
    pub name: String,
    /// `VERSION_ID`, where there is one.
    pub version: Option<String>,
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// `model name` of `/proc/cpuinfo`, or implementer and part on arm64.
    pub model: Fact<String>,
    /// `GenuineIntel`, `AuthenticAMD`, …
    pub vendor: Fact<String>,
    /// CPUs that are online.
    pub online: Fact<Vec<u32>>,
    /// CPUs that this process may use (`Cpus_allowed_list`).
    pub allowed: Fact<Vec<u32>>,
    /// Physical packages.
    pub sockets: Fact<u32>,
    /// Hardware threads in a core.
    pub threads_per_core: Fact<u32>,
    /// Frequency governor → CPUs under it; unavailable without cpufreq, as in most guests.
    pub governors: Fact<BTreeMap<String, u32>>,
    /// Size of the last-level cache, bytes.
    pub last_level_cache: Fact<u64>,
    /// The CPU flags that bear on clocks: `constant_tsc`, `nonstop_tsc`, `tsc_reliable`, `rdtscp`, …
    pub clock_flags: Fact<Vec<String>>,
}

/// Memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// `MemTotal`, bytes.
    pub total: u64,
    /// `MemAvailable`, bytes.
    pub available: u64,
    /// The bracketed word of `transparent_hugepage/enabled`.
    pub transparent_hugepages: Fact<String>,
}
