//! A clock whose tick is coarser than `clock_getres` says.
//!
//! Two readings lie at least one call apart, so that the smallest step alone shows the price of
//! the call. Only where successive readings are *equal* is the tick longer than a call, and only
//! where they are equal between any two ticks: a clock that stood still once was held back.

use crate::check::{Check, Outcome};
use crate::words::{count, emulated, list, times};
use toll_model::probe::StepsOutcome;
use toll_model::units::Nanos;
use toll_model::{Finding, Level, Remedy, Run};

/// How much longer than promised a step must be to count, so that rounding doesn't.
const TOLERANCE: f64 = 1.5;

/// Ticks from here on spoil the timing of anything short, ns.
const FELT_NS: f64 = 1_000.0;

pub(super) struct CoarseTick;

impl Check for CoarseTick {
    fn id(&self) -> &'static str {
        "clock.coarse-tick"
    }

    fn title(&self) -> &'static str {
        "a clock whose tick is coarser than clock_getres says"
    }

    fn run(&self, run: &Run) -> Outcome {
        let steps = &run.probes.steps;
        let seen: Vec<_> =
            steps.iter().filter_map(|s| Some((s.clock.as_str(), s.outcome.known()?))).collect();
        if seen.is_empty() {
            let why = steps.iter().find_map(|s| s.outcome.reason());
            return Outcome::Unavailable(
                why.unwrap_or("successive readings were not compared").into(),
            );
        }
        let (held, ticking): (Vec<_>, Vec<_>) = seen
            .iter()
            .filter(|(clock, _)| !ticks_get_lost(run, clock))
            .filter_map(|(clock, s)| Coarse::of(clock, s))
            .partition(|coarse| was_held_back(run, coarse.clock, coarse.steps));
        let mut found: Vec<_> =
            alike(ticking).iter().map(|clocks| finding(self.id(), run, clocks)).collect();
        found.extend((!held.is_empty()).then(|| held_back(self.id(), run, &held)));
        if !found.is_empty() {
            return Outcome::Found(found);
        }
        let judged = seen.iter().filter(|(_, s)| promise(s).is_some()).count();
        if judged == 0 {
            return Outcome::Unavailable(
                "clock_getres gave no resolution to hold the steps against".into(),
            );
        }
        Outcome::Ok(format!(
            "{} tick as clock_getres says, or finer than a reading takes{}",
            count(judged as u64, "clock"),
            coarse_clocks(&seen)
        ))
    }
}

fn promise(steps: &StepsOutcome) -> Option<f64> {
    // clock_getres counts in whole nanoseconds.
    steps.getres_ns.filter(|ns| ns.is_finite() && *ns >= 1.0)
}

/// Whether a coarse clock may miss ticks here through no fault of its own: who handles the kernel's
/// tick late moves it by two ticks at once.
fn ticks_get_lost(run: &Run, clock: &str) -> bool {
    let steal = run.quality.as_ref().and_then(|quality| quality.steal_percent).unwrap_or(0.0);
    clock.ends_with("_COARSE") && (run.host.hypervisor.emulated || steal >= 1.0)
}

/// Clocksources that count nanoseconds and let no CPU read less than another has read before.
const LATEST_WINS: [&str; 2] = ["xen", "kvm-clock"];

/// Whether equal readings are no tick: the clock stood still far less often than a tick would have
/// made it, or the clocksource has none.
fn was_held_back(run: &Run, clock: &str, steps: &StepsOutcome) -> bool {
    if clock.ends_with("_COARSE") {
        return false;
    }
    let has_no_tick =
        run.host.clocksource.current.is_known_and(|now| LATEST_WINS.contains(&now.as_str()));
    let moved = steps.readings.saturating_sub(steps.zero).saturating_sub(steps.backward);
    let rarely =
        steps.standstills.is_some_and(|times| times.saturating_mul(2) < moved.min(steps.zero));
    (has_no_tick && moved > 0) || rarely
}

/// What the coarse clocks tick at, which is the kernel's own tick.
fn coarse_clocks(seen: &[(&str, &StepsOutcome)]) -> String {
    seen.iter()
        .find(|(clock, _)| clock.ends_with("_COARSE"))
        .and_then(|(_, s)| promise(s))
        .map(|tick| format!("; coarse clocks every {}, the kernel's tick", Nanos(tick)))
        .unwrap_or_default()
}

/// A clock that ticks more coarsely than promised.
struct Coarse<'a> {
    clock: &'a str,
    steps: &'a StepsOutcome,
    promised: f64,
    /// The smallest step seen; `None` if the clock never moved.
    tick: Option<f64>,
}

