//! Clocksource, TSC evidence, vDSO.

use crate::fact::Fact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `/sys/devices/system/clocksource/clocksource0` and what the kernel log says of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clocksource {
    /// The clocksource in force.
    pub current: Fact<String>,
    /// Those that may be switched to, in the kernel's order (by rating).
    pub available: Fact<Vec<String>>,
    /// The `clocksource=` of the kernel command line, if one was given.
    pub requested: Fact<Option<String>>,
    /// The kernel's demotion of the TSC: `null` if the log was read and holds none.
    pub demotion: Fact<Option<Demotion>>,
}

/// The kernel's own words on why it gave up the TSC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Demotion {
    /// The line that says so.
    pub line: LogLine,
    /// The reason within it: `clocksource watchdog`, `TSCs unsynchronized`, …
    pub reason: String,
    /// The watchdog's lines before it, if it was the watchdog that demoted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watchdog: Vec<LogLine>,
}

/// A line of the kernel log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// Seconds since boot; `None` where the log carries no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_seconds: Option<f64>,
    /// The message without its time.
    pub message: String,
}

/// Whether the TSC can be trusted here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tsc {
    /// Every piece of evidence that could be read, strongest first (by [`EvidenceKind`]).
    pub evidence: Vec<TscEvidence>,
    /// What the kernel says the TSC's frequency is, kHz, where it says so.
    pub khz: Fact<f64>,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TscEvidence {
    /// Its rank and what it is.
    pub kind: EvidenceKind,
    /// Which way it points.
    pub verdict: Verdict,
    /// What was read, with its source: `"tsc not in available_clocksource (hpet acpi_pm)"`.
    pub fact: String,
}

/// What the evidence is, strongest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// The kernel log says that the TSC was demoted. Final.
    Demotion,
    /// Whether `tsc` is in the list of available clocksources. Its absence is final.
    Available,
    /// Other lines of the kernel log: warp, skew, TSC_ADJUST.
    KernelLog,
    /// CPUID 0x80000007 EDX[8]: the TSC is invariant (constant and nonstop).
    Invariant,
    /// CPUID 7 EBX[1]: TSC_ADJUST.
    TscAdjust,
    /// The hypervisor's own word: KVM 0x40000001 EAX[24], Xen 0x40000003, Hyper-V privileges.
    Hypervisor,
    /// `prctl(PR_GET_TSC)`: whether this process may read it at all.
    ProcessMayRead,
    /// `tsc=` on the kernel command line.
    CommandLine,
    /// Frequency leaves 0x15, 0x16, 0x40000010.
    Frequency,
}

/// Which way a piece of evidence points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The TSC must not be used: no other evidence outweighs this.
    Final,
    /// Against the TSC.
    Against,
    /// For the TSC.
    For,
    /// Says nothing either way, or could not be read.
    Open,
}

impl Tsc {
    /// The evidence that settles the matter against the TSC, if there is any.
    pub fn forbidden(&self) -> Option<&TscEvidence> {
        self.evidence.iter().find(|e| e.verdict == Verdict::Final)
    }

    /// The first evidence of this kind.
    pub fn evidence_of(&self, kind: EvidenceKind) -> Option<&TscEvidence> {
        self.evidence.iter().find(|e| e.kind == kind)
    }
}

/// The kernel's shared object in every process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Vdso {
    /// Exported functions; unavailable if no vDSO is mapped.
    pub symbols: Fact<Vec<String>>,
    /// The kernel command line's parameter that turns it off (`vdso=0`), if given.
    pub disabled_by: Option<String>,
}
