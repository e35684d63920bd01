//! Grading of what was observed of the clocks: steps, ticks, cores.

use crate::support::{host, only};
use toll_model::probe::{CoreOffset, OffsetOutcome, Steps, StepsOutcome};
use toll_model::{CheckStatus, Fact, Level, Quality, Run, Tool};

fn steps(clock: &str, smallest: Option<f64>, zero: u64, backward: u64, getres: f64) -> Steps {
    Steps {
        clock: clock.into(),
        outcome: Fact::Known(StepsOutcome {
            readings: 1_000,
            smallest_ns: smallest,
            median_ns: smallest,
            zero,
            backward,
            worst_backward_ns: if backward > 0 { 381.0 } else { 0.0 },
            getres_ns: Some(getres),
            ..StepsOutcome::default()
        }),
    }
}

#[test]
fn a_clock_that_steps_back_is_an_error_unless_it_may_be_set() {
    for (clock, backward, level) in [
        ("CLOCK_MONOTONIC", 0, None),
        ("CLOCK_MONOTONIC", 1, Some(Level::Error)),
        ("CLOCK_REALTIME", 1, Some(Level::Warn)),
    ] {
        let mut run = Run::new(Tool::default(), host("tsc", &["tsc"]));
        run.probes.steps.push(steps(clock, Some(20.0), 0, backward, 1.0));
        assert_eq!(only(&mut run, "clock.steps-back").first().map(|f| f.level), level, "{clock}");
    }
}

#[test]
fn a_tick_counts_only_where_readings_were_equal() {
    for (smallest, zero, getres, level) in [
        // The step is what a call takes: nothing is told of the tick.
        (Some(22.0), 0, 1.0, None),
        (Some(100.0), 500, 1.0, Some(Level::Info)),
        (Some(1_000.0), 900, 1.0, Some(Level::Warn)),
        (Some(4e6), 999, 4e6, None),
        (Some(8e6), 999, 4e6, Some(Level::Warn)),
        (None, 1_000, 4e6, None),
        (None, 1_000, 1.0, Some(Level::Warn)),
    ] {
        let mut run = Run::new(Tool::default(), host("tsc", &["tsc"]));
        run.probes.steps.push(steps("CLOCK_REALTIME", smallest, zero, 0, getres));
        let found = only(&mut run, "clock.coarse-tick");
        assert_eq!(found.first().map(|f| f.level), level, "{smallest:?} {zero} {getres}");
    }
}

#[test]
fn cores_agree_within_a_bound_and_never_by_zero() {
    for (bound, backward, level) in [
        ([-240.0, 260.0], 0, None),
        ([120.0, 900.0], 0, Some(Level::Warn)),
        ([-900.0, -120.0], 0, Some(Level::Warn)),
        ([-240.0, 260.0], 1, Some(Level::Error)),
    ] {
        let mut run = Run::new(Tool::default(), host("tsc", &["tsc"]));
        run.probes.core_offsets.push(CoreOffset {
            cpus: [0, 1],
            outcome: Fact::Known(OffsetOutcome {
                bound_ns: bound,
                round_trip_ns: 500.0,
                rounds: 1_000,
                backward,
                worst_backward_ns: 30.0 * backward as f64,
                ..OffsetOutcome::default()
            }),
        });
        let found = only(&mut run, "clock.cores-disagree");
        assert_eq!(found.first().map(|f| f.level), level, "{bound:?}");
        if level.is_none() {
            let summary = &run.checks[0].summary;
            assert!(summary.contains("±260 ns") && summary.contains("would not show"), "{summary}");
        }
    }
}

#[test]
fn a_clock_that_was_held_back_is_not_said_to_tick() {
    for (current, emulated, standstills, level, told) in [
        // Once, for 900 of 1000 readings.
        ("tsc", false, Some(1), Some(Level::Warn), "stood still"),
        ("tsc", true, Some(1), Some(Level::Info), "stood still"),
        // Between any two ticks; or nobody counted.
        ("tsc", false, Some(99), Some(Level::Warn), "ticks every"),
        ("tsc", false, None, Some(Level::Warn), "ticks every"),
        // A clocksource that has no tick.
        ("xen", false, Some(99), Some(Level::Warn), "stood still"),
    ] {
        let mut run = Run::new(Tool::default(), host(current, &[current]));
        run.host.hypervisor.emulated = emulated;
        let mut seen = steps("CLOCK_REALTIME", Some(45_000.0), 900, 0, 1.0);
        if let Fact::Known(outcome) = &mut seen.outcome {
            outcome.standstills = standstills;
        }
        run.probes.steps.push(seen);
        let found = only(&mut run, "clock.coarse-tick");
        assert_eq!(found.first().map(|f| f.level), level, "{current} {standstills:?}");
        assert!(found[0].summary.contains(told), "{}", found[0].summary);
    }
}

#[test]
fn ticks_that_were_stolen_are_not_held_against_a_coarse_clock() {
    for (emulated, steal, level) in
        [(false, 0.0, Some(Level::Warn)), (false, 9.0, None), (true, 0.0, None)]
    {
        let mut run = Run::new(Tool::default(), host("tsc", &["tsc"]));
        run.host.hypervisor.emulated = emulated;
        run.quality = Some(Quality { steal_percent: Some(steal), ..Quality::default() });
        run.probes.steps.push(steps("CLOCK_REALTIME_COARSE", Some(8e6), 999, 0, 4e6));
        let found = only(&mut run, "clock.coarse-tick");
        assert_eq!(found.first().map(|f| f.level), level, "{emulated} {steal}");
    }
}

#[test]
fn one_cpu_has_no_other_to_disagree_with() {
    for (online, allowed, told) in [
        (vec![0], vec![0], (CheckStatus::Ok, "one CPU")),
        (vec![0, 1], vec![1], (CheckStatus::Unavailable, "CPU 1 alone")),
        (vec![0, 1], vec![0, 1], (CheckStatus::Unavailable, "no pair of CPUs was compared")),
    ] {
        let mut run = Run::new(Tool::default(), host("tsc", &["tsc"]));
        run.host.cpu.online = Fact::Known(online);
        run.host.cpu.allowed = Fact::Known(allowed);
        only(&mut run, "clock.cores-disagree");
        assert_eq!(run.checks[0].status, told.0);
        assert!(run.checks[0].summary.contains(told.1), "{}", run.checks[0].summary);
    }
}
