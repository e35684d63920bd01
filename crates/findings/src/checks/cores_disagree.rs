//! CPUs whose counters disagree. What was seen bounds the offset; it is never told as zero.

use crate::check::{Check, Outcome};
use crate::words::{amount, count};
use toll_model::probe::OffsetOutcome;
use toll_model::units::Nanos;
use toll_model::{Finding, Level, Remedy, Run};

/// A bound wider than this, ns, can't tell whether the CPUs agree in any sense that matters.
const TOO_WIDE_NS: f64 = 10_000.0;

pub(super) struct CoresDisagree;

/// A pair of CPUs with what was seen of it.
type Pair<'a> = ([u32; 2], &'a OffsetOutcome);

impl Check for CoresDisagree {
    fn id(&self) -> &'static str {
        "clock.cores-disagree"
    }

    fn title(&self) -> &'static str {
        "CPUs whose counters disagree, by a bound and never by \"0\""
    }

    fn run(&self, run: &Run) -> Outcome {
        let pairs = &run.probes.core_offsets;
        let seen: Vec<Pair<'_>> =
            pairs.iter().filter_map(|p| Some((p.cpus, p.outcome.known()?))).collect();
        if seen.is_empty() {
            if let Some(alone) = alone(run) {
                return alone;
            }
            let why = pairs.iter().find_map(|p| p.outcome.reason());
            return Outcome::Unavailable(why.unwrap_or("no pair of CPUs was compared").into());
        }
        let backward: Vec<_> = seen.iter().filter(|(_, s)| s.backward > 0).copied().collect();
        if !backward.is_empty() {
            return Outcome::found(self.ran_backward(run, &backward, &seen));
        }
        let apart: Vec<_> = seen.iter().filter(|(_, s)| least(s) > 0.0).copied().collect();
        if !apart.is_empty() {
            return Outcome::found(self.apart(&apart, &seen));
        }
        let pairs = count(seen.len() as u64, "pair");
        let widest = seen.iter().filter_map(|(_, s)| within(s)).fold(0.0, f64::max);
        if seen.iter().any(|(_, s)| within(s).is_none()) {
            return Outcome::Unavailable(format!(
                "{pairs} of CPUs compared, but the bound is no figure"
            ));
        }
        let resolves = if widest > TOO_WIDE_NS {
            "too wide to tell whether they agree".into()
        } else {
            format!("an offset below {} would not show", Nanos(widest))
        };
        Outcome::Ok(format!(
            "{pairs} of CPUs compared: no reading ran backward, counters within ±{} of each other; {resolves}",
            Nanos(widest)
        ))
    }
}

/// What is said where there is one CPU to run on.
fn alone(run: &Run) -> Option<Outcome> {
    let cpu = &run.host.cpu;
    if cpu.online.known().is_some_and(|cpus| cpus.len() == 1) {
        return Some(Outcome::Ok("one CPU: there is no other to disagree with".into()));
    }
    let allowed = cpu.allowed.known().filter(|cpus| cpus.len() == 1)?;
    Some(Outcome::Unavailable(format!(
        "this process may use CPU {} alone, and comparing takes two",
        allowed[0]
    )))
}

/// The interval, if it is one.
fn bound(seen: &OffsetOutcome) -> Option<[f64; 2]> {
    let [lo, hi] = seen.bound_ns;
    (lo.is_finite() && hi.is_finite() && lo <= hi).then_some([lo, hi])
}

/// How far apart the counters may be at most.
fn within(seen: &OffsetOutcome) -> Option<f64> {
    bound(seen).map(|[lo, hi]| lo.abs().max(hi.abs()))
}

/// How far apart they are at least: 0 where the bound includes 0.
fn least(seen: &OffsetOutcome) -> f64 {
    bound(seen).map_or(0.0, |[lo, hi]| lo.max(-hi).max(0.0))
}

fn told(([a, b], seen): &Pair<'_>) -> String {
    let bound = match bound(seen) {
        Some([lo, hi]) => format!("{} to {}", Nanos(lo), Nanos(hi)),
        None => "no bound".into(),
    };
    format!(
        "CPU {b} minus CPU {a}: {bound}, least round trip {}, {} backward in {} rounds",
        amount(seen.round_trip_ns),
        seen.backward,
        seen.rounds
    )
}

impl CoresDisagree {
    fn ran_backward(&self, run: &Run, backward: &[Pair<'_>], seen: &[Pair<'_>]) -> Finding {
        let times = backward.iter().fold(0_u64, |sum, (_, s)| sum.saturating_add(s.backward));
        let worst = backward.iter().map(|(_, s)| s.worst_backward_ns).fold(0.0, f64::max);
        let [a, b] = backward[0].0;
        let mut because = vec![
            "each reading was fenced and taken after the other CPU's had been seen: no reordering explains it".into(),
        ];
        if let Some(current) = run.host.clocksource.current.known() {
            because.push(format!("the clocksource in force is {current}"));
        }
        Finding {
            id: self.id().into(),
            level: Level::Error,
            summary: format!(
                "the counters of CPUs {a} and {b} disagree: {} backward, by up to {}",
                count(times, "reading"),
                amount(worst)
            ),
            because,
            evidence: seen.iter().map(told).collect(),
            remedies: vec![Remedy {
                command: "keep programs off their own counter readings (rdtsc, cntvct) across \
                          threads, and switch the clocksource away from the TSC if it is in force"
                    .into(),
                gain: "time that runs forward from one CPU to the next".into(),
                risk: "another clocksource costs more: clock.slow-clocksource has the prices"
                    .into(),
            }],
        }
    }

    /// No reading ran backward, yet the bound excludes zero: the offset is real but smaller than a
    /// handover takes.
    fn apart(&self, apart: &[Pair<'_>], seen: &[Pair<'_>]) -> Finding {
        let widest = apart
            .iter()
            .max_by(|(_, x), (_, y)| least(x).total_cmp(&least(y)))
            .copied()
            .unwrap_or(apart[0]);
        let [a, b] = widest.0;
        Finding {
            id: self.id().into(),
            level: Level::Warn,
            summary: format!(
                "the counters of CPUs {a} and {b} are at least {} apart",
                Nanos(least(widest.1))
            ),
            because: vec![
                "the bound from their fenced round trips excludes zero, yet none ran backward: the \
                 offset is smaller than a handover takes"
                    .into(),
            ],
            evidence: seen.iter().map(told).collect(),
            remedies: vec![Remedy {
                command:
                    "measure again while the machine is quiet; if it stays, see clock.tsc-evidence"
                        .into(),
                gain: "durations that begin on one CPU and end on another are off by as much"
                    .into(),
                risk: "none".into(),
            }],
        }
    }
}
