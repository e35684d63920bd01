//! The view of `toll check`: what clocks cost here, what is wrong with that, and why.
//!
//! The host's lines ([`crate::host_lines`]) come before it; they are printed before anything is
//! measured.

use crate::view::{View, paint};
use crate::{check_lines, findings, next, price_table, quality};
use toll_model::Run;

/// Prices, findings, the other checks, the tally and the next command.
///
/// `from` names the run file if the run was read from one (`-` for standard input).
pub fn render(run: &Run, view: &View, from: Option<&str>) -> String {
    let mut out = String::new();
    if !view.quiet {
        let prices = price_table::render(run, view);
        if !prices.is_empty() {
            out.push_str(&prices);
            if let Some(quality) = run.quality.as_ref().filter(|q| q.noisy || view.verbose) {
                out.push_str(&quality::warning(quality, view));
            }
            out.push('\n');
        }
    }
    out.push_str(&findings::render(&run.findings, view));
    if view.quiet {
        return out;
    }
    let lines = check_lines::render(run, view);
    if !lines.is_empty() {
        out.push_str(&lines);
        out.push('\n');
    }
    let tally = check_lines::tally(run);
    if !tally.is_empty() {
        out.push_str(&tally);
        out.push('\n');
    }
    let (command, why) = next::after_check(run, view, from);
    out.push_str(&format!("Next: {}   ({why})\n", paint(view.styles.command, &command)));
    out
}
