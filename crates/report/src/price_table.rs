//! The short table of `toll check`: what each clock costs here, and who serves it.

use crate::counters;
use crate::figure::short;
use crate::footnotes::Footnotes;
use crate::rows::{self, Clock, KERNEL_PATHS, of};
use crate::table::{Align, Grid};
use crate::text::paragraph;
use crate::view::View;
use crate::{java_table, served};
use toll_model::{Measurement, Run, Shape};

/// The misses in flight that stand for a program bound by memory.
const AMONG: Shape = Shape::Misses(4);

/// The table with the reference figures under it; empty where the run holds no price.
pub(crate) fn render(run: &Run, view: &View) -> String {
    let clocks = rows::kernel_clocks(run, |shape| shape == Shape::ONE);
    let mut out = String::new();
    if !clocks.is_empty() {
        out.push_str(&table(run, &clocks, view));
    }
    for line in counters::lines(run).into_iter().chain(java_table::lines(run)) {
        out.push_str(&paragraph(2, &line, view.width));
    }
    out
}

fn table(run: &Run, clocks: &[Clock<'_>], view: &View) -> String {
    let in_situ = rows::kernel_clocks(run, |shape| shape == AMONG);
    let mut columns = vec![
        ("clock", Align::Left),
        ("vDSO", Align::Right),
        ("libc", Align::Right),
        ("syscall", Align::Right),
    ];
    if !in_situ.is_empty() {
        columns.push(("in situ", Align::Right));
    }
    columns.push(("served by", Align::Left));
    let mut grid = Grid::new(run, "What reading a clock costs here, ns per call", &columns);
    let mut reasons = Footnotes::default();
    for &clock in clocks {
        let mut cells = vec![clock.name()];
        for path in KERNEL_PATHS {
            cells.push(price(of(run, clock, path, Shape::ONE), &mut reasons));
        }
        if !in_situ.is_empty() {
            let row = KERNEL_PATHS.into_iter().find_map(|path| of(run, clock, path, AMONG));
            cells.push(price(row, &mut reasons));
        }
        cells.push(served::cell(run, clock, &mut reasons));
        grid.row(cells);
    }
    let mut out = grid.render(view);
    out.push_str(&reasons.render(view));
    if !in_situ.is_empty() {
        let mut what = "vDSO, libc, syscall: median of an idle loop, the least a call can cost; \
                        in situ: the same call among 4 cache misses in flight."
            .to_owned();
        if out.contains('<') {
            what.push_str(" <: not told apart from nothing, at most this.");
        }
        out.push_str(&paragraph(2, &what, view.width));
    }
    out
}

// A row that nobody asked for is an empty cell; one that could not be measured has its reason.
fn price(row: Option<&Measurement>, reasons: &mut Footnotes) -> String {
    match row {
        None => String::new(),
        // A call costs something: what comes out as nothing or less is only a bound.
        Some(Measurement { median: Some(_), ci95: Some([lo, hi]), .. })
            if *lo <= 0.0 && *hi > 0.0 =>
        {
            format!("<{}", short(*hi))
        }
        Some(Measurement { median: Some(ns), .. }) => short(*ns),
        Some(row) => reasons.cell(row.unavailable.as_deref().unwrap_or("no figure was taken")),
    }
}
