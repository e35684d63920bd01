//! What was observed of the clocks besides their price: proofs, ticks, order.

use crate::fact::Fact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Observations of one run; empty where the verb did not look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Probes {
    /// For each clock, whether the vDSO answered or fell back to a system call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vdso_fallbacks: Vec<VdsoFallback>,
    /// For each clock, the steps seen between successive readings of one thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Steps>,
    /// For each sampled pair of CPUs, how far their counters can be apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub core_offsets: Vec<CoreOffset>,
}

/// The proof of who serves a clock: a call of the vDSO's own symbol with system calls trapped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VdsoFallback {
    /// `CLOCK_REALTIME`, `gettimeofday`, `time`.
    pub clock: String,
    /// What the trap showed, or why it could not be set.
    pub outcome: Fact<FallbackOutcome>,
}

/// What happened when system calls were trapped during one call of the vDSO.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FallbackOutcome {
    /// `syscall-user-dispatch` or `seccomp`.
    pub method: String,
    /// A system call was trapped.
    pub trapped: bool,
    /// Where the trapped instruction lies, as an offset into the vDSO; `None` if none was
    /// trapped or it lies elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vdso_offset: Option<u64>,
    /// The number of the trapped system call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syscall: Option<i64>,
}

/// Differences between successive readings of one clock on one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steps {
    /// `CLOCK_REALTIME`, …
    pub clock: String,
    /// What was seen, or why it could not be.
    pub outcome: Fact<StepsOutcome>,
}

/// See [`Steps`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepsOutcome {
    /// Pairs of successive readings.
    pub readings: u64,
    /// Smallest step above zero, ns; `None` if the clock never moved.
    pub smallest_ns: Option<f64>,
    /// Median of the steps above zero, ns.
    pub median_ns: Option<f64>,
    /// Pairs whose second reading equalled the first.
    pub zero: u64,
    /// Pairs whose second reading lay before the first.
    pub backward: u64,
    /// The largest backward step, ns; 0 if there was none.
    pub worst_backward_ns: f64,
    /// What `clock_getres` promises, ns.
    pub getres_ns: Option<f64>,
}

/// Bounds on the offset between two CPUs' counters, from a ping-pong of fenced readings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoreOffset {
    /// The two CPUs.
    pub cpus: [u32; 2],
    /// What was seen, or why it could not be.
    pub outcome: Fact<OffsetOutcome>,
}

/// See [`CoreOffset`]. Causality bounds the offset; it is never measured as zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OffsetOutcome {
    /// The second CPU's counter minus the first's lies within these bounds, ns.
    pub bound_ns: [f64; 2],
    /// The least round trip seen, ns: half of it is what the bound can resolve.
    pub round_trip_ns: f64,
    /// Round trips made.
    pub rounds: u64,
    /// Times a fenced reading on one CPU lay before one already published by the other.
    pub backward: u64,
    /// The largest of those, ns; 0 if there was none.
    pub worst_backward_ns: f64,
}
