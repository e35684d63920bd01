//! The views of what is measured instead of one thread's prices: many at once, single readings,
//! steps, order.

use insta::assert_snapshot;
use toll_model::host::HypervisorKind;
use toll_model::probe::{
    Bin, CoreOffset, Latency, LatencyOutcome, OffsetOutcome, Steps, StepsOutcome, WarpOutcome,
};
use toll_model::scaling::{Scaling, ScalingPoint};
use toll_model::{Fact, Host, Path, Run, Shape, Subject, Tool};
use toll_report::{View, clocks};

fn run() -> Run {
    let mut host = Host::default();
    host.hypervisor.kind = HypervisorKind::BareMetal;
    Run::new(Tool::default(), host)
}

/// Two sockets on HPET, as published: 644, 918, 1366, 1871 ns; 1.55, 2.18, 2.20, 2.14 M calls/s.
fn published_hpet() -> Scaling {
    let rates = [(1, 644.0, 1.55), (2, 918.0, 2.18), (3, 1366.0, 2.20), (4, 1871.0, 2.14)];
    let point = |(number, ns, millions): (u32, f64, f64)| ScalingPoint {
        number,
        ns_per_call: ns,
        calls_per_second: millions * 1e6,
        ci95: [millions * 0.99e6, millions * 1.01e6],
        beyond_cpus: number > 3,
    };
    let subject = Subject::clock("CLOCK_REALTIME", Path::Vdso, Shape::ONE);
    Scaling::judged(subject, rates.map(point).to_vec())
}

#[test]
fn a_serialised_clock_is_called_so() {
    let mut run = run();
    run.scaling = vec![published_hpet()];
    let subject = Subject::clock("CLOCK_TAI", Path::Syscall, Shape::Processes(1));
    run.scaling.push(Scaling::judged(subject, Vec::new()));
    assert_snapshot!(clocks::render(&run, &View::default()));
    run.host.hypervisor.emulated = true;
    assert!(clocks::render(&run, &View::default()).contains("emulated: function, not speed"));
}

#[test]
fn single_readings_steps_and_order() {
    let mut run = run();
    let latency = |clock: &str, outcome| Latency { clock: clock.into(), path: Path::Vdso, outcome };
    let seen = LatencyOutcome {
        readings: 500,
        p50_ns: 22.4,
        p99_ns: Some(31.0),
        p999_ns: None,
        max_ns: 41_000.0,
        stopwatch_ns: 20.0,
    };
    run.probes.latencies = vec![
        latency("CLOCK_REALTIME", Fact::Known(seen)),
        latency("CLOCK_TAI", Fact::unavailable("the kernel refuses this clock")),
    ];
    let bin = |from_ns: f64, to_ns: f64, count| Bin { from_ns, to_ns, count };
    run.probes.steps = vec![Steps {
        clock: "CLOCK_REALTIME".into(),
        outcome: Fact::Known(StepsOutcome {
            readings: 1_000_000,
            smallest_ns: Some(20.0),
            median_ns: Some(22.0),
            zero: 100_000,
            backward: 2,
            worst_backward_ns: 380.0,
            getres_ns: Some(1.0),
            distribution: vec![
                bin(-384.0, -352.0, 2),
                bin(0.0, 1.0, 100_000),
                bin(20.0, 22.0, 899_000),
                bin(1024.0, 1152.0, 998),
            ],
            ..StepsOutcome::default()
        }),
    }];
    run.probes.core_offsets = vec![CoreOffset {
        cpus: [0, 1],
        outcome: Fact::Known(OffsetOutcome {
            bound_ns: [-63.0, 111.0],
            round_trip_ns: 186.0,
            rounds: 90_000,
            fenced: Some(WarpOutcome { readings: 200_000, backward: 0, worst_ns: 0.0 }),
            unfenced: Some(WarpOutcome { readings: 200_000, backward: 36, worst_ns: 84.0 }),
            ..OffsetOutcome::default()
        }),
    }];
    assert_snapshot!(clocks::render(&run, &View { verbose: true, ..View::default() }));
}
