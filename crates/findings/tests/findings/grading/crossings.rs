//! Grading of what enters the kernel: clocks that leave the vDSO, and system calls made dear.

use crate::support::{GETPPID, REALTIME, commands, host, only, priced, run_with, status, text};
use toll_model::host::{Audit, Seccomp};
use toll_model::probe::{FallbackOutcome, VdsoFallback};
use toll_model::{CheckStatus, Fact, Host, Level};

fn fallback(clock: &str, trapped: bool) -> VdsoFallback {
    VdsoFallback {
        clock: clock.into(),
        outcome: Fact::Known(FallbackOutcome {
            method: "syscall-user-dispatch".into(),
            trapped,
            vdso_offset: trapped.then_some(0xa5d),
            syscall: trapped.then_some(228),
        }),
    }
}

#[test]
fn cpu_time_clocks_are_expected_to_leave_the_vdso() {
    let mut run = run_with(
        host("tsc", &["tsc"]),
        &[("clock/CLOCK_PROCESS_CPUTIME_ID/libc/native/t1", 536.0)],
    );
    run.probes.vdso_fallbacks =
        vec![fallback("CLOCK_REALTIME", false), fallback("CLOCK_PROCESS_CPUTIME_ID", true)];
    assert!(only(&mut run, "clock.leaves-vdso").is_empty());
    let (status, summary) = status(&run);
    assert_eq!(status, CheckStatus::Ok);
    assert!(summary.contains("CLOCK_PROCESS_CPUTIME_ID 536 ns"), "{summary}");
}

#[test]
fn leaving_the_vdso_is_graded_by_what_it_costs() {
    for (now, level) in [(30.0, Level::Info), (60.0, Level::Warn), (734.0, Level::Error)] {
        let mut run = priced(host("hpet", &["hpet"]), now, 22.4);
        run.probes.vdso_fallbacks =
            vec![fallback("CLOCK_REALTIME", true), fallback("CLOCK_REALTIME_COARSE", false)];
        let found = only(&mut run, "clock.leaves-vdso");
        assert_eq!(found[0].level, level);
        assert!(found[0].because[1].contains("can't read the clocksource in force, hpet"));
    }
}

#[test]
fn a_vdso_that_is_turned_off_names_the_parameter() {
    let mut host = host("tsc", &["tsc"]);
    host.vdso.disabled_by = Some("vdso=0".into());
    host.vdso.symbols = Fact::unavailable("no vDSO is mapped");
    let mut run = priced(host, 604.0, 22.4);
    let found = only(&mut run, "clock.leaves-vdso");
    assert_eq!(found[0].level, Level::Error);
    assert!(commands(&found).contains("take vdso=0 off"), "{}", text(&run));
}

#[test]
fn without_a_proof_the_ratio_is_called_a_hint() {
    let mut run = run_with(
        host("tsc", &["tsc"]),
        &[(REALTIME, 22.6), ("clock/CLOCK_REALTIME/syscall/native/t1", 246.0)],
    );
    only(&mut run, "clock.leaves-vdso");
    let (status, summary) = status(&run);
    assert_eq!(status, CheckStatus::Unavailable);
    assert!(summary.contains("a hint only") && summary.contains("246 ns"), "{summary}");
}

#[test]
fn system_calls_are_graded_by_who_watches_and_by_price() {
    let all_off = || {
        let mut host = Host::default();
        host.syscall_tracing.tracer = Fact::Known(0);
        host.syscall_tracing.seccomp = Fact::Known(Seccomp { mode: 0, filters: Some(0) });
        host.syscall_tracing.tracepoints = Fact::Known(Vec::new());
        host
    };
    let audit = Audit {
        enabled: true,
        evidence: "audit=1 on the kernel command line".into(),
        rules: Fact::Known(3),
    };
    let judge = |host: Host, ns: f64| {
        let mut run = run_with(host, &[(GETPPID, ns)]);
        only(&mut run, "crossing.dear-syscalls").first().map(|f| f.level)
    };
    assert_eq!(judge(all_off(), 166.0), None);
    assert_eq!(judge(all_off(), 400.0), Some(Level::Info));
    let mut traced = all_off();
    traced.syscall_tracing.tracer = Fact::Known(4711);
    assert_eq!(judge(traced, 166.0), Some(Level::Error));
    let mut audited = all_off();
    audited.syscall_tracing.audit = Fact::Known(audit);
    assert_eq!(judge(audited.clone(), 166.0), Some(Level::Warn));
    assert_eq!(judge(audited, 1_200.0), Some(Level::Error));
    let mut filtered = all_off();
    filtered.syscall_tracing.seccomp = Fact::Known(Seccomp { mode: 2, filters: Some(1) });
    assert_eq!(judge(filtered.clone(), 180.0), Some(Level::Info));
    assert_eq!(judge(filtered, 310.0), Some(Level::Warn));
    let mut emulated = all_off();
    emulated.hypervisor.emulated = true;
    assert_eq!(judge(emulated, 4_000.0), None);
}

#[test]
fn what_could_not_be_read_of_system_calls_is_listed() {
    let mut host = Host::default();
    host.syscall_tracing.tracer = Fact::Known(0);
    host.syscall_tracing.tracepoints =
        Fact::unavailable("/sys/kernel/tracing: permission denied (needs root)");
    let mut run = run_with(host, &[(GETPPID, 166.0)]);
    only(&mut run, "crossing.dear-syscalls");
    assert!(run.checks[0].summary.contains("needs root"), "{}", run.checks[0].summary);
}
