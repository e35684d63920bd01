//! A clock that runs backward within one thread.

use crate::check::{Check, Outcome};
use crate::words::{amount, count, list};
use toll_model::probe::StepsOutcome;
use toll_model::{Finding, Level, Remedy, Run};

/// Clocks that may be set, and so may step back where somebody sets them.
const MAY_BE_SET: [&str; 5] =
    ["CLOCK_REALTIME", "CLOCK_REALTIME_COARSE", "CLOCK_TAI", "gettimeofday", "time"];

pub(super) struct StepsBack;

impl Check for StepsBack {
    fn id(&self) -> &'static str {
        "clock.steps-back"
    }

    fn title(&self) -> &'static str {
        "a clock whose next reading lies before the last one, on one thread"
    }

    fn run(&self, run: &Run) -> Outcome {
        let seen: Vec<_> = run
            .probes
            .steps
            .iter()
            .filter_map(|s| Some((s.clock.as_str(), s.outcome.known()?)))
            .collect();
        let readings = seen.iter().fold(0_u64, |sum, (_, s)| sum.saturating_add(s.readings));
        if readings == 0 {
            let why = run.probes.steps.iter().find_map(|s| s.outcome.reason());
            return Outcome::Unavailable(
                why.unwrap_or("successive readings were not compared").into(),
            );
        }
        let backward: Vec<_> = seen.iter().filter(|(_, s)| s.backward > 0).copied().collect();
        if backward.is_empty() {
            return Outcome::Ok(format!(
                "none of {} stepped back in {readings} pairs of readings",
                count(seen.len() as u64, "clock")
            ));
        }
        Outcome::found(self.finding(run, &backward))
    }
}

impl StepsBack {
    fn finding(&self, run: &Run, backward: &[(&str, &StepsOutcome)]) -> Finding {
        let settable = backward.iter().all(|(clock, _)| MAY_BE_SET.contains(clock));
        let told: Vec<_> = backward
            .iter()
            .map(|(clock, s)| {
                format!(
                    "{clock} {} in {} readings, by up to {}",
                    count(s.backward, "time"),
                    s.readings,
                    amount(s.worst_backward_ns)
                )
            })
            .collect();
        let mut because = Vec::new();
        if settable {
            because
                .push("only clocks that may be set: a time daemon or a person set the time".into());
        } else {
            because.push("clocks that nobody can set: the counter behind them ran backward".into());
            if let Some(current) = run.host.clocksource.current.known() {
                because.push(format!("the clocksource in force is {current}"));
            }
        }
        let remedy = if settable {
            Remedy {
                command:
                    "chronyc tracking; timedatectl timesync-status: see who steps the clock, and \
                          let it slew instead"
                        .into(),
                gain:
                    "durations taken on CLOCK_REALTIME stay positive; CLOCK_MONOTONIC is never set"
                        .into(),
                risk: "none from looking".into(),
            }
        } else {
            Remedy {
                command: "read clock.cores-disagree and clock.tsc-evidence; switch away from this clocksource until \
                          the cause is known"
                    .into(),
                gain: "time that runs forward".into(),
                risk: "another clocksource may cost more".into(),
            }
        };
        Finding {
            id: self.id().into(),
            level: if settable { Level::Warn } else { Level::Error },
            summary: format!("stepped back: {}", list(&told)),
            because,
            evidence: told,
            remedies: vec![remedy],
        }
    }
}
