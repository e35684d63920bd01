//! The committed JSON schema is the one that the types generate, and it tells run files from others.

use serde_json::{Value, json};
use std::path::PathBuf;
use toll_model::host::{Clocksource, Host};
use toll_model::{
    CheckResult, CheckStatus, Fact, Finding, Level, Measurement, Path, Quality, Run, Shape,
    Subject, Tool, run,
};

/// Set to 1, it makes the first test write the schema instead of comparing it.
const UPDATE: &str = "TOLL_UPDATE_SCHEMA";

fn committed() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "schema", "toll-run-1.json"].iter().collect()
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let mut schema = run::json_schema();
    // The order of keys must not depend on which features other crates ask of serde_json.
    schema.sort_all_objects();
    let generated = serde_json::to_string_pretty(&schema).expect("a JSON value") + "\n";
    if std::env::var_os(UPDATE).is_some_and(|value| value == "1") {
        std::fs::write(committed(), &generated).expect("the schema's folder is there");
    }
    let found = std::fs::read_to_string(committed()).unwrap_or_default();
    assert!(
        found == generated,
        "crates/model/schema/toll-run-1.json is not the schema of the types any more.\n\
         If the change to the format is meant, write it again:\n    \
         {UPDATE}=1 cargo test -p toll-model"
    );
}

/// A run with every kind of row: priced, unavailable, found, checked, known and missing facts.
fn sample() -> Run {
    let tool = Tool {
        version: "0.1.0".into(),
        command: vec!["toll".into(), "check".into()],
        started: "2026-01-31T12:00:00Z".into(),
        duration_seconds: 3.2,
    };
    let clocksource = Clocksource { current: Fact::Known("tsc".into()), ..Clocksource::default() };
    let mut run = Run::new(tool, Host { clocksource, ..Host::default() });
    run.quality = Some(Quality { stopwatch: "tsc".into(), ..Quality::default() });
    let vdso = Subject::clock("CLOCK_MONOTONIC", Path::Vdso, Shape::ONE);
    run.measurements.push(Measurement {
        samples: vec![22.3, 22.4, 22.3],
        median: Some(22.3),
        ci95: Some([22.3, 22.4]),
        ..Measurement::empty(vdso)
    });
    let libc = Subject::clock("CLOCK_MONOTONIC", Path::Libc, Shape::Misses(4));
    run.measurements.push(Measurement::unavailable(libc, "no dynamic program to measure in"));
    run.findings.push(Finding {
        id: "clock.slow-clocksource".into(),
        level: Level::Info,
        summary: "26.2 ns, could be 22.3 ns".into(),
        because: vec!["the clocksource is kvm-clock".into()],
        evidence: Vec::new(),
        remedies: Vec::new(),
    });
    run.checks.push(CheckResult {
        id: "clock.slow-clocksource".into(),
        status: CheckStatus::Found,
        summary: "26.2 ns, could be 22.3 ns".into(),
    });
    run
}

fn json_of(run: &Run) -> Value {
    serde_json::from_str(&run.to_json()).expect("a run is JSON")
}

fn validator() -> jsonschema::Validator {
    // Not the committed file: another test may be writing it.
    jsonschema::validator_for(&run::json_schema()).expect("the schema is a schema")
}

#[test]
fn a_run_validates_and_reads_back() {
    let run = sample();
    let errors: Vec<String> =
        validator().iter_errors(&json_of(&run)).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(Run::from_json(&run.to_json()).expect("a whole run"), run);
}

/// Each change makes a run file into something else; schema and reader must both refuse it.
#[test]
fn what_is_no_run_does_not_validate() {
    let validator = validator();
    type Change = (&'static str, fn(&mut Value));
    let changes: [Change; 10] = [
        ("another version", |run| run["schema"] = json!("toll-run/2")),
        ("no host", |run| drop(run.as_object_mut().and_then(|run| run.remove("host")))),
        ("a row without a subject", |run| {
            drop(run["measurements"][0].as_object_mut().and_then(|row| row.remove("subject")));
        }),
        ("a median in words", |run| run["measurements"][0]["median"] = json!("22 ns")),
        ("samples that are no list", |run| run["measurements"][0]["samples"] = json!(22.3)),
        ("an interval of three", |run| run["measurements"][0]["ci95"] = json!([1.0, 2.0, 3.0])),
        ("an unknown path", |run| run["measurements"][0]["subject"]["path"] = json!("magic")),
        ("an unknown level", |run| run["findings"][0]["level"] = json!("fatal")),
        ("a fact of the wrong kind", |run| run["host"]["clocksource"]["current"] = json!(7)),
        ("a list", |run| *run = json!([])),
    ];
    for (name, change) in changes {
        let mut run = json_of(&sample());
        change(&mut run);
        assert!(!validator.is_valid(&run), "validates with {name}");
        assert!(Run::from_json(&run.to_string()).is_err(), "reads with {name}");
    }
}

/// Rules between the fields of a row, which only the reader can hold a run against.
#[test]
fn a_row_that_contradicts_itself_is_refused() {
    type Change = (&'static str, fn(&mut Run));
    let changes: [Change; 5] = [
        ("occurs twice", |run| run.measurements.push(run.measurements[0].clone())),
        ("not that of its subject", |run| run.measurements[0].id = "clock/x".into()),
        ("needs either a median or the reason", |run| run.measurements[0].median = None),
        ("needs either a median or the reason", |run| {
            run.measurements[0].unavailable = Some("both".into());
        }),
        ("upside down", |run| run.measurements[0].ci95 = Some([23.0, 22.0])),
    ];
    for (words, change) in changes {
        let mut run = sample();
        change(&mut run);
        let error = Run::from_json(&run.to_json()).expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
}
