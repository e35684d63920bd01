//! The idle price of each clock by each path, with what is needed to distrust it.

use crate::figure::{NOTHING, grouped, half_width, long, signed};
use crate::footnotes::Footnotes;
use crate::names;
use crate::rows::{self, KERNEL_PATHS, of};
use crate::served;
use crate::table::{Align, Grid};
use crate::view::View;
use toll_model::{Measurement, Path, Run, Shape};

/// The columns of figures in every full table; see [`detail`].
pub(crate) fn detail_columns(view: &View) -> Vec<(&'static str, Align)> {
    let mut columns = vec![("median", Align::Right), ("±", Align::Right), ("min", Align::Right)];
    if view.verbose {
        columns.extend([("p99 of blocks", Align::Right), ("M calls/s", Align::Right)]);
    }
    columns.extend([("dropped", Align::Right), ("ended", Align::Left)]);
    columns
}

/// The table; empty where the run holds no idle price of a kernel clock.
pub(crate) fn render(run: &Run, view: &View) -> String {
    let mut columns = vec![("clock", Align::Left), ("path", Align::Left)];
    columns.extend(detail_columns(view));
    columns.extend([("over vDSO", Align::Right), ("served by", Align::Left)]);
    let title =
        "Idle: one thread, one call after another, ns per call (median ± half its 95% interval)";
    let mut grid = Grid::new(run, title, &columns);
    let mut reasons = Footnotes::default();
    for clock in rows::kernel_clocks(run, |shape| shape == Shape::ONE) {
        let mut first = true;
        for path in KERNEL_PATHS {
            let Some(row) = of(run, clock, path, Shape::ONE) else { continue };
            let name = if first { clock.name() } else { String::new() };
            let mut cells = vec![name, names::path(path).to_owned()];
            cells.extend(detail(row, view, &mut reasons));
            let over = match path {
                Path::Libc => of(run, clock, Path::LibcMinusVdso, Shape::ONE),
                Path::Syscall => of(run, clock, Path::SyscallMinusVdso, Shape::ONE),
                _ => None,
            };
            cells.push(over.map_or_else(String::new, |o| difference(o, &mut reasons)));
            cells.push(match (path, row.served_by) {
                (Path::Vdso, _) => served::cell(run, clock, &mut reasons),
                (_, Some(who)) => names::served_by(who).to_owned(),
                (_, None) => String::new(),
            });
            grid.row(cells);
            first = false;
        }
    }
    if grid.is_empty() {
        return String::new();
    }
    format!("{}{}", grid.render(view), reasons.render(view))
}

/// The cells under [`detail_columns`] for one row.
pub(crate) fn detail(row: &Measurement, view: &View, reasons: &mut Footnotes) -> Vec<String> {
    let Some(median) = row.median else {
        let why = row.unavailable.as_deref().unwrap_or("no figure was taken");
        let mut cells = vec![String::new(); detail_columns(view).len()];
        cells[0] = reasons.cell(why);
        return cells;
    };
    let figure = |value: Option<f64>| value.map_or_else(|| NOTHING.to_owned(), long);
    let mut cells = vec![long(median), figure(half_width(row)), figure(row.min)];
    if view.verbose {
        cells.push(figure(row.p99_of_blocks));
        cells.push(figure(row.calls_per_second.map(|rate| rate / 1e6)));
    }
    cells.push(grouped(row.discarded_blocks));
    cells.push(row.stopped.map_or_else(String::new, |why| names::stopped(why).to_owned()));
    cells
}

// `+209.7 ±0.4`, or the reason.
fn difference(row: &Measurement, reasons: &mut Footnotes) -> String {
    match (row.median, half_width(row)) {
        (Some(ns), Some(half)) => format!("{} ±{}", signed(ns), long(half)),
        (Some(ns), None) => signed(ns),
        (None, _) => reasons.cell(row.unavailable.as_deref().unwrap_or("no figure was taken")),
    }
}
