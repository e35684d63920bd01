//! Every recorded and composed machine, read whole and held against its snapshot.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use toll_host::Roots;
use toll_model::Fact;
use toll_model::host::{Host, HypervisorKind, LibcKind};
use toll_testing::{fixture_host, fixture_hosts};

fn host(name: &str) -> Host {
    toll_host::read(&Roots::fixture(&fixture_host(name)))
}

#[test]
fn every_machine_reads_as_its_snapshot() {
    for folder in fixture_hosts() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let host = toll_host::read(&Roots::fixture(&folder));
        insta::assert_json_snapshot!(name, host);
    }
}

#[test]
fn every_reading_survives_its_json() {
    for folder in fixture_hosts() {
        let host = toll_host::read(&Roots::fixture(&folder));
        let back: Host = serde_json::from_str(&serde_json::to_string(&host).unwrap()).unwrap();
        assert_eq!(back, host, "{}", folder.display());
    }
}

#[test]
fn hypervisors_are_told_apart() {
    for (name, kind) in [
        ("bare-metal-tsc", HypervisorKind::BareMetal),
        ("bare-metal-demoted", HypervisorKind::BareMetal),
        ("kvm-guest-tsc", HypervisorKind::Kvm),
        ("nitro", HypervisorKind::Nitro),
        ("xen-ec2", HypervisorKind::Xen),
        ("hyperv", HypervisorKind::HyperV),
        ("vmware", HypervisorKind::Vmware),
    ] {
        assert_eq!(host(name).hypervisor.kind, kind, "{name}");
    }
}

#[test]
fn a_demotion_is_final_and_quoted_with_its_cause() {
    let host = host("bare-metal-demoted");
    let demotion = host.clocksource.demotion.known().unwrap().clone().unwrap();
    assert_eq!(demotion.reason, "clocksource watchdog");
    assert!(demotion.watchdog.iter().any(|line| line.message.contains("skewed 436888 ns")));
    assert!(host.tsc.forbidden().unwrap().fact.contains("Marking TSC unstable"));
}

#[test]
fn evidence_comes_strongest_first() {
    for folder in fixture_hosts() {
        let tsc = toll_host::read(&Roots::fixture(&folder)).tsc;
        assert!(tsc.evidence.is_sorted_by_key(|piece| piece.kind), "{}", folder.display());
    }
}

#[test]
fn a_pod_tells_what_it_may_and_keeps_its_secrets() {
    let host = host("locked-pod");
    assert_eq!(host.container.kind.as_deref(), Some("kubernetes"));
    assert_eq!(host.container.cpu_quota, Fact::Known(Some(0.5)));
    assert_eq!(host.libc.known().unwrap().kind, LibcKind::Musl);
    let jvm = &host.jvms.known().unwrap()[0];
    assert_eq!(jvm.processes[0].program, "orders.jar");
    assert!(jvm.processes[0].flags.contains(&"-XX:+UseSerialGC".to_owned()));
    let json = serde_json::to_string(&host).unwrap();
    assert!(!json.contains("made-up") && !json.contains("password"), "{json}");
}

#[test]
fn what_is_denied_is_there_with_its_reason() {
    let host = host("locked-pod");
    for reason in [
        host.kernel_log.reason(),
        host.clocksource.demotion.reason(),
        host.tsc.khz.reason(),
        host.syscall_tracing.tracepoints.reason(),
        host.syscall_tracing.audit.reason(),
    ] {
        let reason = reason.unwrap();
        assert!(reason.contains("permission denied (needs "), "{reason}");
    }
}

#[test]
fn a_machine_that_denies_everything_is_all_reasons() {
    let mut roots = Roots::fixture(&fixture_host("bare-metal-tsc"));
    roots.denied = ["/proc", "/sys", "/dev", "/etc", "/usr", "/bin", "/lib64", "/opt"]
        .map(str::to_owned)
        .to_vec();
    let host = serde_json::to_value(toll_host::read(&roots)).unwrap();
    for fact in [
        "/kernel",
        "/distribution",
        "/cpu/model",
        "/cpu/online",
        "/cpu/allowed",
        "/cpu/sockets",
        "/cpu/threads_per_core",
        "/cpu/governors",
        "/cpu/last_level_cache",
        "/cpu/clock_flags",
        "/hypervisor/product",
        "/container/cpu_quota",
        "/container/memory_limit",
        "/container/throttled",
        "/container/time_namespace",
        "/clocksource/current",
        "/clocksource/available",
        "/clocksource/requested",
        "/clocksource/demotion",
        "/syscall_tracing/tracer",
        "/syscall_tracing/seccomp",
        "/syscall_tracing/lsm",
        "/syscall_tracing/confinement",
        "/syscall_tracing/tracepoints",
        "/mitigations",
        "/memory",
        "/libc",
        "/privileges/euid",
        "/privileges/capabilities",
        "/privileges/perf_event_paranoid",
        "/steal",
        "/kernel_log",
        "/jvms",
    ] {
        let reason = host.pointer(fact).and_then(|fact| fact.get("unavailable"));
        let reason = reason.and_then(|reason| reason.as_str()).unwrap_or_default();
        assert!(reason.contains("permission denied"), "{fact}: {:?}", host.pointer(fact));
        assert!(reason.starts_with('/') || fact == "/libc", "{fact}: {reason}");
    }
}

#[test]
fn steal_alone_is_the_same_as_steal_in_the_whole() {
    let roots = Roots::fixture(&fixture_host("xen-ec2"));
    let alone = toll_host::read_steal(&roots);
    assert!(alone.is_known_and(|steal| steal.ticks == 812_331), "{alone:?}");
    assert_eq!(alone, toll_host::read(&roots).steal);
}
