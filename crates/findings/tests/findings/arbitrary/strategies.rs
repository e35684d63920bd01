//! Runs that hold anything: prices that are none, facts that contradict each other, gaps.

use crate::support::subject;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use toll_model::host::{
    Audit, Demotion, EvidenceKind, HypervisorKind, Jvm, JvmProcess, LogLine, Seccomp, Steal,
    TscEvidence, Verdict,
};
use toll_model::probe::{
    CoreOffset, FallbackOutcome, OffsetOutcome, Steps, StepsOutcome, VdsoFallback,
};
use toll_model::{Fact, Host, Measurement, Quality, Run, Tool};

const CLOCKS: [&str; 11] = [
    "CLOCK_REALTIME",
    "CLOCK_MONOTONIC",
    "CLOCK_MONOTONIC_RAW",
    "CLOCK_BOOTTIME",
    "CLOCK_TAI",
    "CLOCK_REALTIME_COARSE",
    "CLOCK_MONOTONIC_COARSE",
    "CLOCK_PROCESS_CPUTIME_ID",
    "CLOCK_THREAD_CPUTIME_ID",
    "gettimeofday",
    "time",
];
const SOURCES: [&str; 8] = [
    "tsc",
    "tsc-early",
    "kvm-clock",
    "xen",
    "hpet",
    "acpi_pm",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
];

/// Prices as they are, and as they must never be.
fn ns() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => 0.1..2_000.0_f64,
        1 => -50.0..0.0_f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
        1 => Just(0.0),
        1 => Just(f64::MAX),
        1 => Just(f64::MIN_POSITIVE),
    ]
}

fn id() -> impl Strategy<Value = String> {
    let path = prop_oneof![
        3 => Just("libc"),
        2 => Just("vdso"),
        1 => Just("syscall"),
        1 => Just("libc-vdso"),
        1 => Just("twin"),
    ];
    let shape = prop_oneof![4 => Just("t1"), 1 => Just("k1"), 1 => Just("k4"), 1 => Just("k16")];
    prop_oneof![
        12 => (prop::sample::select(&CLOCKS[..]), path, shape)
            .prop_map(|(clock, path, shape)| format!("clock/{clock}/{path}/native/{shape}")),
        3 => Just("clock/CLOCK_MONOTONIC/twin/native/t1".to_owned()),
        2 => Just("crossing/getppid/syscall/native/t1".to_owned()),
        1 => Just("clock/nanoTime/libc/java-17-x/t1".to_owned()),
        1 => Just("clock/currentTimeMillis/libc/java-17-x/t1".to_owned()),
    ]
}

fn measurement() -> impl Strategy<Value = Measurement> {
    (id(), option::weighted(0.9, ns()), option::of([ns(), ns()])).prop_map(|(id, median, ci95)| {
        let mut row = Measurement::empty(subject(&id));
        row.median = median;
        row.ci95 = ci95;
        row.unavailable = median.is_none().then(|| "not to be had".to_owned());
        row
    })
}

fn fact<T: std::fmt::Debug + Clone>(
    value: impl Strategy<Value = T>,
) -> impl Strategy<Value = Fact<T>> {
    option::weighted(0.8, value).prop_map(|known| match known {
        Some(value) => Fact::Known(value),
        None => Fact::unavailable("/proc/x: permission denied"),
    })
}

fn source() -> impl Strategy<Value = String> {
    prop::sample::select(&SOURCES[..]).prop_map(Into::into)
}

fn evidence() -> impl Strategy<Value = TscEvidence> {
    let kind = prop::sample::select(vec![
        EvidenceKind::Demotion,
        EvidenceKind::Available,
        EvidenceKind::KernelLog,
        EvidenceKind::Invariant,
        EvidenceKind::Hypervisor,
        EvidenceKind::ProcessMayRead,
    ]);
    let verdict =
        prop::sample::select(vec![Verdict::Final, Verdict::Against, Verdict::For, Verdict::Open]);
    (kind, verdict).prop_map(|(kind, verdict)| TscEvidence {
        kind,
        verdict,
        fact: format!("{kind:?} {verdict:?}"),
    })
}

fn demotion() -> impl Strategy<Value = Demotion> {
    let reason = prop::sample::select(vec![
        "clocksource watchdog",
        "TSCs unsynchronized",
        "running on Hyper-V",
        "boot parameter",
        "",
    ]);
    let line = prop::sample::select(vec![
        "'tsc' cs_nsec: 620000000 cs_now: 1",
        "'hpet' wd_nsec: 99999999999999999999999999 wd_now: 1",
        "hpet read-back delay of ns",
        "wd-tsc-wd read-back delay of 181880ns",
        "TSC warp",
    ]);
    (reason, option::of(ns()), vec(line, 0..4)).prop_map(|(reason, at_seconds, lines)| Demotion {
        line: LogLine { at_seconds, message: format!("tsc: Marking TSC unstable due to {reason}") },
        reason: reason.into(),
        watchdog: lines
            .into_iter()
            .map(|message| LogLine { at_seconds: None, message: message.into() })
            .collect(),
    })
}

