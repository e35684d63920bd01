//! Grading of the clocksource: prices, safety, who chose it.

use crate::support::{
    ADDED, REALTIME, TWIN, commands, host, only, priced, run_with, status, subject, text,
};
use toll_model::host::{Demotion, EvidenceKind, Kernel, LogLine, TscEvidence, Verdict};
use toll_model::probe::{FallbackOutcome, VdsoFallback};
use toll_model::{CheckStatus, Fact, Level, Measurement, Run, Tool};

#[test]
fn a_slow_clocksource_is_graded_by_ratio_but_never_over_a_few_nanoseconds() {
    for (now, under_tsc, level) in [
        (26.2, 22.4, Level::Info),
        (14.0, 4.5, Level::Info),
        (33.0, 22.4, Level::Info),
        (33.7, 22.4, Level::Warn),
        (111.9, 22.4, Level::Warn),
        (112.0, 22.4, Level::Error),
        (680.0, 33.0, Level::Error),
    ] {
        let mut run = priced(host("xen", &["xen", "tsc"]), now, under_tsc);
        let found = only(&mut run, "clock.slow-clocksource");
        assert_eq!(found[0].level, level, "{now} against {under_tsc}");
        assert!(commands(&found).contains("echo tsc"), "{}", text(&run));
        let cried = found[0].summary.contains("nothing to gain in practice");
        assert_eq!(cried, now - under_tsc < 10.0, "{}", found[0].summary);
    }
}

#[test]
fn a_clocksource_that_costs_no_more_is_in_order() {
    let mut run = priced(host("kvm-clock", &["tsc", "kvm-clock"]), 22.0, 22.4);
    assert!(only(&mut run, "clock.slow-clocksource").is_empty());
    assert_eq!(run.checks[0].status, CheckStatus::Ok);
    // Higher, but the intervals touch.
    let mut run = priced(host("kvm-clock", &["tsc", "kvm-clock"]), 23.0, 22.4);
    for row in &mut run.measurements {
        let median = row.median.unwrap();
        row.ci95 = Some([median - 0.5, median + 0.5]);
    }
    assert!(only(&mut run, "clock.slow-clocksource").is_empty());
    assert!(run.checks[0].summary.contains("no difference"), "{}", run.checks[0].summary);
}

#[test]
fn a_prediction_is_the_twin_plus_what_libc_adds() {
    let mut run = run_with(
        host("kvm-clock", &["tsc", "kvm-clock"]),
        &[(REALTIME, 26.2), ("clock/CLOCK_REALTIME/vdso/native/t1", 25.2), (TWIN, 21.4)],
    );
    let found = only(&mut run, "clock.slow-clocksource");
    assert!(found[0].summary.contains("would cost 22.4 ns"), "{}", found[0].summary);
    // Without libc's rows the vDSO's own price is held against the twin alone.
    let mut run = run_with(
        host("kvm-clock", &["tsc", "kvm-clock"]),
        &[("clock/CLOCK_REALTIME/vdso/native/t1", 25.2), (TWIN, 21.4)],
    );
    let found = only(&mut run, "clock.slow-clocksource");
    assert!(found[0].summary.contains("would cost 21.4 ns"), "{}", found[0].summary);
}

#[test]
fn a_tsc_that_is_not_safe_is_never_recommended() {
    let final_evidence = TscEvidence {
        kind: EvidenceKind::ProcessMayRead,
        verdict: Verdict::Final,
        fact: "PR_GET_TSC: PR_TSC_SIGSEGV".into(),
    };
    let demotion = Demotion {
        line: LogLine {
            at_seconds: Some(0.237),
            message: "tsc: Marking TSC unstable due to TSCs unsynchronized".into(),
        },
        reason: "TSCs unsynchronized".into(),
        watchdog: Vec::new(),
    };
    let mut absent = host("hpet", &["hpet", "acpi_pm"]);
    absent.clocksource.demotion = Fact::Known(Some(demotion.clone()));
    let mut demoted = host("hpet", &["hpet", "tsc"]);
    demoted.clocksource.demotion = Fact::Known(Some(demotion));
    let mut final_ = host("hpet", &["tsc", "hpet"]);
    final_.tsc.evidence.push(final_evidence);
    let mut unread = host("hpet", &[]);
    unread.clocksource.available = Fact::unavailable("available_clocksource: permission denied");
    for host in [absent, demoted, final_, unread] {
        let mut run = priced(host, 734.0, 22.4);
        let found = only(&mut run, "clock.slow-clocksource");
        assert_eq!(found[0].level, Level::Error);
        let commands = commands(&found);
        assert!(!commands.contains("echo tsc") && !commands.contains("=tsc"), "{commands}");
        assert!(commands.contains("in the program"), "{commands}");
    }
}

