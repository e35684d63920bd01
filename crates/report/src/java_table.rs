//! What Java's clocks cost, one group of rows a runtime.

use crate::figure::{NOTHING, short};
use crate::footnotes::Footnotes;
use crate::idle_table::{detail, detail_columns};
use crate::rows;
use crate::table::{Align, Grid};
use crate::view::View;
use toll_model::Run;

/// For the short view: one line a runtime, and one for each clock that is missing.
pub(crate) fn lines(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    for runtime in runtimes(run) {
        let mut figures = Vec::new();
        let mut reasons: Vec<&str> = Vec::new();
        for row in rows::java(run).filter(|m| m.subject.runtime == runtime) {
            match row.median {
                Some(ns) => figures.push(format!("{} {}", row.subject.operation, short(ns))),
                None => {
                    figures.push(format!("{} {NOTHING}", row.subject.operation));
                    let why = row.unavailable.as_deref().unwrap_or("no figure was taken");
                    if !reasons.contains(&why) {
                        reasons.push(why);
                    }
                }
            }
        }
        let mut line = format!("{runtime}: {}", figures.join(" · "));
        if !reasons.is_empty() {
            line.push_str(&format!(" ({})", reasons.join("; ")));
        }
        lines.push(line);
    }
    lines
}

/// For the full view.
pub(crate) fn table(run: &Run, view: &View) -> String {
    let mut columns = vec![("runtime", Align::Left), ("clock", Align::Left)];
    columns.extend(detail_columns(view));
    let mut grid = Grid::new(run, "Java, ns per call", &columns);
    let mut reasons = Footnotes::default();
    for runtime in runtimes(run) {
        for (n, row) in rows::java(run).filter(|m| m.subject.runtime == runtime).enumerate() {
            let name = if n == 0 { runtime } else { "" };
            let mut cells = vec![name.to_owned(), row.subject.operation.clone()];
            cells.extend(detail(row, view, &mut reasons));
            grid.row(cells);
        }
    }
    if grid.is_empty() {
        return String::new();
    }
    format!("{}{}", grid.render(view), reasons.render(view))
}

fn runtimes(run: &Run) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows::java(run) {
        if !names.contains(&row.subject.runtime.as_str()) {
            names.push(&row.subject.runtime);
        }
    }
    names
}
