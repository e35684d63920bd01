//! The notes on rows, each once, with the rows it is about.

use crate::text::{count, wrap};
use crate::view::{View, paint};
use toll_model::Run;

/// All notes of the run. Without `verbose`, a note that speaks of one row alone is left out.
pub(crate) fn render(run: &Run, view: &View) -> String {
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in &run.measurements {
        for note in &row.notes {
            match notes.iter_mut().find(|(known, _)| known == note) {
                Some((_, rows)) => rows.push(&row.id),
                None => notes.push((note, vec![&row.id])),
            }
        }
    }
    let mut out = String::new();
    for (note, rows) in notes {
        if rows.len() == 1 && !view.verbose {
            continue;
        }
        let about = match rows.as_slice() {
            [only] => (*only).to_owned(),
            many => count(many.len(), "row", "rows"),
        };
        out.push_str(&wrap("  ", "    ", 4, &format!("{note} ({about})"), view.width));
    }
    if out.is_empty() { out } else { format!("{}\n{out}", paint(view.styles.title, "Notes")) }
}
