//! Machines that differ from a fixture in one respect.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use toll_host::Roots;
use toll_model::Fact;
use toll_model::host::{EvidenceKind, Host, HypervisorKind, Verdict};

/// A machine made of the files that a test cares about.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Machine { folder: tempfile::tempdir().unwrap() };
        machine
            .with("proc/sys/kernel/osrelease", "6.1.0\n")
            .with("proc/sys/kernel/arch", "x86_64\n")
    }

    fn with(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// CPUID leaves, with the hypervisor bit and what else is needed to find them.
    fn with_leaves(self, leaves: &[(u32, [u32; 4])]) -> Self {
        let mut text = String::from(
            r#"{"0x0": {"0x0": ["0x16", "0x0", "0x0", "0x0"]},
                "0x1": {"0x0": ["0x0", "0x0", "0x80000000", "0x0"]}"#,
        );
        for (leaf, registers) in leaves {
            let hex = registers.map(|value| format!("\"{value:#x}\"")).join(",");
            text += &format!(", \"{leaf:#x}\": {{\"0x0\": [{hex}]}}");
        }
        self.with("cpuid.json", text + "}")
    }

    fn read(&self) -> Host {
        toll_host::read(&Roots::fixture(self.folder.path()))
    }
}

/// A hypervisor's signature as its leaf holds it.
fn signature(highest: u32, name: &[u8; 12]) -> [u32; 4] {
    let part = |at: usize| u32::from_le_bytes(name[at..at + 4].try_into().unwrap());
    [highest, part(0), part(4), part(8)]
}

fn verdict(host: &Host, kind: EvidenceKind) -> Option<Verdict> {
    host.tsc.evidence_of(kind).map(|piece| piece.verdict)
}

#[test]
fn kvm_behind_hyperv_leaves_is_kvm() {
    let host = Machine::new()
        .with_leaves(&[
            (0x4000_0000, signature(0x4000_0005, b"Microsoft Hv")),
            (0x4000_0100, signature(0x4000_0101, b"KVMKVMKVM\0\0\0")),
        ])
        .read();
    assert_eq!(host.hypervisor.kind, HypervisorKind::Kvm);
    assert_eq!(host.hypervisor.evidence.len(), 2);
}

#[test]
fn qemu_without_kvm_is_emulation() {
    let leaves = [(0x4000_0000, signature(0x4000_0001, b"TCGTCGTCGTCG"))];
    let host = Machine::new().with_leaves(&leaves).read();
    assert_eq!(host.hypervisor.kind, HypervisorKind::Other);
    assert!(host.hypervisor.emulated);
}

#[test]
fn wsl_is_hyperv() {
    let release = "5.15.167.4-microsoft-standard-WSL2\n";
    let host = Machine::new().with("proc/sys/kernel/osrelease", release).read();
    assert_eq!(host.hypervisor.kind, HypervisorKind::HyperV);
    assert!(host.hypervisor.evidence[0].contains("WSL2"), "{:?}", host.hypervisor.evidence);
}

#[test]
fn dom0_is_told_by_xenfs_or_by_its_features() {
    let xen = || {
        Machine::new()
            .with_leaves(&[(0x4000_0000, signature(0x4000_0005, b"XenVMMXenVMM"))])
            .with("sys/hypervisor/type", "xen\n")
    };
    assert_eq!(xen().read().hypervisor.xen_dom0, None);
    let by_xenfs = xen().with("proc/xen/capabilities", "control_d\n").read();
    assert_eq!(by_xenfs.hypervisor.xen_dom0, Some(true));
    let by_features = xen().with("sys/hypervisor/properties/features", "00000705\n").read();
    assert_eq!(by_features.hypervisor.xen_dom0, Some(false));
    let by_features = xen().with("sys/hypervisor/properties/features", "00002f05\n").read();
    assert_eq!(by_features.hypervisor.xen_dom0, Some(true));
}

#[test]
fn a_tsc_that_xen_emulates_is_spoken_against() {
    let xen = |registers| {
        Machine::new()
            .with_leaves(&[
                (0x4000_0000, signature(0x4000_0005, b"XenVMMXenVMM")),
                (0x4000_0003, registers),
            ])
            .read()
    };
    let of = |registers| verdict(&xen(registers), EvidenceKind::Hypervisor);
    assert_eq!(of([1, 1, 2_300_000, 1]), Some(Verdict::Against));
    assert_eq!(of([0, 2, 2_300_000, 1]), Some(Verdict::For));
    assert_eq!(of([0, 0, 2_300_000, 1]), Some(Verdict::Open));
}

#[test]
fn hyperv_grants_the_tsc_by_a_bit() {
    let hyperv = |features| {
        Machine::new()
            .with_leaves(&[
                (0x4000_0000, signature(0x4000_000b, b"Microsoft Hv")),
                (0x4000_0003, [features, 0, 0, 0]),
            ])
            .read()
    };
    assert_eq!(verdict(&hyperv(0xae7f), EvidenceKind::Hypervisor), Some(Verdict::For));
    assert_eq!(verdict(&hyperv(0x2e7f), EvidenceKind::Hypervisor), Some(Verdict::Against));
}

