//! Exit codes: the one place where they are defined.

use crate::args::FailOn;
use std::process::ExitCode;
use toll_model::Run;

/// How toll ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done, and nothing found at or above `--fail-on`.
    Fine,
    /// 1: done, with findings at or above `--fail-on`.
    Findings,
    /// 2: an error; one line on standard error says which and what helps.
    Error,
    /// 130: interrupted; what was measured until then was printed.
    Interrupted,
}

/// For the end of help texts and man pages.
pub(crate) const HELP: &str = "\
Exit codes: 0 fine; 1 findings at or above --fail-on; 2 an error; 130 interrupted, with what was \
got printed.";

impl Exit {
    /// The code that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Findings => 1,
            Exit::Error => 2,
            Exit::Interrupted => 130,
        }
    }

    /// What a run's findings come to.
    pub(crate) fn of_findings(run: &Run, fail_on: FailOn) -> Exit {
        match fail_on.threshold() {
            Some(least) if run.findings.iter().any(|f| f.level >= least) => Exit::Findings,
            _ => Exit::Fine,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toll_model::{Finding, Host, Level, Tool};

    #[test]
    fn findings_fail_from_the_threshold_on() {
        let mut run = Run::new(Tool::default(), Host::default());
        let exit = |run: &Run, on| Exit::of_findings(run, on);
        assert_eq!(exit(&run, FailOn::Info), Exit::Fine);
        run.findings.push(Finding {
            id: "a.b".into(),
            level: Level::Warn,
            summary: "s".into(),
            because: vec![],
            evidence: vec![],
            remedies: vec![],
        });
        assert_eq!(exit(&run, FailOn::Info), Exit::Findings);
        assert_eq!(exit(&run, FailOn::Warn), Exit::Findings);
        assert_eq!(exit(&run, FailOn::Error), Exit::Fine);
        assert_eq!(exit(&run, FailOn::Never), Exit::Fine);
    }
}