prop_compose! {
    fn clock_facts()(
        current in fact(source()),
        available in fact(vec(source(), 0..4)),
        requested in fact(option::of(source())),
        demotion in fact(option::weighted(0.3, demotion())),
        evidence in vec(evidence(), 0..4),
        kind in prop::sample::select(vec![
            HypervisorKind::BareMetal, HypervisorKind::Kvm, HypervisorKind::Nitro,
            HypervisorKind::Xen, HypervisorKind::HyperV, HypervisorKind::Vmware,
            HypervisorKind::Other, HypervisorKind::Unknown,
        ]),
        emulated in any::<bool>(),
        disabled_by in option::weighted(0.2, Just("vdso=0".to_owned())),
        symbols in fact(vec(Just("__vdso_time".to_owned()), 0..2)),
    ) -> Host {
        let mut host = Host::default();
        host.clocksource.current = current;
        host.clocksource.available = available;
        host.clocksource.requested = requested;
        host.clocksource.demotion = demotion;
        host.tsc.evidence = evidence;
        host.hypervisor.kind = kind;
        host.hypervisor.emulated = emulated;
        host.vdso.disabled_by = disabled_by;
        host.vdso.symbols = symbols;
        host
    }
}

prop_compose! {
    fn host()(
        mut host in clock_facts(),
        tracer in fact(any::<u32>()),
        seccomp in fact((0..3_u32, option::of(any::<u32>()))),
        audit in fact(any::<bool>()),
        points in fact(vec(Just("raw_syscalls/sys_enter".to_owned()), 0..2)),
        quota in fact(option::of(ns())),
        throttled in fact(any::<u64>()),
        allowed in fact(vec(0..4_u32, 0..3)),
        steal in fact((any::<u64>(), any::<u64>())),
        flags in fact(vec(prop::sample::select(vec!["-Xint", "-XX:DisableIntrinsic=", "-XX:ControlIntrinsic=-"]), 0..3)),
    ) -> Host {
        host.syscall_tracing.tracer = tracer;
        host.syscall_tracing.seccomp = seccomp.map(|(mode, filters)| Seccomp { mode, filters });
        host.syscall_tracing.audit = audit.map(|enabled| Audit {
            enabled,
            evidence: "audit=1".into(),
            rules: Fact::default(),
        });
        host.syscall_tracing.tracepoints = points;
        host.container.cpu_quota = quota;
        host.container.throttled = throttled;
        host.cpu.allowed = allowed;
        host.steal = steal.map(|(ticks, of)| Steal { ticks, of });
        host.jvms = flags.map(|flags| vec![Jvm {
            home: "/j".into(),
            launcher: "/j/bin/java".into(),
            version: Some("17".into()),
            vendor: Some("x".into()),
            found_by: Vec::new(),
            processes: vec![JvmProcess {
                pid: 1,
                program: String::new(),
                flags: flags.into_iter().map(Into::into).collect(),
                preload: None,
            }],
        }]);
        host
    }
}

fn clock() -> impl Strategy<Value = String> {
    prop::sample::select(&CLOCKS[..]).prop_map(Into::into)
}

prop_compose! {
    fn fallback()(
        clock in clock(),
        outcome in fact((any::<bool>(), option::of(any::<u64>()), option::of(any::<i64>()))),
    ) -> VdsoFallback {
        let outcome = outcome.map(|(trapped, vdso_offset, syscall)| FallbackOutcome {
            method: "seccomp".into(),
            trapped,
            vdso_offset,
            syscall,
        });
        VdsoFallback { clock, outcome }
    }
}

prop_compose! {
    fn steps()(
        clock in clock(),
        outcome in fact((any::<u64>(), option::of(ns()), any::<u64>(), 0..3_u64, ns(), option::of(ns()))),
    ) -> Steps {
        let outcome = outcome.map(|(readings, step, zero, backward, worst, getres)| StepsOutcome {
            readings,
            smallest_ns: step,
            median_ns: step,
            zero,
            backward,
            worst_backward_ns: worst,
            getres_ns: getres,
            ..StepsOutcome::default()
        });
        Steps { clock, outcome }
    }
}

prop_compose! {
    fn offset()(
        outcome in fact(([ns(), ns()], ns(), any::<u64>(), prop_oneof![3 => Just(0), 1 => any::<u64>()])),
    ) -> CoreOffset {
        let outcome = outcome.map(|(bound_ns, trip, rounds, backward)| OffsetOutcome {
            bound_ns,
            round_trip_ns: trip,
            rounds,
            backward,
            worst_backward_ns: trip,
            ..OffsetOutcome::default()
        });
        CoreOffset { cpus: [0, 1], outcome }
    }
}

prop_compose! {
    pub(super) fn run()(
        host in host(),
        measurements in vec(measurement(), 0..30),
        fallbacks in vec(fallback(), 0..6),
        steps in vec(steps(), 0..4),
        offsets in vec(offset(), 0..3),
        steal in option::of(option::of(ns())),
    ) -> Run {
        let mut run = Run::new(Tool::default(), host);
        run.measurements = measurements;
        run.probes.vdso_fallbacks = fallbacks;
        run.probes.steps = steps;
        run.probes.core_offsets = offsets;
        run.quality = steal.map(|steal_percent| Quality { steal_percent, ..Quality::default() });
        run
    }
}
