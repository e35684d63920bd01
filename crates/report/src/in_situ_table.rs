//! The price of a call among cache misses: what it adds to the loop, and the fence's share apart.

use crate::figure::{half_width, long};
use crate::footnotes::Footnotes;
use crate::names;
use crate::rows::{self, Clock, KERNEL_PATHS, of};
use crate::table::{Align, Grid};
use crate::text::paragraph;
use crate::view::View;
use toll_model::{Measurement, Path, Run, Shape};

/// The table; empty where the run holds nothing in situ.
pub(crate) fn render(run: &Run, view: &View) -> String {
    let misses = rows::misses(run);
    if misses.is_empty() {
        return String::new();
    }
    let names: Vec<String> = misses.iter().map(|k| format!("K={k}")).collect();
    let mut columns = vec![("clock", Align::Left), ("path", Align::Left), ("idle", Align::Right)];
    columns.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
    let title = "In situ: what one call adds to a loop of K independent cache misses, ns per call";
    let mut grid = Grid::new(run, title, &columns);
    let mut reasons = Footnotes::default();
    let mut previous = None;
    for (clock, path) in subjects(run) {
        let row = |shape| of(run, clock, path, shape);
        let of_kernel = KERNEL_PATHS.contains(&path) || path == Path::Twin;
        let operation = if of_kernel { clock.name() } else { clock.name().replace('-', ";") };
        let again = previous.replace(clock) == Some(clock);
        let name = if again { String::new() } else { operation };
        let mut cells = vec![name, names::path(path).to_owned()];
        cells.push(idle(row(Shape::ONE)));
        cells.extend(misses.iter().map(|&k| cell(row(Shape::Misses(k)), &mut reasons)));
        grid.row(cells);
    }
    for (operation, path, name) in [
        ("lfence", Path::UserOrdered, "the fence alone"),
        ("isb", Path::UserOrdered, "the fence alone"),
        ("misses", Path::User, "the K misses, per round"),
        ("misses", Path::Libc, "… in the process of libc"),
    ] {
        let engine = |shape| {
            run.measurements.iter().find(|m| {
                let s = &m.subject;
                s.toll == "engine" && s.operation == operation && s.path == path && s.shape == shape
            })
        };
        if misses.iter().all(|&k| engine(Shape::Misses(k)).is_none()) {
            continue;
        }
        let mut cells = vec![name.to_owned(), String::new(), String::new()];
        cells.extend(misses.iter().map(|&k| cell(engine(Shape::Misses(k)), &mut reasons)));
        grid.row(cells);
    }
    let mut out = grid.render(view);
    out.push_str(&reasons.render(view));
    if view.quiet {
        return out;
    }
    let what = "A fenced read waits for the misses in flight: of its price, what \"the fence alone\" \
                costs is the waiting. Idle and in situ are the two ends of a bracket.";
    out.push_str(&paragraph(2, what, view.width));
    out
}

// Each clock and path with a row among misses, in the run's order.
fn subjects(run: &Run) -> Vec<(Clock<'_>, Path)> {
    let mut found = Vec::new();
    for row in rows::native_clocks(run) {
        let s = &row.subject;
        let clock = Clock { operation: &s.operation, clocksource: s.clocksource.as_deref() };
        if matches!(s.shape, Shape::Misses(_)) && !found.contains(&(clock, s.path)) {
            found.push((clock, s.path));
        }
    }
    found
}

// The idle price is told in full elsewhere, with its reason where there is none.
fn idle(row: Option<&Measurement>) -> String {
    row.and_then(|row| row.median).map_or_else(String::new, long)
}

fn cell(row: Option<&Measurement>, reasons: &mut Footnotes) -> String {
    let Some(row) = row else { return String::new() };
    let Some(median) = row.median else {
        return reasons.cell(row.unavailable.as_deref().unwrap_or("no figure was taken"));
    };
    match half_width(row) {
        Some(half) => format!("{} ±{}", long(median), long(half)),
        None => long(median),
    }
}
