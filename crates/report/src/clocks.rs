//! The view of `toll measure clocks`: every figure, and how far it can be trusted.

use crate::view::View;
use crate::{
    behaviour, counters, idle_table, in_situ_table, java_table, notes, quality, scaling_table,
};
use toll_model::Run;

/// The tables, each with the reasons for its gaps; then the notes and the measurement's quality.
pub fn render(run: &Run, view: &View) -> String {
    // One thread's tables, many's, or what was observed instead of prices: a run holds either.
    let other = [scaling_table::render(run, view), behaviour::render(run, view)];
    let mut parts = match other.iter().all(String::is_empty) {
        true => one_thread(run, view),
        false => other.to_vec(),
    };
    if !view.quiet {
        parts.push(notes::render(run, view));
        parts.push(quality::render(run, view));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn one_thread(run: &Run, view: &View) -> Vec<String> {
    vec![
        idle_table::render(run, view),
        counters::table(run, view),
        in_situ_table::render(run, view),
        java_table::table(run, view),
    ]
}
