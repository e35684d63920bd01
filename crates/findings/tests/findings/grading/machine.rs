//! Grading of JVMs and of what spoils a measurement.

use crate::support::{REALTIME, commands, host, only, run_with};
use std::collections::BTreeMap;
use toll_model::host::{Jvm, JvmProcess, Steal};
use toll_model::{Fact, Level, Quality, Run, Tool};

fn jvm(processes: Vec<JvmProcess>) -> Jvm {
    Jvm {
        home: "/usr/lib/jvm/java-17-openjdk-amd64".into(),
        launcher: "/usr/lib/jvm/java-17-openjdk-amd64/bin/java".into(),
        version: Some("17.0.15".into()),
        vendor: Some("debian".into()),
        found_by: vec!["PATH".into()],
        processes,
    }
}

#[test]
fn java_is_held_against_the_libc_call_under_it() {
    for (java, level) in
        [(25.4, None), (33.0, None), (40.0, Some(Level::Warn)), (120.0, Some(Level::Error))]
    {
        let mut host = host("tsc", &["tsc"]);
        host.jvms = Fact::Known(vec![jvm(Vec::new())]);
        let id = "clock/currentTimeMillis/libc/java-17.0.15-debian/t1";
        let instant = "clock/Instant.now/libc/java-17.0.15-debian/t1";
        let mut run = run_with(host, &[(REALTIME, 22.6), (id, java), (instant, 900.0)]);
        let found = only(&mut run, "java.installations");
        assert_eq!(found.first().map(|f| f.level), level, "{java}");
    }
}

#[test]
fn flags_of_running_jvms_are_judged_one_process_at_a_time() {
    let process = |pid, flags: &[&str], preload: Option<&str>| JvmProcess {
        pid,
        program: "app.jar".into(),
        flags: flags.iter().map(|f| (*f).into()).collect(),
        preload: preload.map(Into::into),
    };
    let mut host = host("tsc", &["tsc"]);
    host.jvms = Fact::Known(vec![jvm(vec![
        process(7, &["-XX:+UseG1GC"], None),
        process(8, &["-XX:-InlineNatives"], None),
        process(9, &[], Some("/usr/lib/faketime/libfaketime.so.1")),
    ])]);
    let mut run = Run::new(Tool::default(), host);
    let found = only(&mut run, "java.clock-flags");
    let told: Vec<_> = found.iter().map(|f| (f.level, &f.summary[..5])).collect();
    assert_eq!(told, [(Level::Warn, "JVM 9"), (Level::Info, "JVM 8")]);
}

#[test]
fn noise_is_graded_by_how_much_it_moves_figures() {
    let judge = |change: &dyn Fn(&mut Run)| {
        let mut run = Run::new(Tool::default(), host("tsc", &["tsc"]));
        run.host.steal = Fact::Known(Steal { ticks: 1, of: 1_000 });
        change(&mut run);
        only(&mut run, "machine.noise").first().map(|f| f.level)
    };
    assert_eq!(judge(&|_| ()), None);
    assert_eq!(
        judge(&|r| r.host.steal = Fact::Known(Steal { ticks: 20, of: 1_000 })),
        Some(Level::Info)
    );
    assert_eq!(
        judge(&|r| r.host.steal = Fact::Known(Steal { ticks: 60, of: 1_000 })),
        Some(Level::Warn)
    );
    assert_eq!(judge(&|r| r.host.container.cpu_quota = Fact::Known(Some(0.5))), Some(Level::Info));
    assert_eq!(
        judge(&|r| {
            r.host.container.cpu_quota = Fact::Known(Some(0.5));
            r.host.container.throttled = Fact::Known(812);
        }),
        Some(Level::Warn)
    );
    assert_eq!(judge(&|r| r.host.cpu.allowed = Fact::Known(vec![3])), Some(Level::Info));
    let governors = BTreeMap::from([("powersave".to_owned(), 8)]);
    assert_eq!(
        judge(&|r| r.host.cpu.governors = Fact::Known(governors.clone())),
        Some(Level::Info)
    );
    assert_eq!(judge(&|r| r.host.hypervisor.emulated = true), Some(Level::Warn));
    let noisy = Quality { noisy: true, steal_percent: Some(0.0), ..Quality::default() };
    assert_eq!(judge(&|r| r.quality = Some(noisy.clone())), Some(Level::Warn));
    let reached = |n| Quality { instructions_per_cycle: Some(n), ..Quality::default() };
    assert_eq!(judge(&|r| r.quality = Some(reached(2.2))), Some(Level::Info));
    assert_eq!(judge(&|r| r.quality = Some(reached(3.9))), None);
}

#[test]
fn nobody_is_told_to_wait_for_an_emulator_to_be_idle() {
    let mut run = Run::new(Tool::default(), host("tsc", &["tsc"]));
    run.host.hypervisor.emulated = true;
    run.quality = Some(Quality { noisy: true, steal_percent: Some(9.0), ..Quality::default() });
    let tried = commands(&only(&mut run, "machine.noise"));
    assert!(tried.contains("on the hardware itself"), "{tried}");
    assert!(!tried.contains("idle") && !tried.contains("instance"), "{tried}");
}
