//! One measured row of a run: raw samples and what was derived from them.

use crate::subject::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one operation costs, with everything needed to distrust the figure.
///
/// Either `median` and its companions are there, or `unavailable` is; never both, never neither
/// (see [`Measurement::is_whole`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// Derived from `subject`; unique within a run.
    pub id: String,
    /// The parts of the id, as fields.
    pub subject: Subject,
    /// The unit of every figure in this row but `calls_per_second`: `ns/call`.
    pub unit: String,
    /// Cost per call of each kept block, the empty loop of the same shape already subtracted,
    /// in the order in which the blocks ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<f64>,
    /// How many samples there were, where `samples` is a reservoir that holds only some of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampled_from: Option<u64>,
    /// Median of the samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// 95% bootstrap interval of the median, `[lo, hi]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<[f64; 2]>,
    /// The smallest sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The 99th percentile of blocks. A block holds thousands of calls: this is no latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_of_blocks: Option<f64>,
    /// All calls over wall time, discarded blocks included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_second: Option<f64>,
    /// What the empty loop of the same shape cost per call; it has been subtracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<f64>,
    /// Calls in a block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_block: Option<u64>,
    /// Blocks thrown away because the thread was switched out or changed CPU meanwhile.
    #[serde(default)]
    pub discarded_blocks: u64,
    /// Why sampling ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Who answered the call, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<ServedBy>,
    /// What a reader must know to read the row: `"glibc 2.36 by /lib64/ld-linux-x86-64.so.2"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why there is no figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

/// Who answered a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ServedBy {
    /// Code of the vDSO, without entering the kernel.
    Vdso,
    /// The kernel, by a system call.
    Kernel,
    /// The program itself.
    User,
}

/// Why a measurement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stopped {
    /// The interval is under 1% of the median.
    Precise,
    /// Time was up first; the interval says how far it got.
    Time,
    /// A person or a signal ended the run.
    Interrupted,
}

impl Measurement {
    /// A row without a figure, for the reason given.
    pub fn unavailable(subject: Subject, why: impl Into<String>) -> Self {
        Measurement { unavailable: Some(why.into()), ..Measurement::empty(subject) }
    }

    /// A row with nothing in it yet; `unit` is `ns/call`.
    pub fn empty(subject: Subject) -> Self {
        Measurement {
            id: subject.id(),
            subject,
            unit: "ns/call".into(),
            samples: Vec::new(),
            sampled_from: None,
            median: None,
            ci95: None,
            min: None,
            p99_of_blocks: None,
            calls_per_second: None,
            baseline: None,
            calls_per_block: None,
            discarded_blocks: 0,
            stopped: None,
            served_by: None,
            notes: Vec::new(),
            unavailable: None,
        }
    }

    /// Whether the row is either a figure or a reason, and its id that of its subject.
    pub fn is_whole(&self) -> bool {
        self.median.is_some() != self.unavailable.is_some() && self.id == self.subject.id()
    }

    /// Half the interval's width over the median; `None` without a figure or at a median of 0.
    pub fn relative_error(&self) -> Option<f64> {
        let [lo, hi] = self.ci95?;
        let median = self.median?;
        (median != 0.0).then(|| (hi - lo) / 2.0 / median.abs())
    }
}