#[test]
fn an_arm_machine_has_no_tsc_and_is_told_by_its_firmware() {
    let arm = |vendor: &str, product: &str| {
        Machine::new()
            .with("proc/sys/kernel/arch", "aarch64\n")
            .with(
                "proc/cpuinfo",
                "processor\t: 0\nFeatures\t: fp evtstrm aes ecv\nCPU implementer\t: 0x41\n\
                 CPU part\t: 0xd0c\n\n",
            )
            .with("sys/class/dmi/id/sys_vendor", vendor)
            .with("sys/class/dmi/id/product_name", product)
            .read()
    };
    let host = arm("Amazon EC2\n", "m6g.large\n");
    assert_eq!(host.hypervisor.kind, HypervisorKind::Nitro);
    assert!(host.tsc.evidence.is_empty());
    assert_eq!(host.tsc.khz.reason(), Some("only x86 has a TSC"));
    assert_eq!(host.cpu.vendor, Fact::Known("ARM".into()));
    assert!(host.cpu.model.is_known_and(|model| model.starts_with("Neoverse-N1")));
    assert_eq!(host.cpu.clock_flags, Fact::Known(vec!["ecv".into(), "evtstrm".into()]));
    assert_eq!(arm("Amazon EC2\n", "m6g.metal\n").hypervisor.kind, HypervisorKind::BareMetal);
}

#[test]
fn parameters_speak_of_the_tsc() {
    let of = |line: &str| {
        let host = Machine::new().with("proc/cmdline", line).read();
        (verdict(&host, EvidenceKind::CommandLine), host.clocksource.requested)
    };
    assert_eq!(of("quiet tsc=unstable").0, Some(Verdict::Against));
    assert_eq!(of("notsc").0, Some(Verdict::Against));
    assert_eq!(of("tsc=reliable").0, Some(Verdict::Open));
    assert_eq!(of("quiet"), (None, Fact::Known(None)));
    assert_eq!(of("clocksource=hpet").1, Fact::Known(Some("hpet".into())));
}

#[test]
fn a_log_without_its_beginning_proves_no_innocence() {
    let host = Machine::new()
        .with("kernel.log", "[  912.000000] clocksource: Switched to clocksource hpet\n")
        .read();
    let reason = host.clocksource.demotion.reason().unwrap();
    assert!(reason.contains("no longer reaches back to the boot (it begins 912 s after it)"));
    assert_eq!(verdict(&host, EvidenceKind::Demotion), Some(Verdict::Open));
    let host = Machine::new()
        .with("kernel.log", "[  912.0] tsc: Marking TSC unstable due to clocksource watchdog\n")
        .read();
    assert_eq!(verdict(&host, EvidenceKind::Demotion), Some(Verdict::Final));
}

/// Version 1 with a tighter limit above the process's own cgroup.
#[test]
fn the_tightest_limit_of_all_levels_counts() {
    let cpu = "sys/fs/cgroup/cpu,cpuacct";
    let host = Machine::new()
        .with("proc/self/cgroup", "4:cpu,cpuacct:/system.slice/app\n3:memory:/\n")
        .with(
            "proc/self/mountinfo",
            "30 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
             31 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
        )
        .with(&format!("{cpu}/system.slice/app/cpu.cfs_quota_us"), "400000\n")
        .with(&format!("{cpu}/system.slice/app/cpu.cfs_period_us"), "100000\n")
        .with(&format!("{cpu}/system.slice/app/cpu.stat"), "nr_periods 9\nnr_throttled 5\n")
        .with(&format!("{cpu}/system.slice/cpu.cfs_quota_us"), "150000\n")
        .with(&format!("{cpu}/system.slice/cpu.cfs_period_us"), "100000\n")
        .with(&format!("{cpu}/cpu.cfs_quota_us"), "-1\n")
        .with("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        .read();
    assert_eq!(host.container.cpu_quota, Fact::Known(Some(1.5)));
    assert_eq!(host.container.memory_limit, Fact::Known(None));
    assert_eq!(host.container.throttled, Fact::Known(5));
}

#[test]
fn containers_are_told_by_what_engines_leave() {
    let mount = |root: &str| format!("9 8 8:1 {root} /etc/hosts rw - ext4 /dev/sda1 rw\n");
    let docker = Machine::new()
        .with("proc/self/mountinfo", mount("/var/lib/docker/containers/0123/hosts"))
        .with("root/.dockerenv", "")
        .read();
    assert_eq!(docker.container.kind.as_deref(), Some("docker"));
    // The file alone comes with an image, in a virtual machine too.
    let image = Machine::new().with("root/.dockerenv", "").read();
    assert_eq!(image.container.kind, None);
    let nspawn = Machine::new().with("root/run/systemd/container", "systemd-nspawn\n").read();
    assert_eq!(nspawn.container.kind.as_deref(), Some("systemd-nspawn"));
    let host_path = "12:cpu:/kubepods/besteffort/pod1\n";
    let kubernetes = Machine::new().with("proc/self/cgroup", host_path).read();
    assert_eq!(kubernetes.container.kind.as_deref(), Some("kubernetes"));
}

#[test]
fn offsets_make_a_time_namespace() {
    let of = |offsets: &str| {
        Machine::new().with("proc/self/timens_offsets", offsets).read().container.time_namespace
    };
    assert_eq!(
        of("monotonic           0         0\nboottime            0         0\n"),
        Fact::Known(false)
    );
    assert_eq!(
        of("monotonic      -86400         0\nboottime            0         0\n"),
        Fact::Known(true)
    );
    assert!(of("nonsense\n").reason().is_some());
}

#[test]
fn a_process_other_than_self_can_be_looked_through() {
    let machine = Machine::new().with("proc/42/status", "Uid:\t7\t8\t7\t7\nTracerPid:\t99\n");
    let mut roots = Roots::fixture(Path::new(machine.folder.path()));
    roots.process = "42".into();
    let host = toll_host::read(&roots);
    assert_eq!(host.privileges.euid, Fact::Known(8));
    assert_eq!(host.syscall_tracing.tracer, Fact::Known(99));
}
