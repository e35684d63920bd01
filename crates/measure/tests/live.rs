//! The promises of the measuring core, kept on this very machine.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use common::{JAR, SHIM, alone, clocks, host, price, run, with_shim, within};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use toll_measure::MeasureError;
use toll_measure::clocks::{Clock, InSitu, Plan, Progress, measure};
use toll_model::host::{Jvm, Libc, LibcKind};
use toll_model::{Fact, Path};
use toll_testing::{Need, needs};

const CHAIN: &str = "engine/multiply/user/native/t1";

#[test]
fn every_clock_is_there_by_every_path_or_with_its_reason() {
    let _alone = alone();
    let plan = Plan { clocks: Clock::all().collect(), ..clocks(&[]) };
    let outcome = run(&plan, &host());
    for clock in Clock::all() {
        let of_clock =
            || outcome.measurements.iter().filter(|m| m.subject.operation == clock.name());
        let paths: Vec<Path> = of_clock().map(|m| m.subject.path).collect();
        if clock.name().starts_with("CLOCK_") || clock.name() == "gettimeofday" {
            for path in [Path::Vdso, Path::Libc, Path::Syscall, Path::LibcMinusVdso] {
                assert!(paths.contains(&path), "{}: {paths:?}", clock.name());
            }
        }
        assert!(!paths.is_empty(), "{}", clock.name());
        for row in of_clock() {
            assert!(row.is_whole(), "{row:?}");
        }
    }
    // Without the object there is no libc row, and each says why.
    let libc: Vec<_> =
        outcome.measurements.iter().filter(|m| m.subject.path == Path::Libc).collect();
    assert!(libc.iter().all(|m| m.unavailable.as_deref().unwrap().contains("no probe for libc")));
}

#[test]
fn a_system_call_costs_more_than_the_vdso_and_libc_lies_between() {
    needs!(Need::File(SHIM));
    let _alone = alone();
    let outcome = run(&with_shim(clocks(&["CLOCK_MONOTONIC_COARSE"])), &host());
    let of =
        |path: &str| price(&outcome, &format!("clock/CLOCK_MONOTONIC_COARSE/{path}/native/t1"));
    assert!(of("vdso") < of("syscall") / 2.0);
    assert!(of("libc") < of("syscall"));
    assert!(of("libc") > of("vdso") * 0.8);
}

/// Twice the same command: medians within 2%, where the core itself ran at the same speed.
#[test]
fn the_same_plan_twice_gives_the_same_medians() {
    let _alone = alone();
    let host = host();
    let plan = clocks(&["CLOCK_MONOTONIC", "CLOCK_MONOTONIC_COARSE", "CLOCK_THREAD_CPUTIME_ID"]);
    for id in [
        "clock/CLOCK_MONOTONIC/vdso/native/t1",
        "clock/CLOCK_MONOTONIC_COARSE/vdso/native/t1",
        "clock/CLOCK_THREAD_CPUTIME_ID/syscall/native/t1",
    ] {
        within(6, 0.02, id, || {
            let (a, b) = (run(&plan, &host), run(&plan, &host));
            let speed = price(&a, CHAIN) / price(&b, CHAIN);
            (price(&a, id), price(&b, id) * speed)
        });
    }
}

#[test]
fn the_known_answer_is_two() {
    let _alone = alone();
    let host = host();
    within(6, 0.01, "the chain twice as long", || {
        (run(&clocks(&["time"]), &host).quality.known_answer.unwrap(), 2.0)
    });
}

/// The fence waits for misses: among four of them a fenced reading costs more than idle, an
/// unfenced one far less than that.
#[test]
fn among_misses_an_ordered_reading_costs_more_than_idle() {
    let _alone = alone();
    let host = host();
    let names = ["CLOCK_MONOTONIC", "CLOCK_MONOTONIC_COARSE"];
    let in_situ = InSitu {
        misses: vec![4],
        clocks: names.iter().map(|name| name.parse().unwrap()).collect(),
        every_path: false,
    };
    let plan = Plan { in_situ, budget: Duration::from_secs(1), ..clocks(&names) };
    let outcome = run(&plan, &host);
    let bare =
        outcome.measurements.iter().find(|m| m.id == "engine/misses/user/native/k4").unwrap();
    if let Some(why) = &bare.unavailable {
        println!("no field to miss in: {why}");
        return;
    }
    let of =
        |name: &str, shape: &str| price(&outcome, &format!("clock/{name}/vdso/native/{shape}"));
    assert!(of("CLOCK_MONOTONIC", "k4") > 1.5 * of("CLOCK_MONOTONIC", "t1"));
    assert!(of("CLOCK_MONOTONIC_COARSE", "k4") < of("CLOCK_MONOTONIC", "k4"));
}

#[test]
fn a_cpu_that_cannot_be_used_is_refused_with_those_that_can() {
    let host = host();
    let plan = Plan { cpu: Some(4_000), ..clocks(&["time"]) };
    let error = measure(&plan, &host, &mut |_| {}, &AtomicBool::new(false)).unwrap_err();
    let MeasureError::Cpu { cpu: 4_000, why, usable } = error else { panic!("{error}") };
    assert!(why.contains("offline or does not exist"), "{why}");
    assert!(!usable.is_empty());
}

