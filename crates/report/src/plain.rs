//! `--plain`: one table with tabs between the columns, stable for scripts.
//!
//! A line is a measurement, a check or a finding, as its first column says. Columns are only ever
//! added at the end. A column that does not apply is empty; `text` says why a figure is missing.

use toll_model::{CheckStatus, Run};

/// The names of the columns, as in the first line.
pub const COLUMNS: [&str; 17] = [
    "kind",
    "id",
    "status",
    "median",
    "ci95_low",
    "ci95_high",
    "min",
    "unit",
    "served_by",
    "toll",
    "operation",
    "path",
    "runtime",
    "shape",
    "discarded_blocks",
    "stopped",
    "text",
];

/// The header, then measurements, checks and findings in the run's order.
pub fn render(run: &Run) -> String {
    let mut out = line(COLUMNS.map(str::to_owned));
    for row in &run.measurements {
        let s = &row.subject;
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.3}"));
        out.push_str(&line([
            "measurement".into(),
            row.id.clone(),
            if row.median.is_some() { "ok".into() } else { "unavailable".into() },
            number(row.median),
            number(row.ci95.map(|[lo, _]| lo)),
            number(row.ci95.map(|[_, hi]| hi)),
            number(row.min),
            row.unit.clone(),
            row.served_by.map_or_else(String::new, word),
            s.toll.clone(),
            s.operation.clone(),
            s.path.word().into(),
            s.runtime.clone(),
            s.shape.to_string(),
            row.discarded_blocks.to_string(),
            row.stopped.map_or_else(String::new, word),
            row.unavailable.clone().unwrap_or_default(),
        ]));
    }
    for check in &run.checks {
        let status = match check.status {
            CheckStatus::Ok => "ok",
            CheckStatus::Found => "found",
            CheckStatus::Unavailable => "unavailable",
        };
        out.push_str(&judged("check", &check.id, status, &check.summary));
    }
    for finding in &run.findings {
        let level = finding.level.to_string();
        out.push_str(&judged("finding", &finding.id, &level, &finding.summary));
    }
    out
}

fn judged(kind: &str, id: &str, status: &str, text: &str) -> String {
    let mut cells: [String; COLUMNS.len()] = Default::default();
    cells[0] = kind.into();
    cells[1] = id.into();
    cells[2] = status.into();
    cells[COLUMNS.len() - 1] = text.into();
    line(cells)
}

fn line(cells: [String; COLUMNS.len()]) -> String {
    let clean = cells.map(|cell| cell.replace(['\t', '\n', '\r'], " "));
    clean.join("\t") + "\n"
}

// The word that the run file uses.
fn word<T: std::fmt::Debug>(value: T) -> String {
    format!("{value:?}").to_lowercase()
}
