//! Runs made by hand: a healthy KVM guest, and one of which next to nothing is known.

use std::collections::BTreeMap;
use toll_model::host::{
    Cpu, Distribution, Host, Hypervisor, HypervisorKind, Kernel, Libc, LibcKind,
};
use toll_model::probe::{FallbackOutcome, VdsoFallback};
use toll_model::{
    CheckResult, CheckStatus, Fact, Finding, Level, Measurement, Path, Quality, Remedy, Run,
    ServedBy, Shape, Stopped, Subject, Tool,
};

pub(crate) fn tool() -> Tool {
    Tool {
        version: "0.1.0".into(),
        command: vec!["toll".into(), "check".into()],
        started: "2025-11-20T16:00:00Z".into(),
        duration_seconds: 3.24,
    }
}

pub(crate) fn host() -> Host {
    let known = |text: &str| Fact::Known(text.to_owned());
    let mut host = Host {
        kernel: Fact::Known(Kernel {
            release: "6.18.0".into(),
            arch: "x86_64".into(),
            parameters: Vec::new(),
        }),
        distribution: Fact::Known(Distribution {
            id: "debian".into(),
            name: "Debian GNU/Linux 12 (bookworm)".into(),
            version: Some("12".into()),
        }),
        cpu: Cpu {
            model: known("AMD EPYC 9B14"),
            online: Fact::Known(vec![0, 1]),
            allowed: Fact::Known(vec![0, 1]),
            ..Cpu::default()
        },
        hypervisor: Hypervisor {
            kind: HypervisorKind::Kvm,
            evidence: vec!["CPUID 0x40000000: KVMKVMKVM".into()],
            ..Hypervisor::default()
        },
        libc: Fact::Known(Libc {
            kind: LibcKind::Glibc,
            version: Some("2.36".into()),
            loader: "/lib64/ld-linux-x86-64.so.2".into(),
            program: "/usr/bin/true".into(),
        }),
        kernel_log: Fact::Known(Vec::new()),
        jvms: Fact::Known(Vec::new()),
        mitigations: Fact::Known(BTreeMap::new()),
        ..Host::default()
    };
    host.clocksource.current = known("tsc");
    host.clocksource.available = Fact::Known(vec!["tsc".into(), "kvm-clock".into()]);
    host.clocksource.demotion = Fact::Known(None);
    host.container.cpu_quota = Fact::Known(None);
    host.syscall_tracing.tracepoints = Fact::Known(Vec::new());
    host.syscall_tracing.lsm = Fact::Known(Vec::new());
    host.syscall_tracing.audit = Fact::unavailable("netlink audit: needs CAP_AUDIT_CONTROL");
    host.privileges.euid = Fact::Known(0);
    host
}

/// A row with a figure whose interval is `half` wide to either side.
pub(crate) fn priced(
    subject: Subject,
    ns: f64,
    half: f64,
    served_by: Option<ServedBy>,
) -> Measurement {
    Measurement {
        median: Some(ns),
        ci95: Some([ns - half, ns + half]),
        min: Some(ns - 2.0 * half),
        p99_of_blocks: Some(ns + 3.0 * half),
        discarded_blocks: 2,
        stopped: Some(if half < 0.01 * ns { Stopped::Precise } else { Stopped::Time }),
        served_by,
        ..Measurement::empty(subject)
    }
}

fn clock_rows(run: &mut Run, clock: &str, [vdso, libc, syscall]: [f64; 3], by: ServedBy) {
    let rows = &mut run.measurements;
    let subject = |path| Subject::clock(clock, path, Shape::ONE);
    rows.push(priced(subject(Path::Vdso), vdso, 0.02, Some(by)));
    rows.push(priced(subject(Path::Libc), libc, 0.03, Some(by)));
    rows.push(priced(subject(Path::Syscall), syscall, 0.9, Some(ServedBy::Kernel)));
    rows.push(priced(subject(Path::LibcMinusVdso), libc - vdso, 0.04, None));
    rows.push(priced(subject(Path::SyscallMinusVdso), syscall - vdso, 0.9, None));
    run.probes.vdso_fallbacks.push(VdsoFallback {
        clock: clock.into(),
        outcome: Fact::Known(FallbackOutcome {
            method: "syscall-user-dispatch".into(),
            trapped: by == ServedBy::Kernel,
            vdso_offset: (by == ServedBy::Kernel).then_some(0xbe1),
            syscall: (by == ServedBy::Kernel).then_some(228),
        }),
    });
}

