//! A finding as a cause chain: mark and summary, because, because, what to try.

use crate::text::wrap;
use crate::view::{Styles, View, paint};
use anstyle::Style;
use toll_model::{Finding, Level, Remedy};

/// All findings, in the run's order, an empty line after each.
pub(crate) fn render(findings: &[Finding], view: &View) -> String {
    findings.iter().map(|finding| one(finding, view) + "\n").collect()
}

/// The mark of a level and its colour.
pub(crate) fn mark(level: Level, styles: &Styles) -> (&'static str, Style) {
    match level {
        Level::Error => ("✗", styles.bad),
        Level::Warn => ("!", styles.warn),
        Level::Info => ("i", styles.info),
    }
}

fn one(finding: &Finding, view: &View) -> String {
    let (mark, style) = mark(finding.level, &view.styles);
    let first = format!("{} ", paint(style, mark));
    let summary = wrap("", "", 2, &finding.summary, view.width);
    let mut out = String::new();
    for (n, line) in summary.lines().enumerate() {
        out.push_str(if n == 0 { &first } else { "  " });
        out.push_str(&paint(view.styles.strong, line));
        out.push('\n');
    }
    out.push_str(&format!("  {}\n", paint(view.styles.faint, &finding.id)));
    for (depth, link) in finding.because.iter().enumerate() {
        // Past the sixth link the text would have no room left.
        let indent = 4 + 2 * depth.min(5);
        let pad = " ".repeat(indent);
        let first = format!("{pad}{} ", paint(view.styles.faint, "because"));
        out.push_str(&wrap(&first, &" ".repeat(indent + 8), indent + 8, link, view.width));
    }
    if view.verbose {
        for fact in &finding.evidence {
            out.push_str(&field("evidence", fact, view));
        }
    }
    for remedy in &finding.remedies {
        out.push_str(&remedy_lines(remedy, view));
    }
    out
}

// A command is on a line of its own and never broken: it is there to be copied.
fn remedy_lines(remedy: &Remedy, view: &View) -> String {
    let Remedy { command, gain, risk } = remedy;
    let mut out = format!(
        "    {}  {}\n",
        paint(view.styles.faint, &format!("{:<8}", "try")),
        paint(view.styles.command, command)
    );
    out.push_str(&field("gain", gain, view));
    out.push_str(&field("risk", risk, view));
    out
}

fn field(name: &str, text: &str, view: &View) -> String {
    let first = format!("    {}  ", paint(view.styles.faint, &format!("{name:<8}")));
    wrap(&first, &" ".repeat(14), 14, text, view.width)
}
