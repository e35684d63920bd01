//! Every recorded or composed machine, with its `costs.json`, against its `expected.json`: those
//! that all crates share, and a few in `tests/machines` for what none of them shows.
//!
//! `expected.json` is `{"findings": [{"id", "level", "summary_contains", "because_contains",
//! "try_contains", "try_lacks"}], "ok": [ids], "unavailable": [ids]}`. Each check must be named in
//! exactly one way, so that a new check fails here until every machine says what it expects of it.

use crate::support::{run_from, text};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use toll_findings::{checks, evaluate};
use toll_model::{CheckStatus, Finding, Level, Run};
use toll_testing::fixture_hosts;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    findings: Vec<ExpectedFinding>,
    ok: Vec<String>,
    unavailable: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFinding {
    id: String,
    level: Level,
    #[serde(default)]
    summary_contains: Vec<String>,
    #[serde(default)]
    because_contains: Vec<String>,
    #[serde(default)]
    try_contains: Vec<String>,
    #[serde(default)]
    try_lacks: Vec<String>,
}

/// All machines.
fn machines() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines");
    let own = std::fs::read_dir(own).expect("tests/machines").flatten().map(|entry| entry.path());
    let mut machines: Vec<_> = fixture_hosts().into_iter().chain(own).collect();
    machines.sort();
    machines
}

fn judged(folder: &Path) -> Run {
    let host = toll_host::read(&toll_host::Roots::fixture(folder));
    let mut run = run_from(folder, host);
    evaluate(&mut run, &[]).expect("all checks exist");
    run
}

fn expected(folder: &Path) -> Expected {
    let path = folder.join("expected.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The ways in which `run` differs from what is expected of it.
fn differences(run: &Run, expected: &Expected) -> Vec<String> {
    let mut wrong = Vec::new();
    for check in checks() {
        let id = check.id();
        let listed = [
            (CheckStatus::Found, expected.findings.iter().any(|f| f.id == id)),
            (CheckStatus::Ok, expected.ok.iter().any(|ok| ok == id)),
            (CheckStatus::Unavailable, expected.unavailable.iter().any(|u| u == id)),
        ];
        let ways: Vec<_> = listed.iter().filter(|(_, listed)| *listed).map(|(s, _)| *s).collect();
        let came_to = run.checks.iter().find(|c| c.id == id).map(|c| (c.status, &c.summary));
        match (ways.as_slice(), came_to) {
            ([way], Some((status, _))) if *way == status => {}
            ([way], Some((status, summary))) => {
                wrong.push(format!("{id}: expected {way:?}, came to {status:?}: {summary}"));
            }
            (ways, _) => wrong.push(format!("{id}: listed in {} ways, must be in one", ways.len())),
        }
    }
    for finding in &run.findings {
        if !expected.findings.iter().any(|e| fits(e, finding)) {
            wrong.push(format!(
                "{} ({}): not expected so: {}",
                finding.id, finding.level, finding.summary
            ));
        }
    }
    for e in &expected.findings {
        if !run.findings.iter().any(|finding| fits(e, finding)) {
            wrong.push(format!("{} ({}): expected and not found so", e.id, e.level));
        }
    }
    wrong
}

/// Whether `finding` is what is expected.
fn fits(expected: &ExpectedFinding, finding: &Finding) -> bool {
    let because = finding.because.join("\n");
    let commands: Vec<_> = finding.remedies.iter().map(|r| r.command.as_str()).collect();
    let commands = commands.join("\n");
    let all = |parts: &[String], text: &str| parts.iter().all(|part| text.contains(part.as_str()));
    expected.id == finding.id
        && expected.level == finding.level
        && all(&expected.summary_contains, &finding.summary)
        && all(&expected.because_contains, &because)
        && all(&expected.try_contains, &commands)
        && !expected.try_lacks.iter().any(|part| commands.contains(part.as_str()))
}

#[test]
fn every_machine_comes_out_as_expected() {
    let mut wrong = Vec::new();
    for folder in machines() {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let run = judged(&folder);
        let found = differences(&run, &expected(&folder));
        wrong.extend(found.iter().map(|difference| format!("{name}: {difference}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_check_is_proved_to_find_something_by_some_machine() {
    let all: Vec<_> = machines().iter().map(|folder| expected(folder)).collect();
    for check in checks() {
        let found = all.iter().flat_map(|e| &e.findings).any(|f| f.id == check.id());
        assert!(found, "no machine makes {} find anything", check.id());
    }
}

#[test]
fn what_is_said_of_every_machine() {
    for folder in machines() {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, text(&judged(&folder)));
        });
    }
}
