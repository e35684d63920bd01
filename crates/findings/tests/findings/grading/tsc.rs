//! Judgement of the TSC, and the advice of others on it.

use crate::support::{commands, host, only, priced, status};
use toll_model::host::{
    Demotion, EvidenceKind, HypervisorKind, Kernel, LogLine, TscEvidence, Verdict,
};
use toll_model::{CheckStatus, Fact, Level, Run, Tool};

fn evidence(kind: EvidenceKind, verdict: Verdict) -> TscEvidence {
    TscEvidence { kind, verdict, fact: format!("{kind:?}") }
}

#[test]
fn tsc_evidence_is_graded_by_who_depends_on_it() {
    use EvidenceKind::{Invariant, KernelLog};
    let judge = |current: &str, kind, verdict| {
        let mut host = host(current, &["tsc", "kvm-clock"]);
        host.tsc.evidence.push(evidence(kind, verdict));
        let mut run = Run::new(Tool::default(), host);
        only(&mut run, "clock.tsc-evidence").first().map(|f| f.level)
    };
    assert_eq!(judge("tsc", Invariant, Verdict::For), None);
    assert_eq!(judge("tsc", Invariant, Verdict::Against), Some(Level::Info));
    assert_eq!(judge("tsc", KernelLog, Verdict::Against), Some(Level::Warn));
    assert_eq!(judge("kvm-clock", KernelLog, Verdict::Against), Some(Level::Info));
    assert_eq!(judge("kvm-clock", Invariant, Verdict::Final), Some(Level::Warn));
    assert_eq!(judge("tsc", Invariant, Verdict::Final), Some(Level::Error));
}

#[test]
fn an_unreadable_log_is_said_and_the_rest_still_judged() {
    let mut host = host("tsc", &["tsc", "kvm-clock"]);
    host.tsc.evidence.push(evidence(EvidenceKind::Invariant, Verdict::For));
    host.clocksource.demotion =
        Fact::unavailable("/dev/kmsg: permission denied (needs CAP_SYSLOG)");
    let mut run = Run::new(Tool::default(), host);
    only(&mut run, "clock.tsc-evidence");
    let (status, summary) = status(&run);
    assert_eq!(status, CheckStatus::Ok);
    assert!(summary.contains("Invariant") && summary.contains("CAP_SYSLOG"), "{summary}");
}

#[test]
fn hyperv_gives_up_the_tsc_by_design() {
    let mut host = host("hyperv_clocksource_tsc_page", &["hyperv_clocksource_tsc_page"]);
    host.hypervisor.kind = HypervisorKind::HyperV;
    let mut run = Run::new(Tool::default(), host);
    let found = only(&mut run, "clock.tsc-evidence");
    assert_eq!(found[0].level, Level::Info);
    assert!(commands(&found).contains("Windows Server 2022"), "{}", commands(&found));
}

#[test]
fn advice_is_held_against_todays_figures() {
    for (now, told, recommends) in [
        (680.0, "today's figures bear it out", true),
        (26.0, "figures don't ask for it", false),
        (22.0, "no difference today", false),
    ] {
        let mut host = host("xen", &["xen", "tsc"]);
        host.hypervisor.kind = HypervisorKind::Xen;
        let mut run = priced(host, now, 22.4);
        let found = only(&mut run, "clock.hypervisor-advice");
        assert_eq!(found[0].level, Level::Info);
        assert!(found[0].summary.contains(told), "{}", found[0].summary);
        assert_eq!(commands(&found).contains("echo tsc"), recommends);
        assert!(found[0].because[1].contains("AWS re:Post"), "{:?}", found[0].because);
    }
}

#[test]
fn on_nitro_both_clocksources_are_in_order_and_the_source_is_cited() {
    for current in ["tsc", "kvm-clock"] {
        let mut host = host(current, &["tsc", "kvm-clock"]);
        host.hypervisor.kind = HypervisorKind::Nitro;
        let mut run = priced(host, 26.0, 22.4);
        assert!(only(&mut run, "clock.hypervisor-advice").is_empty());
        assert!(run.checks[0].summary.contains("AWS re:Post"), "{}", run.checks[0].summary);
    }
}

#[test]
fn a_parameter_that_turned_the_tsc_off_is_found_without_the_kernel_log() {
    let mut host = host("hpet", &["hpet", "acpi_pm"]);
    host.clocksource.demotion = Fact::unavailable("/dev/kmsg: permission denied");
    let judge = |parameters: &[&str]| {
        let mut host = host.clone();
        host.kernel = Fact::Known(Kernel {
            release: "6.1.0".into(),
            arch: "x86_64".into(),
            parameters: parameters.iter().map(|p| (*p).into()).collect(),
        });
        only(&mut Run::new(Tool::default(), host), "clock.tsc-evidence")[0].level
    };
    assert_eq!(judge(&["tsc=unstable"]), Level::Info);
    assert_eq!(judge(&["notsc"]), Level::Info);
    assert_eq!(judge(&["tsc=nowatchdog"]), Level::Warn);
}

#[test]
fn an_emulator_is_not_told_to_ask_its_provider() {
    let mut host = host("hpet", &["hpet"]);
    host.hypervisor.kind = HypervisorKind::Xen;
    host.hypervisor.emulated = true;
    host.clocksource.demotion = Fact::Known(Some(Demotion {
        line: LogLine {
            at_seconds: Some(0.003335),
            message: "tsc: Marking TSC unstable due to TSCs unsynchronized".into(),
        },
        reason: "TSCs unsynchronized".into(),
        watchdog: Vec::new(),
    }));
    let found = only(&mut Run::new(Tool::default(), host), "clock.tsc-evidence");
    let tried = commands(&found);
    assert!(tried.contains("-accel kvm") && !tried.contains("provider"), "{tried}");
    assert!(found[0].summary.contains("at boot + 0.003 s"), "{}", found[0].summary);
}
