//! What was observed of the clocks besides their price: proofs, ticks, order.

use crate::fact::Fact;
use crate::subject::Path;
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
    /// For each clock, how long single readings take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latencies: Vec<Latency>,
    /// For each clock, how one process's readings slow another's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contentions: Vec<Contention>,
    /// For each clock, how it runs against `CLOCK_MONOTONIC_RAW`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drifts: Vec<Drift>,
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepsOutcome {
    /// Pairs of successive readings.
    pub readings: u64,
    /// Smallest step above zero, ns; `None` if the clock never moved.
    pub smallest_ns: Option<f64>,
    /// Median of the steps above zero, ns.
    pub median_ns: Option<f64>,
    /// Pairs whose second reading equalled the first.
    pub zero: u64,
    /// Times the clock stood still: runs of equal readings, however long. One that ticks stands
    /// still between any two ticks; one that was held back does so once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standstills: Option<u64>,
    /// Pairs whose second reading lay before the first.
    pub backward: u64,
    /// The largest backward step, ns; 0 if there was none.
    pub worst_backward_ns: f64,
    /// What `clock_getres` promises, ns.
    pub getres_ns: Option<f64>,
    /// Steps by size, ascending; empty in a short look. Steps of zero are in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distribution: Vec<Bin>,
}

/// How many values lay in a range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bin {
    /// The range's start, ns, included; negative for backward steps.
    pub from_ns: f64,
    /// The range's end, ns, excluded.
    pub to_ns: f64,
    /// Values in it.
    pub count: u64,
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The contrast: the same with readings that are not fenced; absent in a short look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfenced: Option<WarpOutcome>,
    /// The kernel's own recipe, a fenced reading under a lock; absent in a short look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fenced: Option<WarpOutcome>,
}

/// Readings under a lock that two CPUs take in turn (`check_tsc_warp` of the kernel).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarpOutcome {
    /// Readings of both CPUs.
    pub readings: u64,
    /// Times a reading lay before the one taken under the lock before it.
    pub backward: u64,
    /// The largest of those, ns; 0 if there was none.
    pub worst_ns: f64,
}

/// How long single readings take, told by the stopwatch around each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// `CLOCK_REALTIME`, …
    pub clock: String,
    /// How it was asked.
    pub path: Path,
    /// What was seen, or why it could not be.
    pub outcome: Fact<LatencyOutcome>,
}

/// See [`Latency`]. The stopwatch's own cost is subtracted; its noise is not. A percentile finer
/// than one in `readings` is absent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyOutcome {
    /// Single readings timed.
    pub readings: u64,
    /// Median, ns.
    pub p50_ns: f64,
    /// 99th percentile, ns.
    pub p99_ns: Option<f64>,
    /// 99.9th percentile, ns.
    pub p999_ns: Option<f64>,
    /// The longest, ns: interrupts and stolen time are in it.
    pub max_ns: f64,
    /// What the stopwatch itself took and what was subtracted, ns.
    pub stopwatch_ns: f64,
}

/// How much slower one process's readings get while another reads the same clock without pause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contention {
    /// `CLOCK_REALTIME`, …
    pub clock: String,
    /// How it was asked.
    pub path: Path,
    /// What was seen, or why it could not be.
    pub outcome: Fact<ContentionOutcome>,
}

/// See [`Contention`]. "Beside a loop" is the control: the other process is as busy, but reads no
/// clock, so that what remains is the clock and not the core, the cache or the frequency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContentionOutcome {
    /// Cost of a call while the other CPU runs a loop that reads no clock, ns.
    pub beside_loop_ns: f64,
    /// Cost of a call while the other CPU reads this clock, ns.
    pub beside_reader_ns: f64,
    /// `beside_reader_ns ÷ beside_loop_ns`, with its 95% interval.
    pub slowdown: f64,
    /// 95% interval of `slowdown`.
    pub ci95: [f64; 2],
    /// Rank correlation (Spearman) of this process's latency with whether the other one reads;
    /// what a neighbour could learn from it. `None`: none seen beyond chance (p ≥ 0.01).
    pub correlation: Option<f64>,
}

/// How a clock runs against `CLOCK_MONOTONIC_RAW`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// `tsc`, `CLOCK_MONOTONIC`, …
    pub clock: String,
    /// What was seen, or why it could not be.
    pub outcome: Fact<DriftOutcome>,
}

/// See [`Drift`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriftOutcome {
    /// Seconds watched, gaps of a resumed watch included.
    pub seconds: f64,
    /// Bracketed readings taken.
    pub readings: u64,
    /// Parts per million that the clock runs faster than `CLOCK_MONOTONIC_RAW`: the least and the
    /// most that the brackets at both ends allow.
    pub ppm: [f64; 2],
    /// Largest deviation from a straight line, ns: how much it was slewed or stepped meanwhile.
    pub worst_deviation_ns: f64,
    /// Frequency in Hz, for a counter; bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hertz: Option<[f64; 2]>,
}
