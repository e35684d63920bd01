//! Figures to hold the clocks against: the bare counter, the twin, the empty system call.

use crate::figure::{NOTHING, short};
use crate::footnotes::Footnotes;
use crate::idle_table::{detail, detail_columns};
use crate::names;
use crate::rows;
use crate::table::{Align, Grid};
use crate::view::View;
use toll_model::{Path, Run};

/// For the short view: `rdtsc 9.54 · lfence;rdtsc 18.8 · …`, and a line for each that is missing.
pub(crate) fn lines(run: &Run) -> Vec<String> {
    let mut figures = Vec::new();
    let mut missing = Vec::new();
    for row in rows::references(run).filter(|row| row.subject.toll != "engine") {
        let name = names::reference(row);
        match (row.median, &row.unavailable) {
            (Some(ns), _) => figures.push(format!("{name} {}", short(ns))),
            (None, why) => {
                missing.push(format!("{name} {NOTHING}: {}", why.as_deref().unwrap_or_default()));
            }
        }
    }
    if !figures.is_empty() {
        missing.insert(0, format!("For comparison: {}", figures.join(" · ")));
    }
    missing
}

/// For the full view.
pub(crate) fn table(run: &Run, view: &View) -> String {
    let mut columns = vec![("read", Align::Left), ("order", Align::Left)];
    columns.extend(detail_columns(view));
    let mut grid = Grid::new(run, "For comparison, ns per call", &columns);
    let mut reasons = Footnotes::default();
    for row in rows::references(run) {
        let order = match row.subject.path {
            Path::User | Path::UserOrdered if row.subject.toll == "clock" => {
                names::path(row.subject.path)
            }
            _ => "",
        };
        let mut cells = vec![names::reference(row), order.to_owned()];
        cells.extend(detail(row, view, &mut reasons));
        grid.row(cells);
    }
    if grid.is_empty() {
        return String::new();
    }
    format!("{}{}", grid.render(view), reasons.render(view))
}
