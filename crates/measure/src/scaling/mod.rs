//! What many pay at once: the same clock read by 1, 2, … N threads or processes.
//!
//! Each number is a bench of the engine like any other, so all of them are interleaved; one block
//! is a slice of some milliseconds in which the whole team reads without pause.

mod table;
mod team;

use crate::clocks::{Clock, PathTo, native_op, quality, steal_since};
use crate::engine::{
    Bench, Block, Entry, KnownAnswer, Limits, Rounds, Stopwatch, measurement, pin_to, run_rounds,
};
use crate::error::MeasureError;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use team::{Kind, Team};
use toll_loops::Op;
use toll_model::scaling::{Scaling, ScalingPoint};
use toll_model::{Host, Measurement, Quality, Shape, Stopped, Subject, stats};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The clocks, each with the paths to it.
    pub clocks: Vec<(Clock, PathTo)>,
    /// Numbers of threads; empty for none.
    pub threads: Vec<u32>,
    /// Numbers of processes; empty for none.
    pub processes: Vec<u32>,
    /// The CPUs, in the order in which they are filled; empty for all that may be used.
    pub cpus: Vec<u32>,
    /// Time for all rounds.
    pub budget: Duration,
    /// Seed of the order of slices.
    pub seed: u64,
}

/// The largest team: what a table of seats holds.
pub const MOST: u32 = table::SEATS as u32;

/// What came of it.
#[derive(Debug)]
pub struct Outcome {
    /// One row for each clock, path and number.
    pub measurements: Vec<Measurement>,
    /// One for each clock and path.
    pub scaling: Vec<Scaling>,
    /// How far the figures can be trusted.
    pub quality: Quality,
    /// The run was interrupted; the rows hold what was got.
    pub interrupted: bool,
}

/// How long one slice takes; short, so that few of them meet another's time slice.
const SLICE: Duration = Duration::from_millis(2);

/// Measures what `plan` asks for.
///
/// # Errors
/// A CPU that cannot be used. A clock that cannot be read is a row with its reason.
pub fn measure(
    plan: &Plan,
    host: &Host,
    progress: &mut dyn FnMut(crate::engine::Progress),
    stop: &AtomicBool,
) -> Result<Outcome, MeasureError> {
    let cpus = if plan.cpus.is_empty() { usable_cpus() } else { plan.cpus.clone() };
    let stopwatch = Stopwatch::choose(host);
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let known_answer = KnownAnswer::add(&mut entries, &stopwatch);
    let mut groups: Vec<Group> = Vec::new();
    let mut missing = Vec::new();
    // Processes first: a child is forked while this process has no other threads of the team.
    for (kind, numbers) in [(Kind::Processes, &plan.processes), (Kind::Threads, &plan.threads)] {
        let Some(&most) = numbers.iter().max() else { continue };
        let mut ops = vec![Op::EmptyCall, Op::SyscallShape, Op::CounterShape];
        let mut works = Vec::new();
        for &(clock, path) in &plan.clocks {
            match native_op(clock, path) {
                Ok(op) => {
                    works.push((clock, path, ops.len()));
                    ops.push(op);
                }
                Err(why) => missing.extend(numbers.iter().map(|&n| {
                    let subject = Subject::clock(clock.name(), path.of(clock), kind.shape(n));
                    Measurement::unavailable(subject, why.clone())
                })),
            }
        }
        let team = Team::start(kind, most, &cpus, &ops, &plan.clocks, stopwatch, SLICE)?;
        let team = Rc::new(RefCell::new(team));
        let bench = |op, number| Slice { team: team.clone(), op, number };
        // Each number has empty loops of its own: hardware threads share a core in these too. Those
        // who take turns pay what one pays.
        let mut baseline_of = |number: u32| {
            [0, 1, 2].map(|op| {
                entries.push(Entry::baseline(bench(op, number)));
                entries.len() - 1
            })
        };
        let one = baseline_of(1);
        let baselines: Vec<[usize; 3]> = numbers
            .iter()
            .map(|&n| if n == 1 || n as usize > cpus.len() { one } else { baseline_of(n) })
            .collect();
        for (clock, path, op) in works {
            let mut group = Group { entries: Vec::new(), cpus: cpus.len() as u32 };
            for (&number, baselines) in numbers.iter().zip(&baselines) {
                let subject = Subject::clock(clock.name(), path.of(clock), kind.shape(number));
                let mut entry =
                    Entry::row(subject, Some(baselines[path.baseline()]), bench(op, number));
                if number > group.cpus {
                    let note = "more than there are CPUs: they took turns; kept out of the fit";
                    entry.notes.push(note.into());
                }
                group.entries.push((number, entries.len()));
                entries.push(entry);
            }
            groups.push(group);
        }
    }
    let limits = Limits {
        budget: plan.budget,
        block: SLICE,
        min_rounds: 10,
        max_rounds: 500,
        precision: 0.01,
    };
    // The leader sleeps while a team works; the known answer is its own, and wants one CPU.
    let _pinned = pin_to(cpus.first().copied(), host)?;
    let steal = toll_host::read_steal(&toll_host::Roots::live());
    let began = Instant::now();
    let rounds = run_rounds(
        &mut entries,
        &limits,
        &mut stats::Rng::seeded(plan.seed),
        &mut || began.elapsed(),
        stop,
        progress,
    );
    let quality = Quality {
        seed: plan.seed,
        steal_percent: steal_since(&steal),
        ..quality::of(&stopwatch, limits.block, &rounds, known_answer, host.hypervisor.emulated)
    };
    let interrupted = rounds.stopped == Stopped::Interrupted;
    let mut measurements = missing;
    let mut scaling = Vec::new();
    for group in &groups {
        let rows = group.rows(&entries, &rounds);
        scaling.extend(group.scaling(&rows, &rounds));
        measurements.extend(rows);
    }
    Ok(Outcome { measurements, scaling, quality, interrupted })
}

