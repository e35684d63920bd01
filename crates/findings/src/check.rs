//! What a check is, and what it can come to.

use toll_model::{Finding, Run};

/// One question asked of a run.
pub trait Check: Sync {
    /// Its id, which is also that of its findings: `clock.slow-clocksource`.
    fn id(&self) -> &'static str;

    /// What it looks for, in one line.
    fn title(&self) -> &'static str;

    /// Judges `run`; changes and reads nothing else.
    fn run(&self, run: &Run) -> Outcome;
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Findings, at least one.
    Found(Vec<Finding>),
    /// All is well; one line with the figures that say so.
    Ok(String),
    /// Nothing can be said; one line with the reason.
    Unavailable(String),
}

impl Outcome {
    /// A single finding.
    pub(crate) fn found(finding: Finding) -> Self {
        Outcome::Found(vec![finding])
    }
}
