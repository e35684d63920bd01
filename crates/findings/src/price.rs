//! Looks up what things cost in a run, and predicts what a clock would cost under the TSC.

use crate::words::figure;
use std::ops::RangeInclusive;
use toll_model::units::Nanos;
use toll_model::{Measurement, Path, Run, Shape, Subject};

/// Clocks read at full resolution: each costs a reading of the clocksource.
pub(crate) const PRECISE: [&str; 5] =
    ["CLOCK_REALTIME", "CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME", "CLOCK_TAI"];

/// Clocks that the kernel answers by itself, whatever the clocksource: CPU time is kept there.
pub(crate) const CPU_TIME: [&str; 2] = ["CLOCK_PROCESS_CPUTIME_ID", "CLOCK_THREAD_CPUTIME_ID"];

/// Numbers of cache misses that a call is measured among.
const MISSES: [u32; 3] = [1, 4, 16];

/// What a call can cost at all, ns: nothing here resolves less than a hundredth of a nanosecond, and
/// nothing that takes a thousand seconds is a call.
const PLAUSIBLE_NS: RangeInclusive<f64> = 0.01..=1e12;

/// One usable figure of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Price {
    /// The row it comes from, or the rows.
    pub id: String,
    /// How the caller asks.
    pub path: Path,
    /// Median, ns a call.
    pub ns: f64,
    /// 95% interval of the median.
    pub ci95: Option<[f64; 2]>,
}

impl Price {
    /// The figure with its interval.
    pub(crate) fn shown(&self) -> String {
        figure(self.ns, self.ci95)
    }

    /// A line of evidence: the row and its figure.
    pub(crate) fn evidence(&self) -> String {
        format!("{}: {}", self.id, self.shown())
    }

    /// Whether the intervals of `self` and `other` touch, so that no difference is resolved.
    pub(crate) fn touches(&self, other: &Price) -> bool {
        let ([a, b], [c, d]) =
            (self.ci95.unwrap_or([self.ns; 2]), other.ci95.unwrap_or([other.ns; 2]));
        a <= d && c <= b
    }
}

/// The figure of the row with this subject.
///
/// # Errors
/// Why there is none: no row, the row's own reason, or a figure that is none.
pub(crate) fn of(run: &Run, subject: &Subject) -> Result<Price, String> {
    let id = subject.id();
    let Some(row) = run.measurement(&id) else {
        return Err(format!("{id} was not measured"));
    };
    // A difference of two rows may come out below zero; a price may not.
    let difference = matches!(subject.path, Path::LibcMinusVdso | Path::SyscallMinusVdso);
    match usable(row, difference) {
        Some(ns) => Ok(Price { id, path: subject.path, ns, ci95: interval(row) }),
        None => Err(match &row.unavailable {
            Some(why) => format!("{id}: {why}"),
            None => format!("{id} has no usable figure"),
        }),
    }
}

fn usable(row: &Measurement, difference: bool) -> Option<f64> {
    row.median.filter(|ns| if difference { ns.is_finite() } else { PLAUSIBLE_NS.contains(ns) })
}

fn interval(row: &Measurement) -> Option<[f64; 2]> {
    row.ci95.filter(|[lo, hi]| lo.is_finite() && hi.is_finite() && lo <= hi)
}

/// What `clock` costs a program now: through libc, as programs read it, else the vDSO's symbol; where
/// no vDSO is mapped, the system call that libc must then make.
///
/// # Errors
/// Why neither row has a figure.
pub(crate) fn now(run: &Run, clock: &str) -> Result<Price, String> {
    let by = |path| of(run, &Subject::clock(clock, path, Shape::ONE));
    by(Path::Libc).or_else(|why| {
        let vdso = by(Path::Vdso);
        let other = if no_vdso(run) { vdso.or_else(|_| by(Path::Syscall)) } else { vdso };
        other.map_err(|_| why)
    })
}

/// Whether the kernel maps no vDSO, by the administrator's word.
pub(crate) fn no_vdso(run: &Run) -> bool {
    let vdso = &run.host.vdso;
    vdso.disabled_by.is_some() && vdso.symbols.known().is_none_or(Vec::is_empty)
}

/// The first precise clock that has a price, with it: the one that stands for all.
///
/// # Errors
/// Why the first of them has no price.
pub(crate) fn headline(run: &Run) -> Result<(&'static str, Price), String> {
    let mut first_reason = None;
    for clock in PRECISE {
        match now(run, clock) {
            Ok(price) => return Ok((clock, price)),
            Err(why) => first_reason = first_reason.or(Some(why)),
        }
    }
    Err(first_reason.unwrap_or_default())
}