#[test]
fn an_interrupted_run_keeps_what_it_got() {
    let _alone = alone();
    let host = host();
    let stop = AtomicBool::new(false);
    let plan = Plan { budget: Duration::from_secs(60), ..clocks(&["CLOCK_PROCESS_CPUTIME_ID"]) };
    let began = Instant::now();
    // Before the least number of rounds, so that no narrow interval ends it first.
    let mut progress = |under_way| {
        if matches!(under_way, Progress::Measuring(p) if p.rounds >= 8) {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    };
    let outcome = measure(&plan, &host, &mut progress, &stop).unwrap();
    assert!(outcome.interrupted);
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(price(&outcome, "clock/CLOCK_PROCESS_CPUTIME_ID/syscall/native/t1") > 0.0);
}

#[test]
fn a_libc_that_cannot_be_started_is_a_row_with_the_reason() {
    needs!(Need::File(SHIM));
    let mut host = host();
    for (program, expected) in
        [("/nonexistent/true", "cannot be started"), ("/proc/version", "cannot be started")]
    {
        host.libc = Fact::Known(Libc {
            kind: LibcKind::Glibc,
            version: None,
            loader: "/lib64/ld-linux-x86-64.so.2".into(),
            program: program.into(),
        });
        let outcome = run(&with_shim(clocks(&["time"])), &host);
        let row =
            outcome.measurements.iter().find(|m| m.id == "clock/time/libc/native/t1").unwrap();
        assert!(row.unavailable.as_deref().unwrap().contains(expected), "{row:?}");
    }
}

/// A program that ignores LD_PRELOAD because it is static.
#[test]
fn a_static_program_in_place_of_a_dynamic_one_is_found_out() {
    needs!(Need::File(SHIM), Need::Program("musl-gcc"));
    let folder = tempfile::tempdir().unwrap();
    let program = compiled("musl-gcc", &["-static"], folder.path());
    let mut host = host();
    host.libc = Fact::Known(libc_of(&program, LibcKind::Musl));
    let outcome = run(&with_shim(clocks(&["time"])), &host);
    let row = outcome.measurements.iter().find(|m| m.id == "clock/time/libc/native/t1").unwrap();
    assert!(row.unavailable.as_deref().unwrap().contains("could not be preloaded"), "{row:?}");
}

#[test]
fn musl_is_measured_as_well_as_glibc() {
    needs!(Need::File(SHIM), Need::Program("musl-gcc"));
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let program = compiled("musl-gcc", &[], folder.path());
    let mut host = host();
    host.libc = Fact::Known(libc_of(&program, LibcKind::Musl));
    let outcome = run(&with_shim(clocks(&["CLOCK_MONOTONIC", "time"])), &host);
    let monotonic = price(&outcome, "clock/CLOCK_MONOTONIC/libc/native/t1");
    assert!(monotonic > 1.0);
    // musl asks clock_gettime for the time in seconds: that is how one tells it from glibc.
    let time = price(&outcome, "clock/time/libc/native/t1");
    assert!(time > 1.5 * price(&outcome, "clock/time/vdso/native/t1"), "{time}");
}

fn compiled(compiler: &str, flags: &[&str], folder: &std::path::Path) -> String {
    let (source, program) = (folder.join("nothing.c"), folder.join("nothing"));
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let status = std::process::Command::new(compiler)
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(&source)
        .status()
        .unwrap();
    assert!(status.success());
    program.to_str().unwrap().into()
}

fn libc_of(program: &str, kind: LibcKind) -> Libc {
    Libc { kind, version: None, loader: String::new(), program: program.into() }
}

fn with_java(plan: Plan<'static>, java: Vec<Jvm>) -> Plan<'static> {
    let jar: &'static [u8] = std::fs::read(JAR).unwrap().leak();
    Plan { java, java_probe: Some(jar), java_named: true, ..plan }
}

#[test]
fn java_costs_at_least_what_the_vdso_does() {
    needs!(Need::Jvm, Need::File(JAR));
    let _alone = alone();
    let host = host();
    let java = host.jvms.known().cloned().unwrap_or_default();
    let runtimes: Vec<String> = java.iter().map(Jvm::runtime).collect();
    let plan = with_java(
        Plan { budget: Duration::from_secs(1), ..clocks(&["CLOCK_MONOTONIC", "CLOCK_REALTIME"]) },
        java,
    );
    let outcome = run(&plan, &host);
    let vdso = price(&outcome, "clock/CLOCK_MONOTONIC/vdso/native/t1");
    for runtime in runtimes {
        for operation in ["currentTimeMillis", "nanoTime", "Instant.now"] {
            let java = price(&outcome, &format!("clock/{operation}/libc/{runtime}/t1"));
            assert!(java > 0.8 * vdso, "{runtime} {operation}: {java} against {vdso}");
            assert!(java < 20.0 * vdso + 100.0, "{runtime} {operation}: {java} against {vdso}");
        }
    }
}

#[test]
fn a_jvm_that_dies_or_hangs_or_is_none_is_one_clear_error() {
    needs!(Need::File(JAR));
    let host = host();
    let jvm = |launcher: &str| Jvm {
        home: "/somewhere".into(),
        launcher: launcher.into(),
        version: Some("17".into()),
        vendor: None,
        found_by: vec![],
        processes: vec![],
    };
    for (launcher, expected) in [
        ("/bin/false", "it ended with exit status: 1"),
        ("/bin/true", "it ended with exit status: 0"),
        ("/nonexistent/java", "it cannot be started"),
        ("/bin/cat", "it"),
    ] {
        let plan = with_java(clocks(&["time"]), vec![jvm(launcher)]);
        let error = measure(&plan, &host, &mut |_| {}, &AtomicBool::new(false)).unwrap_err();
        let MeasureError::Jvm { launcher: named, why } = error else { panic!("{error}") };
        assert_eq!(named, launcher);
        assert!(why.contains(expected), "{launcher}: {why}");
    }
}
