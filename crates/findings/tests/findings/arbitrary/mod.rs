//! Whatever a run holds, evaluating it never panics, keeps its promises on order, and never
//! recommends a TSC that the evidence forbids.

mod strategies;

use proptest::prelude::*;
use strategies::run;
use toll_findings::{checks, evaluate};
use toll_model::Run;

/// Whether the evidence settles the matter against the TSC, judged apart from the code under test.
fn forbidden(run: &Run) -> bool {
    let host = &run.host;
    host.tsc.forbidden().is_some()
        || host.clocksource.demotion.is_known_and(Option::is_some)
        || !host
            .clocksource
            .available
            .is_known_and(|names| names.iter().any(|name| name == "tsc" || name == "tsc-early"))
}

/// Whether a command puts the TSC in force, or takes its checks away.
fn recommends_tsc(command: &str) -> bool {
    command.contains("echo tsc")
        || command.contains("- tsc'")
        || command.contains("clocksource=tsc")
        || command.contains("tsc=reliable")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_run_can_be_judged(mut run in run()) {
        evaluate(&mut run, &[]).unwrap();
        let ids: Vec<_> = run.checks.iter().map(|c| c.id.as_str()).collect();
        let expected: Vec<_> = checks().iter().map(|c| c.id()).collect();
        prop_assert_eq!(ids, expected);
        prop_assert!(run.findings.is_sorted_by(|a, b| a.level >= b.level));
        for finding in &run.findings {
            prop_assert!(!finding.summary.is_empty() && !finding.evidence.iter().any(String::is_empty));
            let said = format!("{finding:?}");
            prop_assert!(!said.contains("NaN") && !said.contains("inf "), "{}", said);
        }
        for check in &run.checks {
            prop_assert!(!check.summary.is_empty(), "{}", check.id);
            let said = &check.summary;
            prop_assert!(!said.contains("NaN") && !said.contains("inf "), "{}", said);
        }
        if forbidden(&run) {
            for remedy in run.findings.iter().flat_map(|f| &f.remedies) {
                prop_assert!(!recommends_tsc(&remedy.command), "{}", remedy.command);
            }
        }
    }

    #[test]
    fn a_run_judged_twice_comes_out_the_same(mut run in run()) {
        evaluate(&mut run, &[]).unwrap();
        let (checks, findings) = (run.checks.clone(), run.findings.clone());
        evaluate(&mut run, &[]).unwrap();
        prop_assert_eq!(format!("{checks:?}"), format!("{:?}", run.checks));
        prop_assert_eq!(format!("{findings:?}"), format!("{:?}", run.findings));
    }
}