impl<'a> Coarse<'a> {
    fn of(clock: &'a str, steps: &'a StepsOutcome) -> Option<Self> {
        let promised = promise(steps)?;
        let tick = steps.smallest_ns.filter(|ns| ns.is_finite() && *ns > 0.0);
        let coarse = match tick {
            Some(tick) => steps.zero > 0 && tick > promised * TOLERANCE,
            // A clock of milliseconds may well stand still while it is looked at.
            None => steps.readings > 0 && steps.zero == steps.readings && promised < FELT_NS,
        };
        coarse.then_some(Coarse { clock, steps, promised, tick })
    }

    fn evidence(&self) -> String {
        let shown = |ns: Option<f64>| match ns.filter(|ns| ns.is_finite()) {
            Some(ns) => Nanos(ns).to_string(),
            None => "none".into(),
        };
        format!(
            "{}: clock_getres {}, smallest step above zero {}, median {}, {} of {} equal",
            self.clock,
            Nanos(self.promised),
            shown(self.tick),
            shown(self.steps.median_ns),
            self.steps.zero,
            self.steps.readings
        )
    }

    fn is_like(&self, other: &Coarse<'_>) -> bool {
        self.tick == other.tick && self.promised == other.promised
    }
}

/// Clocks that tick alike, for one clocksource makes many clocks tick: one finding for each group.
fn alike(clocks: Vec<Coarse<'_>>) -> Vec<Vec<Coarse<'_>>> {
    let mut groups: Vec<Vec<Coarse<'_>>> = Vec::new();
    for clock in clocks {
        match groups.iter_mut().find(|group| group[0].is_like(&clock)) {
            Some(group) => group.push(clock),
            None => groups.push(vec![clock]),
        }
    }
    groups
}

fn finding(id: &str, run: &Run, clocks: &[Coarse<'_>]) -> Finding {
    let Coarse { promised, tick, steps, .. } = clocks[0];
    let names: Vec<_> = clocks.iter().map(|c| c.clock).collect();
    let (names, one) = (list(&names), names.len() == 1);
    let (level, summary) = match tick {
        Some(tick) => (
            if tick >= FELT_NS { Level::Warn } else { Level::Info },
            format!(
                "{names} {} every {}, {} the {} that clock_getres says",
                if one { "ticks" } else { "tick" },
                Nanos(tick),
                times(tick / promised),
                Nanos(promised)
            ),
        ),
        None => (Level::Warn, format!("{names} did not move in {} readings", steps.readings)),
    };
    let mut because = vec![format!(
        "{} of {} successive readings of {} were equal",
        steps.zero, steps.readings, clocks[0].clock
    )];
    if let Some(current) = run.host.clocksource.current.known() {
        let own = if current.starts_with("hyperv_clocksource") {
            ", which counts at 10 MHz (“Clocks and Timers”, Linux kernel documentation)"
        } else {
            ""
        };
        because.push(format!("the clocksource in force is {current}{own}"));
    }
    Finding {
        id: id.into(),
        level,
        summary,
        because,
        evidence: clocks.iter().map(Coarse::evidence).collect(),
        remedies: vec![Remedy {
            command: "in the program: take durations over many operations, or under another \
                      clocksource where one is available and safe"
                .into(),
            gain: "durations that are not rounded to whole ticks".into(),
            risk: "none".into(),
        }],
    }
}

/// Clocks that stood still for a while, which is no tick of theirs.
fn held_back(id: &str, run: &Run, clocks: &[Coarse<'_>]) -> Finding {
    let names: Vec<_> = clocks.iter().map(|c| c.clock).collect();
    let Coarse { steps, clock, .. } = clocks[0];
    let mut because = vec![format!(
        "{} of {} successive readings of {clock} were equal{}",
        steps.zero,
        steps.readings,
        steps.standstills.map_or_else(String::new, |n| format!(", in {}", count(n, "stretch")))
    )];
    because.push(match run.host.clocksource.current.known().map(String::as_str) {
        Some(current) if LATEST_WINS.contains(&current) => format!(
            "the clocksource in force is {current}, which counts nanoseconds: a CPU that is behind \
             repeats the latest time that another has told (arch/x86/kernel/pvclock.c, Linux kernel)"
        ),
        _ => "a clock that ticks stands still between any two ticks, and this one didn't".into(),
    });
    Finding {
        id: id.into(),
        // An emulator runs its CPUs by turns: they are behind one another all the time.
        level: if run.host.hypervisor.emulated { Level::Info } else { Level::Warn },
        summary: format!(
            "{} stood still for a while, which is no tick{}",
            list(&names),
            emulated(run)
        ),
        because,
        evidence: clocks.iter().map(Coarse::evidence).collect(),
        remedies: Vec::new(),
    }
}
