//! What a check says: its verdict, the chain of causes, the evidence and what to try.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A verdict with its proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The id of the check that found it: `clock.slow-clocksource`.
    pub id: String,
    /// How much it matters.
    pub level: Level,
    /// One sentence with the figure in it.
    pub summary: String,
    /// The chain of causes, nearest first; each link is a fact that was read or measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// What the links rest on: file and value, trapped address, measurement id and figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What to try, best first.
    #[serde(default, rename = "try", skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}

/// A way out, what it gains here, and what it risks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remedy {
    /// The exact command, or the change in words where no command does it.
    pub command: String,
    /// The gain, from this machine's own figures; or why none can be told.
    pub gain: String,
    /// What can go wrong.
    pub risk: String,
}

/// How much a finding matters. Ordered: `Info < Warn < Error`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A toll is less than 1.5 times what it could be here, or nothing is to be gained.
    Info,
    /// From 1.5 times.
    Warn,
    /// From 5 times.
    Error,
}

impl Level {
    /// The level of a toll that costs `now` where it could cost `possible`, in the same unit.
    pub fn of_ratio(now: f64, possible: f64) -> Level {
        let ratio = now / possible;
        if ratio >= 5.0 {
            Level::Error
        } else if ratio >= 1.5 {
            Level::Warn
        } else {
            Level::Info
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        })
    }
}

/// What one check came to; there is one for each check that ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// The check's id, which is also that of its findings.
    pub id: String,
    /// What came of it.
    pub status: CheckStatus,
    /// One line: what was found, what was found in order, or why nothing could be said.
    pub summary: String,
}

/// See [`CheckResult`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// Looked, and all is well.
    Ok,
    /// There are findings under this id.
    Found,
    /// A fact or a measurement is missing; the summary says which and why.
    Unavailable,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_the_ratio() {
        assert_eq!(Level::of_ratio(26.2, 22.3), Level::Info);
        assert_eq!(Level::of_ratio(33.0, 22.0), Level::Warn);
        assert_eq!(Level::of_ratio(680.0, 33.0), Level::Error);
        assert!(Level::Info < Level::Warn && Level::Warn < Level::Error);
    }
}
