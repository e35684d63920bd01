//! How far a run can be trusted, from what ran beside the clocks.

use crate::engine::{KnownAnswer, Rounds, Stopwatch, TOLERANCE};
use std::time::Duration;
use toll_model::Quality;

/// The share of a block that reading the stopwatch may have before it is said.
const MOST_STOPWATCH_PERCENT: f64 = 0.5;

/// What stopwatch and reference loops say; CPU, seed and steal are the caller's to add.
pub(crate) fn of(
    stopwatch: &Stopwatch,
    block: Duration,
    rounds: &Rounds,
    known_answer: KnownAnswer,
    emulated: bool,
) -> Quality {
    let ratio = known_answer.ratio(rounds);
    // An emulator translates instructions; the cycles of a real core say nothing about it.
    let instructions_per_cycle =
        if emulated { None } else { known_answer.instructions_per_cycle(rounds) };
    let mut reasons = Vec::new();
    match ratio {
        Some(ratio) if (ratio - 2.0).abs() <= TOLERANCE => {}
        Some(ratio) if emulated => reasons.push(format!(
            "the known answer came out as {ratio:.3} and not 2.00 ± {TOLERANCE}: an emulator does \
             not keep the time of instructions, and whoever shares its CPUs shows in figures too"
        )),
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
    let own_cost = stopwatch.own_cost();
    let share = own_cost * 1e2 / block.as_nanos() as f64;
    if share > MOST_STOPWATCH_PERCENT {
        reasons.push(format!(
            "one reading of the stopwatch is {share:.1}% of a block: every price is too high by \
             as much; a longer --duration makes blocks longer"
        ));
    }
    let calibration = stopwatch.calibration();
    Quality {
        stopwatch: stopwatch.name().into(),
        stopwatch_hz: calibration.map(|c| c.hz.round()),
        stopwatch_error_ppm: calibration.map(|c| (c.error_ppm * 1e3).round() / 1e3),
        stopwatch_ns: (own_cost * 1e2).round() / 1e2,
        rounds: rounds.rounds,
        known_answer: ratio,
        instructions_per_cycle,
        noisy,
        reasons,
        ..Quality::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Raw;
    use toll_model::Stopped;

    /// Both chains and the additions as an emulator gives them, on a stopwatch of its own.
    fn judged(block: Duration, emulated: bool) -> Quality {
        let stopwatch = Stopwatch::Clock { why: "no constant_tsc" };
        let mut entries = Vec::new();
        let known_answer = KnownAnswer::add(&mut entries, &stopwatch);
        let raw = [1.0, 1.9, 2.0].map(|cost| Raw {
            kept: (0..20).map(|round| (round, cost)).collect(),
            ..Raw::default()
        });
        let rounds = Rounds { raw: raw.into(), rounds: 20, stopped: Stopped::Time };
        of(&stopwatch, block, &rounds, known_answer, emulated)
    }

    #[test]
    fn an_emulator_is_not_taken_for_a_shared_core() {
        let quality = judged(Duration::from_secs(1), true);
        assert!(quality.noisy && quality.reasons[0].contains("an emulator"), "{quality:?}");
        assert!(quality.instructions_per_cycle.is_none());
        assert!(!quality.reasons.iter().any(|why| why.contains("hardware thread")));
        let quality = judged(Duration::from_secs(1), false);
        let shared = quality.reasons.iter().any(|why| why.contains("hardware thread"));
        assert_eq!(shared, cfg!(target_arch = "x86_64"), "{quality:?}");
    }

    #[test]
    fn a_stopwatch_that_fills_its_blocks_is_said() {
        let said =
            |block| judged(block, true).reasons.iter().any(|why| why.contains("% of a block"));
        assert!(said(Duration::from_nanos(100)));
        assert!(!said(Duration::from_secs(1)));
    }
}
