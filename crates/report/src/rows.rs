//! Which rows of a run belong in which table, in the order in which the run holds them.

use toll_model::{Measurement, Path, Run, Shape};

/// A clock as a table names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock<'a> {
    /// `CLOCK_MONOTONIC`, `gettimeofday`.
    pub(crate) operation: &'a str,
    /// Only where one run holds several.
    pub(crate) clocksource: Option<&'a str>,
}

impl Clock<'_> {
    /// `CLOCK_MONOTONIC`, or `CLOCK_MONOTONIC@xen`.
    pub(crate) fn name(&self) -> String {
        match self.clocksource {
            Some(source) => format!("{}@{source}", self.operation),
            None => self.operation.to_owned(),
        }
    }
}

/// The paths by which the kernel's clocks are asked.
pub(crate) const KERNEL_PATHS: [Path; 3] = [Path::Vdso, Path::Libc, Path::Syscall];

/// Native rows of the toll `clock`.
pub(crate) fn native_clocks(run: &Run) -> impl Iterator<Item = &Measurement> {
    run.measurements.iter().filter(|m| m.subject.toll == "clock" && m.subject.runtime == "native")
}

/// Rows of Java runtimes.
pub(crate) fn java(run: &Run) -> impl Iterator<Item = &Measurement> {
    run.measurements
        .iter()
        .filter(|m| m.subject.toll == "clock" && m.subject.runtime.starts_with("java"))
}

/// The kernel's clocks of which the run holds a row with a shape that `fits`.
pub(crate) fn kernel_clocks(run: &Run, fits: impl Fn(Shape) -> bool) -> Vec<Clock<'_>> {
    let mut clocks = Vec::new();
    for row in native_clocks(run) {
        let subject = &row.subject;
        if !KERNEL_PATHS.contains(&subject.path) || !fits(subject.shape) {
            continue;
        }
        let clock =
            Clock { operation: &subject.operation, clocksource: subject.clocksource.as_deref() };
        if !clocks.contains(&clock) {
            clocks.push(clock);
        }
    }
    clocks
}

/// The row of one clock by one path.
pub(crate) fn of<'a>(
    run: &'a Run,
    clock: Clock<'_>,
    path: Path,
    shape: Shape,
) -> Option<&'a Measurement> {
    native_clocks(run).find(|m| {
        let s = &m.subject;
        s.operation == clock.operation
            && s.path == path
            && s.shape == shape
            && s.clocksource.as_deref() == clock.clocksource
    })
}

/// Idle rows that no kernel clock's table holds: counters, the twin, the empty system call, the
/// engine's own loops.
pub(crate) fn references(run: &Run) -> impl Iterator<Item = &Measurement> {
    run.measurements.iter().filter(|m| {
        let s = &m.subject;
        let counter = s.toll == "clock"
            && matches!(s.path, Path::User | Path::UserOrdered | Path::Twin | Path::Cached);
        let other = matches!(s.toll.as_str(), "crossing" | "engine");
        s.runtime == "native" && s.shape == Shape::ONE && (counter || other)
    })
}

/// The numbers of misses in flight that the run holds, ascending.
pub(crate) fn misses(run: &Run) -> Vec<u32> {
    let mut counts: Vec<u32> = run
        .measurements
        .iter()
        .filter_map(|m| match m.subject.shape {
            Shape::Misses(k) => Some(k),
            _ => None,
        })
        .collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}
