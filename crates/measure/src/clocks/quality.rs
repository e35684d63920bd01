//! How far a run can be trusted, from what ran beside the clocks.

use crate::engine::{KnownAnswer, Rounds, Stopwatch, TOLERANCE};
use toll_model::Quality;

/// What stopwatch and reference loops say; CPU, seed and steal are the caller's to add.
pub(crate) fn of(stopwatch: &Stopwatch, rounds: &Rounds, known_answer: KnownAnswer) -> Quality {
    let ratio = known_answer.ratio(rounds);
    let instructions_per_cycle = known_answer.instructions_per_cycle(rounds);
    let mut reasons = Vec::new();
    match ratio {
        Some(ratio) if (ratio - 2.0).abs() <= TOLERANCE => {}
        Some(ratio) => reasons.push(format!(
            "the known answer came out as {ratio:.3} and not 2.00 ± {TOLERANCE}: what was timed \
             was not the loops alone"
        )),
        None => reasons.push("too few undisturbed blocks for the known answer".into()),
    }
    let noisy = !reasons.is_empty();
    if let Some(reached) = instructions_per_cycle
        && reached < Quality::OWN_CORE
    {
        reasons.push(format!(
            "another hardware thread used this core, unless it is a narrow one: independent \
             additions reached {reached:.1} a cycle, and a core of its own gives {:.0} or more; \
             prices here are higher than on an idle core",
            Quality::OWN_CORE
        ));
    }
    if let Stopwatch::Clock { why } = stopwatch {
        reasons.push(format!("blocks are timed by CLOCK_MONOTONIC_RAW: {why}"));
    }
    let calibration = stopwatch.calibration();
    Quality {
        stopwatch: stopwatch.name().into(),
        stopwatch_hz: calibration.map(|c| c.hz.round()),
        stopwatch_error_ppm: calibration.map(|c| (c.error_ppm * 1e3).round() / 1e3),
        stopwatch_ns: (stopwatch.own_cost() * 1e2).round() / 1e2,
        rounds: rounds.rounds,
        known_answer: ratio,
        instructions_per_cycle,
        noisy,
        reasons,
        ..Quality::default()
    }
}
