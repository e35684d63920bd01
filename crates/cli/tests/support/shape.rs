//! The shape of output: what stays the same from machine to machine.
//!
//! Figures, names of hardware and verdicts differ; titles, columns, rows, checks and keys do not.
//! [`landmarks`] finds these, so that printed output can be held against another machine's.

use std::collections::BTreeSet;

/// The landmarks of one output.
pub(crate) fn landmarks(output: &str) -> BTreeSet<String> {
    output.lines().filter_map(|line| landmark(line.trim_end())).collect()
}

fn landmark(line: &str) -> Option<String> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    if text.is_empty() {
        return None;
    }
    if line.contains('\t') {
        return plain(line);
    }
    if let Some((key, _)) = text.strip_prefix('"').and_then(|rest| rest.split_once("\":")) {
        return Some(format!("key {key}"));
    }
    if let Some(check) = text.strip_prefix("✓ ").or_else(|| text.strip_prefix("– ")) {
        return check.split_once(':').map(|(id, _)| format!("check {id}"));
    }
    if indent == 2 && is_id(text) {
        return Some(format!("check {text}"));
    }
    if text.starts_with("Next: ") {
        return Some("next".into());
    }
    // A finding's own words, the tally, and what cannot be seen are the machine's.
    let own = ["✗ ", "! ", "i ", "no findings", "unseen ", "…", "..."];
    if own.iter().any(|start| text.starts_with(start)) || text.starts_with(char::is_numeric) {
        return None;
    }
    let cells: Vec<&str> =
        text.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    match (indent, cells.as_slice()) {
        (0 | 2, [first, rest @ ..]) if !rest.is_empty() => {
            if first.starts_with("java-") {
                return None;
            }
            let figure = |c: char| c.is_numeric() || c == '—';
            let header = indent == 2 && !rest.iter().any(|cell| cell.contains(figure));
            Some(if header {
                format!("columns {}", cells.join("|"))
            } else {
                format!("row {first}")
            })
        }
        (0, [only]) => {
            let end =
                only.find(|c: char| c.is_numeric() || ",:(".contains(c)).unwrap_or(only.len());
            Some(format!("line {}", only[..end].trim()))
        }
        _ => None,
    }
}

// `kind id` of a tab-separated line; the header as it is.
fn plain(line: &str) -> Option<String> {
    let fields: Vec<&str> = line.split('\t').collect();
    match fields.as_slice() {
        ["kind", ..] => Some(line.to_owned()),
        [_, id, ..] if id.contains("java-") => None,
        ["measurement", id, ..] => Some(format!("measurement {id}")),
        // Whether a check ends in a finding is the machine's.
        [_, id, ..] => Some(format!("check {id}")),
        _ => None,
    }
}

// `clock.slow-clocksource`.
fn is_id(text: &str) -> bool {
    let word =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    text.split_once('.').is_some_and(|(toll, name)| word(toll) && word(name))
}
