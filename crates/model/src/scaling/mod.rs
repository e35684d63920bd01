//! How a toll behaves when many pay it at once: calls per second in the whole system over threads
//! or processes, a law fitted to that, and a verdict.

mod usl;
mod verdict;

use crate::subject::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One operation by one path, at growing numbers of threads or processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scaling {
    /// The subject of the first point; the others differ in shape only.
    pub subject: Subject,
    /// The points, by number. Each is also a row of the run, with its samples.
    pub points: Vec<ScalingPoint>,
    /// The law fitted to the points within the CPUs; absent with fewer than two of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<UslFit>,
    /// What follows.
    pub verdict: ScalingVerdict,
}

/// What the system did at one number of threads or processes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalingPoint {
    /// Threads or processes.
    pub number: u32,
    /// Cost of one call on each of them, ns, the empty loop subtracted.
    pub ns_per_call: f64,
    /// Calls of all together, per second of wall time; 95% interval.
    pub calls_per_second: f64,
    /// 95% bootstrap interval of `calls_per_second`.
    pub ci95: [f64; 2],
    /// More than there are CPUs: they took turns. Marked, and kept out of the fit.
    pub beyond_cpus: bool,
}

/// The Universal Scalability Law (Gunther 1993): `X(n) = λn / (1 + σ(n−1) + κn(n−1))`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UslFit {
    /// λ: calls per second of one.
    pub lambda: f64,
    /// σ, contention: the part of the work that only one can do at a time.
    pub sigma: f64,
    /// κ, coherency: what each pair costs.
    pub kappa: f64,
    /// Root of the mean squared relative residual.
    pub residual: f64,
}

/// Whether more threads get more done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum ScalingVerdict {
    /// The rate grows with the number: at the largest within the CPUs, `efficiency` of linear.
    Scales {
        /// Rate over number × rate of one.
        efficiency: f64,
    },
    /// It grows, but less than it should.
    ScalesInPart {
        /// Rate over number × rate of one.
        efficiency: f64,
    },
    /// All together get no more done than a fixed rate.
    Serialised {
        /// That rate, calls per second.
        calls_per_second: f64,
    },
    /// The intervals or the points do not tell.
    NotResolved {
        /// Why.
        why: String,
    },
}

impl Scaling {
    /// The points with the law fitted to them and what follows.
    pub fn judged(subject: Subject, mut points: Vec<ScalingPoint>) -> Scaling {
        points.sort_by_key(|point| point.number);
        let within: Vec<ScalingPoint> =
            points.iter().copied().filter(|point| !point.beyond_cpus).collect();
        let rates: Vec<(f64, f64)> =
            within.iter().map(|p| (f64::from(p.number), p.calls_per_second)).collect();
        Scaling { subject, fit: usl::fit(&rates), verdict: verdict::of(&within), points }
    }
}
