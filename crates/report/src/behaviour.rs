//! How clocks behave besides their price: single readings, steps, order between CPUs.

use crate::figure::{NOTHING, grouped};
use crate::names;
use crate::table::{Align, Grid};
use crate::text::paragraph;
use crate::view::View;
use toll_model::probe::{Bin, LatencyOutcome, OffsetOutcome, StepsOutcome, WarpOutcome};
use toll_model::{Nanos, Path, Run};

/// The three tables, as far as they were asked for.
pub(crate) fn render(run: &Run, view: &View) -> String {
    let parts = [latencies(run, view), steps(run, view), order(run, view)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A time with its unit, so that 20 ns and 3 ms can stand in one column.
fn time(ns: f64) -> String {
    Nanos(ns).to_string()
}

fn latencies(run: &Run, view: &View) -> String {
    let columns = ["p50", "p99", "p99.9", "longest", "readings"].map(|name| (name, Align::Right));
    let mut grid = Grid::new(
        run,
        "Single readings, the stopwatch's own median taken off",
        &[&[("clock", Align::Left), ("path", Align::Left)], &columns[..]].concat(),
    );
    let mut reasons = Vec::new();
    for row in &run.probes.latencies {
        let path = match row.path {
            Path::User => "unordered",
            Path::UserOrdered => "ordered",
            other => names::path(other),
        };
        let name = vec![row.clock.clone(), path.into()];
        match row.outcome.known() {
            Some(seen) => grid.row([name, latency(seen)].concat()),
            None => reasons.push(reason(&row.clock, row.outcome.reason())),
        }
    }
    with_reasons(&grid, reasons, view)
}

fn latency(seen: &LatencyOutcome) -> Vec<String> {
    let some = |value: Option<f64>| value.map_or(NOTHING.into(), time);
    vec![
        time(seen.p50_ns),
        some(seen.p99_ns),
        some(seen.p999_ns),
        time(seen.max_ns),
        grouped(seen.readings),
    ]
}

fn steps(run: &Run, view: &View) -> String {
    // `check` looks at steps too, in short and without a distribution.
    let full = |seen: &StepsOutcome| !seen.distribution.is_empty();
    let rows: Vec<_> =
        run.probes.steps.iter().filter(|s| s.outcome.known().is_none_or(full)).collect();
    let columns = ["smallest", "median", "largest", "zero", "backward", "getres", "readings"];
    let mut grid = Grid::new(
        run,
        "Steps between successive readings of one thread",
        &[&[("clock", Align::Left)], &columns.map(|name| (name, Align::Right))[..]].concat(),
    );
    let mut reasons = Vec::new();
    for row in &rows {
        let Some(seen) = row.outcome.known() else {
            reasons.push(reason(&row.clock, row.outcome.reason()));
            continue;
        };
        let some = |value: Option<f64>| value.map_or(NOTHING.into(), time);
        let largest = seen.distribution.last().map(|bin| bin.to_ns - 1.0);
        let zero = match seen.readings {
            0 => NOTHING.into(),
            all => format!("{:.1}%", 100.0 * seen.zero as f64 / all as f64),
        };
        grid.row(vec![
            row.clock.clone(),
            some(seen.smallest_ns),
            some(seen.median_ns),
            largest.map_or(NOTHING.into(), |ns| format!("<{}", time(ns + 1.0))),
            zero,
            grouped(seen.backward),
            some(seen.getres_ns),
            grouped(seen.readings),
        ]);
    }
    let mut out = with_reasons(&grid, reasons, view);
    if view.verbose {
        for row in &rows {
            if let Some(seen) = row.outcome.known() {
                out.push_str(&distribution(run, &row.clock, &seen.distribution, view));
            }
        }
    }
    out
}

/// The ranges that hold a thousandth of all steps or more, with bars.
fn distribution(run: &Run, clock: &str, bins: &[Bin], view: &View) -> String {
    const BAR: f64 = 40.0;
    let all: u64 = bins.iter().map(|bin| bin.count).sum();
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(0);
    let mut grid = Grid::new(
        run,
        format!("\n{clock}: steps by size"),
        &[("from", Align::Right), ("to", Align::Right), ("part", Align::Right), ("", Align::Left)],
    );
    for bin in bins.iter().filter(|bin| bin.count * 1000 >= all) {
        let bar = (bin.count as f64 / most as f64 * BAR).round() as usize;
        grid.row(vec![
            time(bin.from_ns),
            time(bin.to_ns),
            format!("{:.1}%", 100.0 * bin.count as f64 / all as f64),
            "█".repeat(bar.max(1)),
        ]);
    }
    grid.render(view)
}

fn order(run: &Run, view: &View) -> String {
    let full = |seen: &OffsetOutcome| seen.fenced.is_some();
    let rows: Vec<_> =
        run.probes.core_offsets.iter().filter(|o| o.outcome.known().is_none_or(full)).collect();
    let columns = ["offset within", "round trip", "fenced warps", "unfenced warps", "worst"];
    let mut grid = Grid::new(
        run,
        "Whether CPUs agree: the counter read in turn on both, every pair",
        &[&[("CPUs", Align::Left)], &columns.map(|name| (name, Align::Right))[..]].concat(),
    );
    let mut reasons = Vec::new();
    for row in &rows {
        let cpus = format!("{} {}", row.cpus[0], row.cpus[1]);
        let Some(seen) = row.outcome.known() else {
            reasons.push(reason(&format!("CPUs {cpus}"), row.outcome.reason()));
            continue;
        };
        let [lo, hi] = seen.bound_ns;
        let warps = |warp: Option<WarpOutcome>| {
            warp.map_or(NOTHING.into(), |w| {
                format!("{} of {}", grouped(w.backward), grouped(w.readings))
            })
        };
        let worst = [seen.fenced, seen.unfenced].into_iter().flatten().map(|w| w.worst_ns);
        let worst = worst.fold(seen.worst_backward_ns, f64::max);
        grid.row(vec![
            cpus,
            format!("{lo:+.0} to {hi:+.0} ns"),
            time(seen.round_trip_ns),
            warps(seen.fenced),
            warps(seen.unfenced),
            if worst > 0.0 { time(worst) } else { "none".into() },
        ]);
    }
    let mut out = with_reasons(&grid, reasons, view);
    if !out.is_empty() && !view.quiet {
        let note = "A fenced warp means that the counters disagree. An unfenced one is the CPU reading \
                    ahead: only ordered readings never run backwards between threads. The bound is \
                    what causality leaves open; it is never zero.";
        out.push_str(&paragraph(2, note, view.width));
    }
    out
}

fn reason(what: &str, why: Option<&str>) -> String {
    format!("{what}: {}", why.unwrap_or("no reason was recorded"))
}

fn with_reasons(grid: &Grid, reasons: Vec<String>, view: &View) -> String {
    let mut out = if grid.is_empty() { String::new() } else { grid.render(view) };
    for reason in reasons {
        out.push_str(&paragraph(2, &format!("{NOTHING} {reason}"), view.width));
    }
    out
}