/// What the vDSO's algorithm costs on the TSC, idle. It is the same for all precise clocks.
///
/// # Errors
/// Why it was not measured.
pub(crate) fn twin(run: &Run) -> Result<Price, String> {
    of(run, &Subject::clock("CLOCK_MONOTONIC", Path::Twin, Shape::ONE))
}

/// What `clock` would cost under the TSC by the same path as `now`, idle, without a switch: the
/// twin, and for libc what libc adds to the vDSO (libc − vdso, of the same run; where a reading costs
/// so much that the difference drowns in it, that of a coarse clock: it is the same function of
/// libc). The interval is
/// the sum of both, which is wider than 95%.
///
/// # Errors
/// Why it cannot be told.
pub(crate) fn under_tsc(run: &Run, clock: &str, now: &Price) -> Result<Price, String> {
    let twin = twin(run)?;
    let Some(added) =
        (now.path == Path::Libc).then(|| libc_adds_beside(run, clock, &twin)).flatten()
    else {
        return Ok(twin);
    };
    let ci95 = match (twin.ci95, added.ci95) {
        (Some([a, b]), Some([c, d])) => Some([a + c, b + d]),
        _ => None,
    };
    let ns = twin.ns + added.ns;
    // libc cannot make the twin free: a difference that says so is noise.
    if !PLAUSIBLE_NS.contains(&ns) {
        return Ok(twin);
    }
    Ok(Price { id: format!("{} + {}", twin.id, added.id), path: Path::Twin, ns, ci95 })
}

/// What libc adds to the vDSO for `clock`, known well enough to be added to `twin`.
fn libc_adds_beside(run: &Run, clock: &str, twin: &Price) -> Option<Price> {
    let drowned = |added: &Price| added.ci95.is_some_and(|[lo, hi]| hi - lo > twin.ns);
    match libc_adds(run, clock) {
        Some(added) if drowned(&added) => ["CLOCK_REALTIME_COARSE", "CLOCK_MONOTONIC_COARSE"]
            .iter()
            .filter_map(|coarse| libc_adds(run, coarse))
            .find(|of_coarse| !drowned(of_coarse))
            .or(Some(added)),
        other => other,
    }
}

/// What libc adds to the vDSO for `clock`: the row of the difference, else both rows' difference.
fn libc_adds(run: &Run, clock: &str) -> Option<Price> {
    let row = |path| of(run, &Subject::clock(clock, path, Shape::ONE)).ok();
    row(Path::LibcMinusVdso).or_else(|| {
        let (libc, vdso) = (row(Path::Libc)?, row(Path::Vdso)?);
        let ci95 = libc.ci95.zip(vdso.ci95).map(|([a, b], [c, d])| [a - d, b - c]);
        let id = format!("({} − {})", libc.id, vdso.id);
        Some(Price { id, path: Path::LibcMinusVdso, ns: libc.ns - vdso.ns, ci95 })
    })
}

/// What a call costs among cache misses: the least and the most of the rows there are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InSitu {
    /// Least and most, ns a call.
    pub ns: [f64; 2],
    /// The rows, with their figures.
    pub rows: Vec<String>,
}

/// The price of `clock` among 1, 4 and 16 cache misses, by the first of `paths` that has a row.
/// libc's few instructions vanish beside what a fence costs there, so its row or the vDSO's will do.
pub(crate) fn in_situ(run: &Run, clock: &str, paths: &[Path]) -> Option<InSitu> {
    paths.iter().find_map(|path| by_path_in_situ(run, clock, *path))
}

fn by_path_in_situ(run: &Run, clock: &str, path: Path) -> Option<InSitu> {
    let rows: Vec<_> = MISSES
        .iter()
        .filter_map(|k| of(run, &Subject::clock(clock, path, Shape::Misses(*k))).ok())
        .collect();
    let ns = rows.iter().map(|row| row.ns);
    Some(InSitu {
        ns: [ns.clone().reduce(f64::min)?, ns.reduce(f64::max)?],
        rows: rows.iter().map(|p| format!("{}: {}", p.id, Nanos(p.ns))).collect(),
    })
}

/// The empty system call.
///
/// # Errors
/// Why it was not measured.
pub(crate) fn crossing(run: &Run) -> Result<Price, String> {
    of(run, &Subject::native("crossing", "getppid", Path::Syscall, Shape::ONE))
}
