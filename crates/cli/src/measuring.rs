//! The one place where this program and the measuring core meet.

use crate::complaint::Complaint;
use crate::embedded;
use crate::progress::Bar;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use toll_measure::clocks::{self, Clock, InSitu, PathTo, Plan, Progress};
use toll_measure::{MeasureError, probe, scaling};
use toll_model::host::Jvm;
use toll_model::{Host, Run, Tool};

/// The most that comparing CPUs may take.
const CORES: Duration = Duration::from_secs(1);

/// What to measure.
pub(crate) struct Request {
    /// Which clocks; all if empty.
    pub(crate) clocks: Vec<Clock>,
    /// How far to go among cache misses.
    pub(crate) among_misses: AmongMisses,
    /// The CPU to measure on; any if `None`.
    pub(crate) cpu: Option<u32>,
    /// Time for the rounds; starting JVMs and the probes come on top.
    pub(crate) budget: Duration,
    /// Seed of the random order.
    pub(crate) seed: Option<u64>,
    /// JVMs to measure.
    pub(crate) java: Vec<Jvm>,
    /// The user named them: one that does not work is an error.
    pub(crate) java_named: bool,
    /// Observe, besides prices, how clocks step and whether CPUs agree.
    pub(crate) probes: bool,
}

/// How far to go among cache misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AmongMisses {
    /// Not at all.
    Nothing,
    /// Four misses, by the vDSO: one figure a clock.
    InShort,
    /// Every number of misses, every path.
    InFull,
}

impl AmongMisses {
    fn of(self, clocks: &[Clock]) -> InSitu {
        let clocks = clocks.to_vec();
        match self {
            AmongMisses::Nothing => InSitu::default(),
            AmongMisses::InShort => InSitu { misses: vec![4], clocks, every_path: false },
            AmongMisses::InFull => {
                InSitu { misses: InSitu::SHAPES.to_vec(), clocks, every_path: true }
            }
        }
    }
}

/// Measures; after an interrupt, the run holds what was got.
///
/// # Errors
/// Something that the user named cannot be had: a CPU, a JVM. All else is a row with its reason.
pub(crate) fn gather(
    request: Request,
    host: Host,
    bar: &Bar,
    stop: &AtomicBool,
) -> Result<Run, Complaint> {
    let Request { clocks, among_misses, cpu, budget, seed, java, java_named, probes } = request;
    let clocks = if clocks.is_empty() { Clock::all().collect() } else { clocks };
    let plan = Plan {
        in_situ: among_misses.of(&clocks),
        clocks,
        cpu,
        budget,
        seed,
        java,
        java_named,
        shim: embedded::SHIM,
        java_probe: embedded::JAVA_PROBE,
    };
    let outcome = clocks::measure(&plan, &host, &mut |progress| show(bar, progress), stop)
        .map_err(complaint)?;
    let seed = outcome.quality.seed;
    let mut run = Run::new(Tool::default(), host);
    run.measurements = outcome.measurements;
    run.probes.vdso_fallbacks = outcome.fallbacks;
    run.quality = Some(outcome.quality);
    if probes && !stop.load(Ordering::Relaxed) {
        bar.at(1.0, "watching how clocks step");
        run.probes.steps = probe::steps(&plan.clocks);
    }
    if probes && !stop.load(Ordering::Relaxed) {
        bar.at(1.0, "comparing the counters of CPUs");
        run.probes.core_offsets = probe::core_offsets(&run.host, CORES, seed);
    }
    Ok(run)
}

fn complaint(error: MeasureError) -> Complaint {
    match error {
        MeasureError::Jvm { .. } => {
            Complaint::new(error, "try it by hand, or leave Java out with --no-java")
        }
        other => Complaint::whole(other),
    }
}

/// Lets many read at once; after an interrupt, the run holds what was got.
///
/// # Errors
/// A CPU that cannot be used.
pub(crate) fn gather_many(
    plan: &scaling::Plan,
    host: Host,
    bar: &Bar,
    stop: &AtomicBool,
) -> Result<Run, Complaint> {
    let mut progress = |at| show(bar, Progress::Measuring(at));
    let outcome = scaling::measure(plan, &host, &mut progress, stop).map_err(Complaint::whole)?;
    let mut run = Run::new(Tool::default(), host);
    run.measurements = outcome.measurements;
    run.scaling = outcome.scaling;
    run.quality = Some(outcome.quality);
    Ok(run)
}

/// What to observe of the clocks, besides prices.
pub(crate) struct Behaviour {
    pub(crate) clocks: Vec<Clock>,
    pub(crate) steps: bool,
    pub(crate) latency: bool,
    pub(crate) order: bool,
    pub(crate) cpus: Vec<u32>,
    pub(crate) budget: Duration,
}

/// The time of one part of the test of a pair of CPUs: the kernel's own takes as long.
const PAIR: Duration = Duration::from_millis(20);

/// Observes; after an interrupt, the run holds what was got.
///
/// # Errors
/// A CPU that cannot be used.
pub(crate) fn observe(
    what: &Behaviour,
    host: Host,
    bar: &Bar,
    stop: &AtomicBool,
) -> Result<Run, Complaint> {
    let mut run = Run::new(Tool::default(), host);
    let kinds = [what.steps, what.latency].iter().filter(|asked| **asked).count().max(1);
    let budget = what.budget / kinds as u32;
    if what.steps {
        bar.at(0.1, "watching how clocks step");
        let each = budget / what.clocks.len().max(1) as u32;
        run.probes.steps = probe::steps_in_full(&what.clocks, each, stop);
    }
    if what.latency {
        bar.at(0.5, "timing single readings");
        let paths = what.clocks.iter().flat_map(|clock| {
            let paths: &[PathTo] = match clock.is_counter() {
                true => &[PathTo::Inline],
                false => &[PathTo::Vdso, PathTo::Syscall],
            };
            paths.iter().map(|path| (*clock, *path))
        });
        let (paths, cpu) = (paths.collect::<Vec<_>>(), what.cpus.first().copied());
        run.probes.latencies =
            probe::latencies(&paths, cpu, &run.host, budget, stop).map_err(Complaint::whole)?;
    }
    if what.order {
        let mut progress = |done| bar.at(done, "comparing every pair of CPUs");
        run.probes.core_offsets = probe::order(&run.host, &what.cpus, PAIR, stop, &mut progress);
    }
    Ok(run)
}

/// A seed that no two runs share.
pub(crate) fn fresh_seed() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(1, |since| since.as_nanos() as u64)
}

fn show(bar: &Bar, progress: Progress) {
    match progress {
        Progress::Preparing(what) => bar.at(0.0, what),
        Progress::Measuring(at) => bar.at(at.done, &format!("reading clocks, round {}", at.rounds)),
    }
}
