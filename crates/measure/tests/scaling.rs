//! Many at once, on this very machine.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{alone, host};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use toll_measure::clocks::{Clock, PathTo};
use toll_measure::scaling::{Outcome, Plan, measure};
use toll_model::{Fact, Host, ScalingVerdict};
use toll_testing::{Need, needs};

fn cpus(host: &Host) -> u32 {
    host.cpu.allowed.known().map_or(1, |cpus| cpus.len() as u32)
}

fn plan(names: &[&str]) -> Plan {
    let path = |clock: &Clock| match clock.name() {
        "rdtsc" | "cntvct" => PathTo::Inline,
        _ => PathTo::Vdso,
    };
    let clocks: Vec<Clock> = names.iter().map(|name| name.parse().unwrap()).collect();
    Plan {
        clocks: clocks.iter().map(|clock| (*clock, path(clock))).collect(),
        threads: Vec::new(),
        processes: Vec::new(),
        cpus: Vec::new(),
        budget: Duration::from_millis(1500),
        seed: 1,
    }
}

/// Tries until every row has a figure: on a machine with other work whole teams are disturbed.
fn run(plan: &Plan) -> Outcome {
    for attempt in 1.. {
        let outcome = measure(plan, &host(), &mut |_| {}, &AtomicBool::new(false)).unwrap();
        assert!(outcome.measurements.iter().all(toll_model::Measurement::is_whole), "{outcome:?}");
        let missing: Vec<_> =
            outcome.measurements.iter().filter_map(|row| row.unavailable.as_ref()).collect();
        if missing.is_empty() {
            return outcome;
        }
        println!("attempt {attempt}: {missing:?}");
        assert!(attempt < 10, "{missing:?}");
        assert!(missing.iter().all(|why| why.contains("disturbed")), "{missing:?}");
    }
    unreachable!()
}

#[test]
fn a_clock_of_the_vdso_scales_and_its_points_beyond_the_cpus_are_marked() {
    needs!(Need::Cpus(2));
    let _alone = alone();
    let count = cpus(&host());
    let plan = Plan { threads: vec![1, count, 2 * count], ..plan(&["CLOCK_MONOTONIC_COARSE"]) };
    for attempt in 1.. {
        let outcome = run(&plan);
        let [scaling] = &outcome.scaling[..] else { panic!("{outcome:?}") };
        let beyond: Vec<bool> = scaling.points.iter().map(|p| p.beyond_cpus).collect();
        assert_eq!(beyond, [false, false, true]);
        let ids: Vec<&str> = outcome.measurements.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(ids[0], "clock/CLOCK_MONOTONIC_COARSE/vdso/native/t1");
        assert!(outcome.measurements[2].notes[0].contains("more than there are CPUs"));
        // Twice as many on the same CPUs get no more done.
        let rate = |i: usize| scaling.points[i].calls_per_second;
        let turns = rate(2) < 1.25 * rate(1);
        match scaling.verdict {
            _ if !turns && attempt < 6 => println!("attempt {attempt}: {:?}", scaling.points),
            ScalingVerdict::Scales { .. } | ScalingVerdict::ScalesInPart { .. } => return,
            // Other work on the machine can hide it.
            _ if attempt < 6 => println!("attempt {attempt}: {:?}", scaling.verdict),
            _ => panic!("{scaling:?}"),
        }
    }
}

#[test]
fn processes_are_a_team_too() {
    let _alone = alone();
    let count = cpus(&host()).min(2);
    let plan = Plan { processes: vec![1, count], ..plan(&["CLOCK_MONOTONIC"]) };
    let outcome = run(&plan);
    assert_eq!(outcome.measurements[0].id, "clock/CLOCK_MONOTONIC/vdso/native/p1");
    assert!(outcome.measurements[0].median.unwrap() > 1.0, "{:?}", outcome.measurements[0]);
}

/// One thread of a team pays what the engine's own thread pays.
#[test]
fn one_of_a_team_pays_the_idle_price() {
    let _alone = alone();
    let host = host();
    let team = Plan { threads: vec![1], ..plan(&["CLOCK_MONOTONIC"]) };
    common::within(8, 0.05, "one thread of a team against the idle loop", || {
        let many = run(&team).measurements[0].median.unwrap();
        let idle = common::run(&common::clocks(&["CLOCK_MONOTONIC"]), &host);
        (many, common::price(&idle, "clock/CLOCK_MONOTONIC/vdso/native/t1"))
    });
}

#[test]
fn what_cannot_be_had_is_said() {
    let mut host = host();
    host.cpu.online = Fact::Known(vec![0]);
    let plan = Plan { threads: vec![1], cpus: vec![900], ..plan(&["CLOCK_MONOTONIC"]) };
    let error = measure(&plan, &host, &mut |_| {}, &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains("CPU 900 cannot be used"), "{error}");
}
