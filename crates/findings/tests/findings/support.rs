//! What the tests of this crate share: a run out of a fixture's `costs.json`, and runs built by
//! hand.
//!
//! `costs.json` is `{"source", "prices": {"<id>": ns or {"median", "ci95", "served_by"}},
//! "unavailable": {"<id>": "why"}, "probes": {…}}`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use toll_model::{
    CheckStatus, Fact, Finding, Host, Measurement, Probes, Run, ServedBy, Shape, Subject, Tool,
};

/// Ids that most tests price.
pub(crate) const REALTIME: &str = "clock/CLOCK_REALTIME/libc/native/t1";
pub(crate) const ADDED: &str = "clock/CLOCK_REALTIME/libc-vdso/native/t1";
pub(crate) const TWIN: &str = "clock/CLOCK_MONOTONIC/twin/native/t1";
pub(crate) const GETPPID: &str = "crossing/getppid/syscall/native/t1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Costs {
    source: String,
    prices: BTreeMap<String, Figure>,
    #[serde(default)]
    unavailable: BTreeMap<String, String>,
    #[serde(default)]
    probes: Probes,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Figure {
    Median(f64),
    Row { median: f64, ci95: Option<[f64; 2]>, served_by: Option<ServedBy> },
}

/// A run on `host` with what `costs.json` in `folder` holds.
pub(crate) fn run_from(folder: &Path, host: Host) -> Run {
    let path = folder.join("costs.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let costs: Costs =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(!costs.source.is_empty(), "{}: figures need a source", path.display());
    let mut run = Run::new(Tool::default(), host);
    for (id, figure) in costs.prices {
        let mut row = Measurement::empty(subject(&id));
        match figure {
            Figure::Median(ns) => row.median = Some(ns),
            Figure::Row { median, ci95, served_by } => {
                row.median = Some(median);
                row.ci95 = ci95;
                row.served_by = served_by;
            }
        }
        run.measurements.push(row);
    }
    for (id, why) in costs.unavailable {
        run.measurements.push(Measurement::unavailable(subject(&id), why));
    }
    run.probes = costs.probes;
    run.validate().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    run
}

/// The subject that an id names.
pub(crate) fn subject(id: &str) -> Subject {
    let parts: Vec<_> = id.split('/').collect();
    let [toll, operation, path, runtime, shape] = parts[..] else {
        panic!("{id}: an id has five parts")
    };
    let path = serde_json::from_value(path.into()).unwrap_or_else(|e| panic!("{id}: {e}"));
    let (kind, number) = shape.split_at(1);
    let number = number.parse().unwrap_or_else(|e| panic!("{id}: {e}"));
    let shape = match kind {
        "t" => Shape::Threads(number),
        "k" => Shape::Misses(number),
        other => panic!("{id}: shape {other}"),
    };
    let runtime = runtime.into();
    Subject { runtime, ..Subject::native(toll, operation, path, shape) }
}

/// A run with these prices, ns.
pub(crate) fn run_with(host: Host, prices: &[(&str, f64)]) -> Run {
    let mut run = Run::new(Tool::default(), host);
    for (id, ns) in prices {
        let row = Measurement { median: Some(*ns), ..Measurement::empty(subject(id)) };
        run.measurements.push(row);
    }
    run
}

/// Runs one check over `run` and gives its findings.
pub(crate) fn only(run: &mut Run, check: &str) -> Vec<Finding> {
    toll_findings::evaluate(run, &[check.to_owned()]).expect("the check exists");
    run.findings.clone()
}

/// The findings of a run as text, for a person to review.
pub(crate) fn text(run: &Run) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for finding in &run.findings {
        let _ = writeln!(out, "{}: {}\n    {}", finding.level, finding.id, finding.summary);
        for link in &finding.because {
            let _ = writeln!(out, "    because {link}");
        }
        for line in &finding.evidence {
            let _ = writeln!(out, "    * {line}");
        }
        for remedy in &finding.remedies {
            let _ = writeln!(out, "    try {}", remedy.command);
            let _ = writeln!(out, "        gain: {}", remedy.gain);
            let _ = writeln!(out, "        risk: {}", remedy.risk);
        }
        out.push('\n');
    }
    for check in &run.checks {
        if check.status != CheckStatus::Found {
            let status = match check.status {
                CheckStatus::Ok => "ok",
                _ => "unavailable",
            };
            let _ = writeln!(out, "{status}: {}\n    {}", check.id, check.summary);
        }
    }
    out
}

/// A host whose clocksource is `current` among `available`.
pub(crate) fn host(current: &str, available: &[&str]) -> Host {
    let mut host = Host::default();
    host.clocksource.current = Fact::Known(current.into());
    host.clocksource.available = Fact::Known(available.iter().map(|n| (*n).into()).collect());
    host.clocksource.requested = Fact::Known(None);
    host.clocksource.demotion = Fact::Known(None);
    host
}

/// A run on `host` with `CLOCK_REALTIME` at `now` and, under the TSC, at `twin`.
pub(crate) fn priced(host: Host, now: f64, twin: f64) -> Run {
    run_with(host, &[(REALTIME, now), (ADDED, 1.0), (TWIN, twin - 1.0)])
}

/// Every command that the findings tell to try.
pub(crate) fn commands(findings: &[Finding]) -> String {
    let all = findings.iter().flat_map(|f| &f.remedies).map(|r| r.command.as_str());
    all.collect::<Vec<_>>().join("\n")
}

/// What the first check came to.
pub(crate) fn status(run: &Run) -> (CheckStatus, &str) {
    (run.checks[0].status, run.checks[0].summary.as_str())
}
