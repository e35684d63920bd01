//! A recording of this machine reads like this machine.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../examples/record/recording.rs"]
mod recording;

use toll_host::Roots;
use toll_model::Host;
use toll_model::host::EvidenceKind;

/// What differs between a live reading and its recording, made equal.
fn comparable(mut host: Host) -> Host {
    // What time changes.
    host.steal = Default::default();
    if let toll_model::Fact::Known(memory) = &mut host.memory {
        memory.available = 0;
    }
    // What only a running kernel can be asked.
    host.tsc.evidence.retain(|piece| piece.kind != EvidenceKind::ProcessMayRead);
    host.tsc.evidence.retain(|piece| !piece.fact.starts_with("MSR"));
    // What a recording leaves out on purpose.
    if let toll_model::Fact::Known(kernel) = &mut host.kernel {
        kernel.release = kernel.release.split('-').next().unwrap_or_default().to_owned();
    }
    if let toll_model::Fact::Known(jvms) = &mut host.jvms {
        for jvm in jvms.iter_mut() {
            jvm.processes.clear();
            jvm.found_by.clear();
        }
        jvms.retain(|jvm| !jvm.launcher.is_empty());
        jvms.sort_by(|a, b| a.home.cmp(&b.home));
    }
    host.container.kind = None;
    host.container.evidence.clear();
    // Its reason is an error of the running kernel, not a missing file.
    host.syscall_tracing.confinement = Default::default();
    host
}

#[test]
fn a_recording_reads_like_the_machine() {
    let both = || {
        let folder = tempfile::tempdir().unwrap();
        recording::record(folder.path()).unwrap();
        let recorded = comparable(toll_host::read(&Roots::fixture(folder.path())));
        let live = comparable(toll_host::read(&Roots::live()));
        (serde_json::to_value(recorded).unwrap(), serde_json::to_value(live).unwrap())
    };
    // Somebody may log a line or change a setting between the two readings, but not always.
    let (recorded, live) =
        (0..5).map(|_| both()).find(|(recorded, live)| recorded == live).unwrap_or_else(both);
    assert_eq!(recorded, live, "left: recorded, right: live");
}