#[test]
fn the_chain_quotes_the_demotion() {
    let mut demoted = host("hpet", &["hpet", "acpi_pm"]);
    demoted.clocksource.demotion = Fact::Known(Some(Demotion {
        line: LogLine {
            at_seconds: Some(0.237),
            message: "tsc: Marking TSC unstable due to TSCs unsynchronized".into(),
        },
        reason: "TSCs unsynchronized".into(),
        watchdog: Vec::new(),
    }));
    let mut run = priced(demoted, 734.0, 22.4);
    run.probes.vdso_fallbacks.push(VdsoFallback {
        clock: "CLOCK_REALTIME".into(),
        outcome: Fact::Known(FallbackOutcome {
            method: "syscall-user-dispatch".into(),
            trapped: true,
            vdso_offset: Some(0xbe1),
            syscall: Some(228),
        }),
    });
    let because = only(&mut run, "clock.slow-clocksource")[0].because.join("\n");
    for part in ["vdso+0xbe1", "is hpet", "“tsc: Marking TSC unstable", "at boot + 0.24 s"] {
        assert!(because.contains(part), "{part} in {because}");
    }
}

#[test]
fn who_chose_the_clocksource_is_told_from_the_kernels_own_order() {
    for (available, requested, told) in [
        (["xen", "tsc"], None, "the kernel rates xen above tsc"),
        (["tsc", "xen"], None, "xen was chosen after boot"),
        (["tsc", "xen"], Some("xen"), "the administrator's choice"),
    ] {
        let mut host = host("xen", &available);
        host.clocksource.requested = Fact::Known(requested.map(Into::into));
        let mut run = priced(host, 680.0, 33.0);
        let because = only(&mut run, "clock.slow-clocksource")[0].because.join("\n");
        assert!(because.contains(told), "{told} in {because}");
    }
}

#[test]
fn without_prices_nothing_is_said_and_the_reason_is_given() {
    let mut run = Run::new(Tool::default(), host("hpet", &["hpet"]));
    let row = Measurement::unavailable(subject(REALTIME), "no libc probe could be started");
    run.measurements.push(row);
    only(&mut run, "clock.slow-clocksource");
    let (status, why) = status(&run);
    assert_eq!(status, CheckStatus::Unavailable);
    assert!(why.contains("no libc probe could be started"), "{why}");
}

#[test]
fn arm64_has_no_tsc_to_judge() {
    let mut host = host("arch_sys_counter", &["arch_sys_counter"]);
    host.kernel = Fact::Known(Kernel {
        release: "6.1.0".into(),
        arch: "aarch64".into(),
        parameters: Vec::new(),
    });
    for check in ["clock.slow-clocksource", "clock.tsc-evidence", "clock.hypervisor-advice"] {
        let mut run = priced(host.clone(), 30.0, 25.0);
        assert!(only(&mut run, check).is_empty());
        assert_eq!(status(&run).0, CheckStatus::Ok, "{check}");
    }
}

#[test]
fn where_readings_are_so_dear_that_libcs_share_drowns_a_coarse_clock_tells_it() {
    let row = |id: &str, ns: f64, half: f64| Measurement {
        median: Some(ns),
        ci95: Some([ns - half, ns + half]),
        ..Measurement::empty(subject(id))
    };
    let mut run = Run::new(Tool::default(), host("xen", &["xen", "tsc"]));
    run.measurements = vec![
        row(REALTIME, 60_400.0, 2_000.0),
        row(ADDED, 1_250.0, 9_000.0),
        row("clock/CLOCK_REALTIME_COARSE/libc-vdso/native/t1", 48.0, 5.0),
        row(TWIN, 142.0, 4.0),
    ];
    let found = only(&mut run, "clock.slow-clocksource");
    assert!(found[0].summary.contains("would cost 190 ns"), "{}", found[0].summary);
}

#[test]
fn without_a_vdso_the_system_call_is_the_price_and_no_switch_is_promised() {
    let mut host = host("hpet", &["hpet", "tsc"]);
    host.vdso.disabled_by = Some("vdso=0".into());
    host.vdso.symbols = Fact::unavailable("[vdso]: not mapped into this process");
    let call = "clock/CLOCK_REALTIME/syscall/native/t1";
    let mut run = run_with(host, &[(call, 3_450.0), (TWIN, 60.0)]);
    assert!(only(&mut run, "clock.slow-clocksource").is_empty());
    let (state, told) = status(&run);
    assert_eq!(state, CheckStatus::Unavailable);
    assert!(told.contains("3.45 µs under hpet by system call"), "{told}");
    let found = only(&mut run, "clock.leaves-vdso");
    assert!(found[0].summary.contains("CLOCK_REALTIME costs 3.45 µs"), "{}", found[0].summary);
    // The vDSO could not read this clocksource either.
    let gain = &found[0].remedies[0].gain;
    assert!(gain.contains("stay a system call under hpet"), "{gain}");
}
