//! The hypervisor's own word on the TSC.

use super::piece;
use crate::cpu_info::Info;
use crate::cpuid::{Leaves, hypervisor_leaves};
use crate::missing::Missing;
use raw_cpuid::CpuIdReader;
use toll_model::host::{EvidenceKind as Kind, TscEvidence, Verdict};

/// One piece for each hypervisor that shows its leaves; none on bare metal.
pub(super) fn read(
    leaves: &Result<Leaves, String>,
    info: &Result<Info, Missing>,
) -> Vec<TscEvidence> {
    let Ok(leaves) = leaves else { return Vec::new() };
    hypervisor_leaves(leaves)
        .into_iter()
        .filter_map(|(base, signature)| match signature.as_str() {
            "KVMKVMKVM" => Some(kvm(leaves, base)),
            "XenVMMXenVMM" => Some(xen(leaves, base)),
            "Microsoft Hv" => Some(hyperv(leaves, base)),
            "VMwareVMware" => vmware(info),
            _ => None,
        })
        .collect()
}

/// Source: Documentation/virt/kvm/x86/cpuid.rst, KVM_FEATURE_CLOCKSOURCE_STABLE_BIT.
fn kvm(leaves: &Leaves, base: u32) -> TscEvidence {
    let leaf = base + 1;
    if leaves.cpuid1(leaf).eax & (1 << 24) != 0 {
        let fact = format!(
            "KVM CPUID {leaf:#x} EAX[24] = 1: the host promises a clock without warps between CPUs"
        );
        piece(Kind::Hypervisor, Verdict::For, fact)
    } else {
        let fact =
            format!("KVM CPUID {leaf:#x} EAX[24] = 0: the host promises nothing of its clock");
        piece(Kind::Hypervisor, Verdict::Open, fact)
    }
}

/// Source: xen/include/public/arch-x86/cpuid.h, leaf 4; `xen_tsc_safe_clocksource` of
/// arch/x86/xen/time.c wants mode 2.
fn xen(leaves: &Leaves, base: u32) -> TscEvidence {
    let leaf = base + 3;
    let registers = leaves.cpuid2(leaf, 0);
    let emulated = registers.eax & 1 != 0;
    let safe = registers.eax & 2 != 0;
    let mode = match registers.ebx {
        0 => "0 (default)",
        1 => "1 (always emulate)",
        2 => "2 (never emulate)",
        3 => "3 (PVRDTSCP)",
        _ => "unknown",
    };
    let (verdict, says) = match (emulated, registers.ebx, safe) {
        (true, ..) => (Verdict::Against, "every rdtsc is trapped and emulated"),
        (false, 2, _) => (Verdict::For, "native, and stays so"),
        (false, _, true) => (Verdict::For, "native, and the host's own TSC is reliable"),
        _ => (Verdict::Open, "native for now; a migration may change that"),
    };
    piece(Kind::Hypervisor, verdict, format!("Xen CPUID {leaf:#x}: tsc_mode {mode}, {says}"))
}

/// Source: Hyper-V TLFS, feature identification, EAX[15] AccessTscInvariantControls; Linux keeps
/// the TSC only where it is granted (arch/x86/kernel/cpu/mshyperv.c).
fn hyperv(leaves: &Leaves, base: u32) -> TscEvidence {
    let leaf = base + 3;
    if leaves.cpuid1(leaf).eax & (1 << 15) != 0 {
        let fact = format!("Hyper-V CPUID {leaf:#x} EAX[15] = 1: invariant TSC is granted");
        piece(Kind::Hypervisor, Verdict::For, fact)
    } else {
        let fact = format!(
            "Hyper-V CPUID {leaf:#x} EAX[15] = 0: no invariant TSC; Linux uses the reference page"
        );
        piece(Kind::Hypervisor, Verdict::Against, fact)
    }
}

/// Linux sets `tsc_reliable` under VMware (arch/x86/kernel/cpu/vmware.c).
fn vmware(info: &Result<Info, Missing>) -> Option<TscEvidence> {
    let reliable = info.as_ref().ok()?.has_flag("tsc_reliable")?;
    Some(if reliable {
        piece(Kind::Hypervisor, Verdict::For, "VMware: CPU flag tsc_reliable is set")
    } else {
        piece(Kind::Hypervisor, Verdict::Open, "VMware: CPU flag tsc_reliable is not set")
    })
}
