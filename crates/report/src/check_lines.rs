//! One line for each check without findings, and the tally.

use crate::text::{count, one_line, wrap};
use crate::view::{View, paint};
use toll_model::{CheckStatus, Level, Run};

/// First what is in order, then what could not be judged and why. An all-clear is cut to one line
/// unless `verbose`; a reason never is.
pub(crate) fn render(run: &Run, view: &View) -> String {
    let mut out = String::new();
    for (status, mark, style) in [
        (CheckStatus::Ok, "✓", view.styles.good),
        (CheckStatus::Unavailable, "–", view.styles.faint),
    ] {
        for check in run.checks.iter().filter(|check| check.status == status) {
            let first = format!("{} ", paint(style, mark));
            let text = format!("{}: {}", check.id, check.summary);
            let text = match check.status {
                CheckStatus::Ok if !view.verbose => one_line(&text, view.width.saturating_sub(2)),
                _ => text,
            };
            out.push_str(&wrap(&first, "  ", 2, &text, view.width));
        }
    }
    out
}

/// `1 error, 2 warnings; 6 checks in order; 2 checks could not be judged`; empty where no check ran.
pub(crate) fn tally(run: &Run) -> String {
    if run.checks.is_empty() {
        return String::new();
    }
    let of_level = |level| run.findings.iter().filter(|f| f.level == level).count();
    let of_status = |status| run.checks.iter().filter(|c| c.status == status).count();
    let mut found = Vec::new();
    for (level, one, many) in [
        (Level::Error, "error", "errors"),
        (Level::Warn, "warning", "warnings"),
        (Level::Info, "remark", "remarks"),
    ] {
        match of_level(level) {
            0 => {}
            n => found.push(count(n, one, many)),
        }
    }
    if found.is_empty() {
        found.push("no findings".into());
    }
    let mut text = found.join(", ");
    match of_status(CheckStatus::Ok) {
        0 => {}
        n => text.push_str(&format!("; {} in order", count(n, "check", "checks"))),
    }
    match of_status(CheckStatus::Unavailable) {
        0 => {}
        n => text.push_str(&format!("; {} could not be judged", count(n, "check", "checks"))),
    }
    text
}