/// Everything measured, little found.
pub(crate) fn healthy() -> Run {
    let mut run = Run::new(tool(), host());
    clock_rows(&mut run, "CLOCK_REALTIME", [22.34, 22.61, 231.8], ServedBy::Vdso);
    clock_rows(&mut run, "CLOCK_MONOTONIC", [22.31, 22.58, 233.1], ServedBy::Vdso);
    clock_rows(&mut run, "CLOCK_MONOTONIC_COARSE", [2.41, 4.33, 212.4], ServedBy::Vdso);
    clock_rows(&mut run, "CLOCK_PROCESS_CPUTIME_ID", [541.2, 545.9, 513.7], ServedBy::Kernel);
    let rows = &mut run.measurements;
    rows.push(Measurement::unavailable(
        Subject::clock("CLOCK_TAI", Path::Vdso, Shape::ONE),
        "the vDSO gives CLOCK_TAI to the kernel: it is no vDSO clock before Linux 5.3",
    ));
    rows.push(priced(Subject::clock("CLOCK_TAI", Path::Syscall, Shape::ONE), 232.0, 0.8, None));
    for (operation, path, ns) in [
        ("rdtsc", Path::User, 9.54),
        ("rdtscp", Path::UserOrdered, 18.61),
        ("lfence-rdtsc", Path::UserOrdered, 18.79),
        ("CLOCK_MONOTONIC", Path::Twin, 21.3),
    ] {
        let subject = Subject::clock(operation, path, Shape::ONE);
        rows.push(priced(subject, ns, 0.01, Some(ServedBy::User)));
    }
    let chain = Subject::native("engine", "multiply", Path::User, Shape::ONE);
    rows.push(priced(chain, 0.97, 0.01, None));
    let getppid = Subject::native("crossing", "getppid", Path::Syscall, Shape::ONE);
    rows.push(priced(getppid, 166.2, 0.6, Some(ServedBy::Kernel)));
    for (k, vdso, coarse, rdtsc, misses, fence) in [
        (1, 219.0, 34.0, 25.1, 20.2, 201.3),
        (4, 194.2, 26.4, 25.3, 61.4, 188.0),
        (16, 97.3, 60.2, 28.4, 252.0, 95.7),
    ] {
        let shape = Shape::Misses(k);
        let clock = |name, path| Subject::clock(name, path, shape);
        rows.push(priced(clock("CLOCK_MONOTONIC", Path::Vdso), vdso, 4.0, None));
        rows.push(priced(clock("CLOCK_MONOTONIC_COARSE", Path::Vdso), coarse, 0.2, None));
        rows.push(priced(clock("lfence-rdtsc", Path::UserOrdered), fence + 9.5, 0.2, None));
        rows.push(priced(clock("rdtsc", Path::User), rdtsc, 0.1, None));
        let engine = |name, path| Subject::native("engine", name, path, shape);
        rows.push(priced(engine("misses", Path::User), misses, 0.3, None));
        rows.push(priced(engine("lfence", Path::UserOrdered), fence, 0.5, None));
        rows.push(priced(engine("misses", Path::Libc), misses + 2.0, 0.3, None));
    }
    for (operation, ns) in
        [("currentTimeMillis", Some(25.3)), ("nanoTime", Some(24.1)), ("Instant.now", None)]
    {
        let subject = Subject {
            runtime: "java-17.0.15-debian".into(),
            ..Subject::clock(operation, Path::Libc, Shape::ONE)
        };
        rows.push(match ns {
            Some(ns) => priced(subject, ns, 0.2, None),
            None => Measurement::unavailable(subject, "the JVM died: exit status 134"),
        });
    }
    for row in rows.iter_mut().filter(|row| row.subject.path == Path::Libc) {
        row.notes.push("glibc 2.36 by /lib64/ld-linux-x86-64.so.2".into());
    }
    rows[0].notes.push("the vDSO's own symbol __vdso_clock_gettime".into());
    run.quality = Some(Quality {
        stopwatch: "tsc".into(),
        stopwatch_hz: Some(2.445_402e9),
        stopwatch_error_ppm: Some(0.012),
        stopwatch_ns: 9.5,
        cpu: Some(1),
        seed: 42,
        rounds: 1_812,
        known_answer: Some(2.001),
        instructions_per_cycle: Some(3.98),
        steal_percent: Some(0.0),
        noisy: false,
        reasons: Vec::new(),
    });
    run.checks = vec![
        check("clock.slow-clocksource", CheckStatus::Ok, "tsc is the fastest available here"),
        check("clock.leaves-vdso", CheckStatus::Found, "1 clock leaves the vDSO"),
        check("clock.cores-disagree", CheckStatus::Unavailable, "one CPU may be used: no pair"),
    ];
    run.findings = vec![Finding {
        id: "clock.leaves-vdso".into(),
        level: Level::Info,
        summary: "CLOCK_PROCESS_CPUTIME_ID is answered by the kernel: 541 ns a reading".into(),
        because: vec!["the vDSO falls back to a system call (trapped at vdso+0xbe1)".into()],
        evidence: vec!["syscall-user-dispatch: system call 228 at vdso+0xbe1".into()],
        remedies: Vec::new(),
    }];
    run
}

