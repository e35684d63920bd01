//! Which clocksource is advised on which hypervisor, by whom, and where it says so.

use toll_model::Run;
use toll_model::host::{EvidenceKind, HypervisorKind, Verdict};

/// A published piece of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    /// What it is for: `Xen`.
    pub on: &'static str,
    /// The advised clocksources, best first. One that comes later is in order too.
    pub wants: &'static [&'static str],
    /// What is advised, and why.
    pub says: &'static str,
    /// Who says it: titles and publishers.
    pub source: &'static str,
}

const BARE_METAL: Advice = Advice {
    on: "bare metal",
    wants: &["tsc"],
    says: "tsc where the kernel has not demoted it, since it is a register and hpet and acpi_pm are \
           devices",
    source: "“Using Hardware Clocks for System Timestamping”, RHEL for Real Time 7 Tuning Guide, \
             Red Hat; ratings 300, 250 and 200 in the drivers of the Linux kernel",
};

const KVM_INVARIANT: Advice = Advice {
    on: "KVM with an invariant TSC",
    wants: &["tsc"],
    says: "tsc, since kvm-clock is not needed where the host exposes an invariant TSC",
    source: "“x86: kvmguest: use TSC clocksource if invariant TSC is exposed” (7539b174aef4), \
             Linux kernel",
};

const KVM: Advice = Advice {
    on: "KVM without an invariant TSC",
    wants: &["kvm-clock"],
    says: "kvm-clock, since it carries the TSC's rate across migrations",
    source: "“KVM guest timing management”, RHEL 7 Virtualization Deployment and Administration \
             Guide, Red Hat; arch/x86/kernel/kvmclock.c, Linux kernel",
};

const NITRO: Advice = Advice {
    on: "AWS Nitro",
    wants: &["tsc", "kvm-clock"],
    says: "tsc on Intel and AMD (kvm-clock in the same article until 2023 at least)",
    source: "“How do I manage the clock source for EC2 instances running Linux?”, AWS re:Post, as \
             quoted in awslabs/amazon-eks-ami #1328 (2023) and #2144 (2025)",
};

const XEN: Advice = Advice {
    on: "Xen",
    wants: &["tsc"],
    says: "tsc instead of xen, unless Xen emulates the TSC for this guest",
    source: "“How do I manage the clock source for EC2 instances running Linux?”, AWS re:Post; \
             “x86/xen/time: prefer tsc as clocksource when it is invariant” (2022), Linux kernel; \
             xen-tscmode(7), Xen Project",
};

const HYPERV: Advice = Advice {
    on: "Hyper-V",
    wants: &["tsc", "hyperv_clocksource_tsc_page"],
    says: "tsc from Windows Server 2022 on, else hyperv_clocksource_tsc_page; Linux chooses \
           rightly by itself, and the vDSO reads both",
    source: "“Clocks and Timers” (virt/hyperv/clocks), Linux kernel documentation",
};

const VMWARE: Advice = Advice {
    on: "VMware",
    wants: &["tsc"],
    says: "tsc, since VMware keeps it reliable; current distributions need no kernel parameter",
    source: "“Timekeeping best practices for Linux guests” (1006427), VMware; \
             arch/x86/kernel/cpu/vmware.c, Linux kernel",
};

/// The advice for the machine of `run`; `None` where nobody gives one.
pub(crate) fn of(run: &Run) -> Option<Advice> {
    let invariant = crate::tsc::verdict(run, EvidenceKind::Invariant) == Some(Verdict::For);
    match run.host.hypervisor.kind {
        HypervisorKind::BareMetal => Some(BARE_METAL),
        HypervisorKind::Kvm if invariant => Some(KVM_INVARIANT),
        HypervisorKind::Kvm => Some(KVM),
        HypervisorKind::Nitro => Some(NITRO),
        HypervisorKind::Xen => Some(XEN),
        HypervisorKind::HyperV => Some(HYPERV),
        HypervisorKind::Vmware => Some(VMWARE),
        HypervisorKind::Other | HypervisorKind::Unknown => None,
    }
}
