//! Runs the checks over a run and writes down what they came to.

use crate::check::{Check, Outcome};
use crate::checks::checks;
use toll_model::names::distance;
use toll_model::{CheckResult, CheckStatus, Run};

/// A check was named that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no check is called {name:?}; the nearest are {}", .nearest.join(", "))]
pub struct UnknownCheck {
    /// The name as given.
    pub name: String,
    /// Ids that look like it, most alike first.
    pub nearest: Vec<&'static str>,
}

/// Runs the checks named in `only`, or all of them if it is empty, and replaces `run.checks` and
/// `run.findings` by what they came to: checks in their fixed order, findings worst first and
/// among equals in the order of their checks.
///
/// # Errors
/// [`UnknownCheck`] if `only` names none; the run is left as it was.
pub fn evaluate(run: &mut Run, only: &[String]) -> Result<(), UnknownCheck> {
    if let Some(name) = only.iter().find(|name| checks().iter().all(|c| c.id() != *name)) {
        return Err(UnknownCheck { name: name.clone(), nearest: nearest(name) });
    }
    let mut results = Vec::new();
    let mut findings = Vec::new();
    for check in checks().iter().filter(|c| only.is_empty() || only.iter().any(|o| o == c.id())) {
        let (status, summary, found) = judge(*check, run);
        results.push(CheckResult { id: check.id().into(), status, summary });
        findings.extend(found);
    }
    findings.sort_by_key(|f| std::cmp::Reverse(f.level));
    run.checks = results;
    run.findings = findings;
    Ok(())
}

/// One check's result, with its findings worst first and under the check's own id.
fn judge(check: &dyn Check, run: &Run) -> (CheckStatus, String, Vec<toll_model::Finding>) {
    match check.run(run) {
        Outcome::Ok(summary) => (CheckStatus::Ok, summary, Vec::new()),
        Outcome::Unavailable(why) => (CheckStatus::Unavailable, why, Vec::new()),
        Outcome::Found(mut found) => {
            found.sort_by_key(|f| std::cmp::Reverse(f.level));
            for finding in &mut found {
                finding.id = check.id().into();
            }
            match found.as_slice() {
                [] => (CheckStatus::Ok, "nothing found".into(), found),
                [one] => (CheckStatus::Found, one.summary.clone(), found),
                [worst, rest @ ..] => {
                    let summary = format!("{}; and {} more", worst.summary, rest.len());
                    (CheckStatus::Found, summary, found)
                }
            }
        }
    }
}

/// The three ids most like `name`.
fn nearest(name: &str) -> Vec<&'static str> {
    let mut ids: Vec<_> = checks().iter().map(|c| c.id()).collect();
    // A part of an id counts as near, so that `slow-clocksource` finds `clock.slow-clocksource`.
    ids.sort_by_key(|id| (!id.contains(name) || name.is_empty(), distance(id, name)));
    ids.truncate(3);
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use toll_model::{Host, Tool};

    #[test]
    fn an_unknown_check_names_its_nearest() {
        let mut run = Run::new(Tool::default(), Host::default());
        let error = evaluate(&mut run, &["clock.slow-clocksorce".into()]).unwrap_err();
        assert_eq!(error.nearest[0], "clock.slow-clocksource");
        let error = evaluate(&mut run, &["noise".into()]).unwrap_err();
        assert_eq!(error.nearest[0], "machine.noise");
        assert!(error.to_string().contains("\"noise\"") && run.checks.is_empty());
    }

    #[test]
    fn only_runs_what_was_named_and_in_fixed_order() {
        let mut run = Run::new(Tool::default(), Host::default());
        let only = ["machine.noise".to_owned(), "clock.tsc-evidence".to_owned()];
        evaluate(&mut run, &only).unwrap();
        let ids: Vec<_> = run.checks.iter().map(|c| c.id.as_str()).collect();
        assert_eq!(ids, ["clock.tsc-evidence", "machine.noise"]);
    }

    #[test]
    fn ids_are_unique_and_titles_are_one_line() {
        let mut ids: Vec<_> = checks().iter().map(|c| c.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 11);
        for check in checks() {
            let title = check.title();
            assert!(!title.is_empty() && title.len() <= 80 && !title.contains('\n'), "{title}");
        }
    }
}
