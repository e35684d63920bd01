//! The view of `toll measure clocks`: every figure, and how far it can be trusted.

use crate::view::View;
use crate::{counters, idle_table, in_situ_table, java_table, notes, quality};
use toll_model::Run;

/// The tables, each with the reasons for its gaps; then the notes and the measurement's quality.
pub fn render(run: &Run, view: &View) -> String {
    let mut parts = vec![
        idle_table::render(run, view),
        counters::table(run, view),
        in_situ_table::render(run, view),
        java_table::table(run, view),
    ];
    if !view.quiet {
        parts.push(notes::render(run, view));
        parts.push(quality::render(run, view));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}