fn usable_cpus() -> Vec<u32> {
    crate::sys::affinity().map_or_else(|| vec![0], |set| set.list())
}

/// One clock by one path, at all numbers.
struct Group {
    /// Number, and index of its entry.
    entries: Vec<(u32, usize)>,
    cpus: u32,
}

impl Group {
    fn rows(&self, entries: &[Entry<'_>], rounds: &Rounds) -> Vec<Measurement> {
        self.entries
            .iter()
            .filter_map(|&(number, index)| {
                let mut row = measurement(entries, index, rounds)?;
                // The engine counts the calls of one; the whole system makes those of all.
                row.calls_per_second = row.calls_per_second.map(|rate| rate * f64::from(number));
                row.calls_per_block = None;
                Some(row)
            })
            .collect()
    }

    fn scaling(&self, rows: &[Measurement], rounds: &Rounds) -> Option<Scaling> {
        let points: Vec<ScalingPoint> = rows
            .iter()
            .zip(&self.entries)
            .filter_map(|(row, &(number, index))| {
                // Rates are told with the loop in them: they are what the system really did.
                let rate = |cost: f64| f64::from(number) * 1e9 / cost;
                let costs = rounds.raw[index].costs();
                let [lo, hi] = stats::median_ci95(&costs)?;
                Some(ScalingPoint {
                    number,
                    ns_per_call: row.median?,
                    calls_per_second: rate(stats::median(&costs)?).round(),
                    ci95: [rate(hi).round(), rate(lo).round()],
                    beyond_cpus: number > self.cpus,
                })
            })
            .collect();
        let subject = rows.first()?.subject.clone();
        Some(Scaling::judged(subject, points))
    }
}

/// One slice of the whole team.
struct Slice {
    team: Rc<RefCell<Team>>,
    op: usize,
    number: u32,
}

impl Bench for Slice {
    fn run(&mut self, _: u64) -> Result<Block, String> {
        self.team.borrow_mut().slice(self.op, self.number)
    }
}

impl Kind {
    fn shape(self, number: u32) -> Shape {
        match self {
            Kind::Threads => Shape::Threads(number),
            Kind::Processes => Shape::Processes(number),
        }
    }
}