/// The long chain of a demoted TSC, with several ways out.
pub(crate) fn demoted() -> Run {
    let mut run = healthy();
    run.host.clocksource.current = Fact::Known("hpet".into());
    run.host.clocksource.available = Fact::Known(vec!["hpet".into(), "acpi_pm".into()]);
    run.findings.insert(
        0,
        Finding {
            id: "clock.slow-clocksource".into(),
            level: Level::Error,
            summary: "CLOCK_REALTIME costs 640 ns a reading where 22.6 ns would do: \
                      28 times what it could be on this very machine, every program pays it"
                .into(),
            because: vec![
                "the vDSO fell back to a system call (trapped at vdso+0xbe1)".into(),
                "the clocksource is hpet, which the vDSO cannot read".into(),
                "the kernel demoted tsc: \"Marking TSC unstable due to clocksource watchdog\", \
                 at boot + 0.24 s, after the watchdog had been late itself"
                    .into(),
            ],
            evidence: vec![
                "/sys/devices/system/clocksource/clocksource0/current_clocksource: hpet".into(),
                "clock/CLOCK_REALTIME/vdso/native/t1: 640 ns [639, 641]".into(),
            ],
            remedies: vec![
                Remedy {
                    command: "boot with tsc=reliable clocksource=tsc added to the kernel command line, then look at the log again".into(),
                    gain: "617 ns a reading: 22.6 ns predicted from the twin and this libc".into(),
                    risk: "if the TSC really is out of step, time goes wrong silently; \
                           rule that out first"
                        .into(),
                },
                Remedy {
                    command: "toll measure clocks".into(),
                    gain: "shows where a coarse clock would do".into(),
                    risk: "none".into(),
                },
            ],
        },
    );
    run.findings.insert(
        1,
        Finding {
            id: "crossing.dear-syscalls".into(),
            level: Level::Warn,
            summary: "system calls cost 420 ns".into(),
            because: vec!["auditing is on".into()],
            evidence: Vec::new(),
            remedies: Vec::new(),
        },
    );
    run.checks[0] = check("clock.slow-clocksource", CheckStatus::Found, "hpet");
    run
}

/// Nothing could be read and nothing measured.
pub(crate) fn blind() -> Run {
    let mut run = Run::new(tool(), Host::default());
    run.host.privileges.euid = Fact::Known(1000);
    run.host.kernel_log = Fact::unavailable("/dev/kmsg: permission denied (needs CAP_SYSLOG)");
    let why = "seccomp kills the measuring child: its profile would have to allow perf and prctl";
    for clock in ["CLOCK_REALTIME", "CLOCK_MONOTONIC"] {
        for path in [Path::Vdso, Path::Libc, Path::Syscall] {
            run.measurements
                .push(Measurement::unavailable(Subject::clock(clock, path, Shape::ONE), why));
        }
        let among = Subject::clock(clock, Path::Vdso, Shape::Misses(4));
        run.measurements.push(Measurement::unavailable(among, "no room for the buffer"));
        run.probes.vdso_fallbacks.push(VdsoFallback {
            clock: clock.into(),
            outcome: Fact::unavailable("prctl: operation not permitted"),
        });
    }
    let rdtsc = Subject::clock("rdtsc", Path::User, Shape::ONE);
    run.measurements.push(Measurement::unavailable(rdtsc, "PR_GET_TSC says SIGSEGV"));
    for id in ["clock.slow-clocksource", "clock.tsc-evidence", "machine.noise"] {
        run.checks.push(check(id, CheckStatus::Unavailable, "the clocksource is not known"));
    }
    run
}

fn check(id: &str, status: CheckStatus, summary: &str) -> CheckResult {
    CheckResult { id: id.into(), status, summary: summary.into() }
}
