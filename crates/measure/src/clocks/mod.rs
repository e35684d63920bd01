//! What it costs to read a clock: every clock by every path, idle and among cache misses, in
//! native code and in each JVM, all in one interleaved run.

mod clock;
mod field;
mod idle;
mod in_situ;
mod java;
mod libc_probe;
mod native;
pub(crate) mod quality;
mod table;
mod twin;
mod worker;

pub use clock::{Clock, PosixClock};
pub use native::PathTo;
pub(crate) use native::native_op;
pub(crate) use worker::pipe;

use crate::engine::{KnownAnswer, Limits, SharedField, Stopwatch, pin_to, run_rounds};
use crate::error::MeasureError;
use crate::probe::proofs;
use crate::vdso::Vdso;
use libc_probe::{LibcProbe, SharedProbe};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use table::Table;
use toll_model::host::{Jvm, Steal};
use toll_model::probe::VdsoFallback;
use toll_model::{Fact, Host, Measurement, Path, Quality, Shape, Subject, stats};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The clocks.
    pub clocks: Vec<Clock>,
    /// Which of them also among cache misses.
    pub in_situ: InSitu,
    /// The CPU to measure on; by default the last that this process may use.
    pub cpu: Option<u32>,
    /// Time for the interleaved rounds; what goes before takes some 50 ms, with JVMs 2 s.
    pub budget: Duration,
    /// Seed of the order of blocks; by default drawn from the time.
    pub seed: Option<u64>,
    /// The JVMs to measure in.
    pub java: Vec<Jvm>,
    /// The user named them: one that does not work is an error and not a row.
    pub java_named: bool,
    /// The freestanding object that is preloaded to measure libc, if this build carries it.
    pub shim: Option<&'a [u8]>,
    /// The jar with the Java loops, if this build carries it.
    pub java_probe: Option<&'a [u8]>,
}

/// How far the measuring among cache misses goes.
#[derive(Clone, Debug, Default)]
pub struct InSitu {
    /// Misses per call, out of [`InSitu::SHAPES`]; none: not at all.
    pub misses: Vec<u32>,
    /// The clocks.
    pub clocks: Vec<Clock>,
    /// By libc and system call too, not by the vDSO alone.
    pub every_path: bool,
}

impl InSitu {
    /// The shapes there are loops for.
    pub const SHAPES: [u32; 3] = [1, 4, 16];
}

/// What is under way.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// Something that takes a moment.
    Preparing(&'static str),
    /// Rounds.
    Measuring(crate::engine::Progress),
}

/// What came of a plan.
#[derive(Debug)]
pub struct Outcome {
    /// The rows, in the order of the tables.
    pub measurements: Vec<Measurement>,
    /// For each clock, who answers its vDSO function.
    pub fallbacks: Vec<VdsoFallback>,
    /// How far the rows can be trusted.
    pub quality: Quality,
    /// The run was interrupted; the rows hold what was got.
    pub interrupted: bool,
}

/// Measures what `plan` asks for.
///
/// # Errors
/// Only for what the plan names and cannot be had: a CPU, a JVM. All else is a row with its reason.
pub fn measure(
    plan: &Plan<'_>,
    host: &Host,
    progress: &mut dyn FnMut(Progress),
    stop: &AtomicBool,
) -> Result<Outcome, MeasureError> {
    // The JVMs start and compile before this thread is pinned: they inherit its CPUs.
    let jvms = java::start_all(plan, progress)?;
    progress(Progress::Preparing("calibrating the stopwatch"));
    let pinned = pin_to(plan.cpu, host)?;
    let stopwatch = Stopwatch::choose(host);
    let vdso = Vdso::of_this_process();
    let fallbacks = proofs(&plan.clocks, vdso.as_ref());
    let field = Field::prepare(plan, host, progress);
    let libc = start_libc(plan, host, field.bytes);

    let mut table = Table::default();
    let known_answer = KnownAnswer::add(&mut table.entries, &stopwatch);
    let ways = Ways { host, vdso: vdso.as_ref(), libc: &libc, fallbacks: &fallbacks };
    idle::add(&mut table, plan, &ways, &stopwatch);
    in_situ::add(&mut table, plan, &ways, &field, &stopwatch);
    java::add(&mut table, jvms, pinned.cpu);
    let chain = Subject::native("engine", "multiply", Path::User, Shape::ONE);
    table.show(known_answer.short_chain(), chain, "one multiplication that waits for another");

    let seed = plan.seed.unwrap_or_else(crate::sys::monotonic_raw);
    let limits = limits(plan.budget, &stopwatch, table.entries.len());
    let steal = toll_host::read_steal(&toll_host::Roots::live());
    let began = Instant::now();
    let rounds = run_rounds(
        &mut table.entries,
        &limits,
        &mut stats::Rng::seeded(seed),
        &mut || began.elapsed(),
        stop,
        &mut |p| progress(Progress::Measuring(p)),
    );
    let quality = Quality {
        cpu: Some(pinned.cpu),
        seed,
        steal_percent: steal_since(&steal),
        ..quality::of(&stopwatch, limits.block, &rounds, known_answer, host.hypervisor.emulated)
    };
    let interrupted = rounds.stopped == toll_model::Stopped::Interrupted;
    Ok(Outcome { measurements: table.rows(&rounds), fallbacks, quality, interrupted })
}

/// How native code can get at a clock here.
struct Ways<'a> {
    host: &'a Host,
    vdso: Option<&'a Vdso>,
    libc: &'a Result<SharedProbe, String>,
    fallbacks: &'a [VdsoFallback],
}

/// The memory for misses, or why there is none.
struct Field {
    bytes: u64,
    memory: Result<SharedField, String>,
}

impl Field {
    fn prepare(plan: &Plan<'_>, host: &Host, progress: &mut dyn FnMut(Progress)) -> Field {
        if plan.in_situ.misses.is_empty() {
            return Field { bytes: 0, memory: Err("not asked for".into()) };
        }
        let Some(bytes) = field::size(host) else {
            let why = "too little free memory for a field of twice the last-level cache";
            return Field { bytes: 0, memory: Err(why.into()) };
        };
        progress(Progress::Preparing("preparing memory to miss in"));
        let memory = field::map(bytes).ok_or_else(|| format!("no {bytes} bytes of memory"));
        Field { bytes, memory }
    }
}

fn start_libc(plan: &Plan<'_>, host: &Host, field_bytes: u64) -> Result<SharedProbe, String> {
    let object = plan.shim.ok_or("this build carries no probe for libc (build it with make)")?;
    let libc = host.libc.known().ok_or_else(|| {
        format!("no libc found to measure in: {}", host.libc.reason().unwrap_or("no reason"))
    })?;
    let probe = LibcProbe::start(object, libc, field_bytes)?;
    Ok(Rc::new(RefCell::new(probe)))
}

fn limits(budget: Duration, stopwatch: &Stopwatch, entries: usize) -> Limits {
    const MIN_ROUNDS: u64 = 15;
    Limits {
        budget,
        block: Limits::block_for(budget, MIN_ROUNDS, entries, stopwatch.least_block()),
        min_rounds: MIN_ROUNDS,
        max_rounds: 500,
        precision: 0.01,
    }
}

pub(crate) fn steal_since(before: &Fact<Steal>) -> Option<f64> {
    let before = *before.known()?;
    let now = toll_host::read_steal(&toll_host::Roots::live());
    now.known()?.percent_since(&before).map(|percent| (percent * 1e2).round() / 1e2)
}
