//! What the machine runs on: CPUID first, then what the kernel and the firmware call it.

use crate::cpu_info::Info;
use crate::cpuid::{Leaves, hypervisor_bit, hypervisor_leaves};
use crate::kernel_log::KernelLog;
use crate::missing::Missing;
use crate::roots::Roots;
use toll_model::host::{Hypervisor, HypervisorKind as Kind};

const DMI: &str = "/sys/class/dmi/id";

/// What the machine runs on.
pub(crate) fn read(
    roots: &Roots,
    leaves: &Result<Leaves, String>,
    log: &Result<KernelLog, Missing>,
    info: Option<&Info>,
) -> Hypervisor {
    let mut evidence = Vec::new();
    let product = product(roots);
    let vendor = roots.line(&format!("{DMI}/sys_vendor")).unwrap_or_default();
    let mut kind = of_cpuid(leaves, info, &mut evidence);
    if let Ok(name) = roots.line("/sys/hypervisor/type") {
        evidence.push(format!("/sys/hypervisor/type: {name}"));
        if name == "xen" {
            kind = Kind::Xen;
        }
    }
    if kind == Kind::Unknown {
        kind = of_kernel(roots, log, &mut evidence);
    }
    // The Windows Subsystem for Linux is a guest of Hyper-V without firmware of its own.
    if let Ok(release) = roots.line("/proc/sys/kernel/osrelease")
        && release.to_ascii_lowercase().contains("microsoft")
    {
        evidence.push(format!("/proc/sys/kernel/osrelease: {release}"));
        if kind == Kind::Unknown {
            kind = Kind::HyperV;
        }
    }
    if let Ok(product) = &product {
        evidence.push(format!("DMI: {product}"));
    }
    evidence.extend(acpi_maker(roots).map(str::to_owned));
    kind = with_firmware(kind, &vendor, product.as_deref().unwrap_or_default());
    let emulated = is_emulated(leaves, info, &mut evidence);
    Hypervisor {
        xen_dom0: (kind == Kind::Xen).then(|| xen_dom0(roots, &mut evidence)).flatten(),
        kind,
        evidence,
        product: product
            .map_err(|missing| missing.absent("no DMI, as in microVMs and on many arm64 boards"))
            .into(),
        emulated,
    }
}

/// Without the hypervisor bit an x86 machine is bare metal, or its hypervisor hides.
fn of_cpuid(
    leaves: &Result<Leaves, String>,
    info: Option<&Info>,
    evidence: &mut Vec<String>,
) -> Kind {
    let Ok(leaves) = leaves else {
        return match info.and_then(|info| info.has_flag("hypervisor")) {
            Some(true) => {
                evidence.push("CPU flag hypervisor".into());
                Kind::Unknown
            }
            // Only x86 has the flag.
            Some(false) if info.is_some_and(|info| info.field("vendor_id").is_some()) => {
                evidence.push("no CPU flag hypervisor".into());
                Kind::BareMetal
            }
            _ => Kind::Unknown,
        };
    };
    if !hypervisor_bit(leaves) {
        evidence.push("CPUID 1 ECX[31] = 0: no hypervisor".into());
        return Kind::BareMetal;
    }
    let found = hypervisor_leaves(leaves);
    for (base, signature) in &found {
        evidence.push(format!("CPUID {base:#x}: {signature}"));
    }
    // Where several show, those further up are the real one: KVM and Xen offer Hyper-V's leaves
    // first, for Windows. Linux takes the highest too (arch/x86/kernel/cpu/hypervisor.c).
    match found.last().map(|(_, signature)| signature.as_str()) {
        Some("KVMKVMKVM" | "Linux KVM Hv") => Kind::Kvm,
        Some("XenVMMXenVMM") => Kind::Xen,
        Some("Microsoft Hv") => Kind::HyperV,
        Some("VMwareVMware") => Kind::Vmware,
        Some(_) => Kind::Other,
        None => {
            evidence.push("CPUID 1 ECX[31] = 1, but no hypervisor names itself".into());
            Kind::Other
        }
    }
}

/// What the kernel found out for itself: the way on arm64.
fn of_kernel(roots: &Roots, log: &Result<KernelLog, Missing>, evidence: &mut Vec<String>) -> Kind {
    let device_tree = "/proc/device-tree/hypervisor/compatible";
    let compatible = roots.line(device_tree).unwrap_or_default();
    if !compatible.is_empty() {
        evidence.push(format!("{device_tree}: {compatible}"));
        if compatible.contains("xen") {
            return Kind::Xen;
        }
        if compatible.contains("kvm") {
            return Kind::Kvm;
        }
    }
    let Ok(log) = log else { return Kind::Unknown };
    for line in &log.hypervisor {
        let kind = match line.message.as_str() {
            words if words.contains("KVM") => Kind::Kvm,
            words if words.contains("Xen") => Kind::Xen,
            words if words.contains("Hyper-V") => Kind::HyperV,
            words if words.contains("VMware") => Kind::Vmware,
            words if words.contains("bare hardware") => continue,
            _ => Kind::Other,
        };
        evidence.push(format!("kernel log: {}", line.message));
        return kind;
    }
    Kind::Unknown
}

/// What firmware adds: Nitro is KVM with Amazon's name on the box, and where nothing else speaks
/// (arm64), the name on the box is all there is.
fn with_firmware(kind: Kind, vendor: &str, product: &str) -> Kind {
    match (kind, vendor) {
        (Kind::Kvm, "Amazon EC2") => Kind::Nitro,
        // EC2's bare-metal sizes are named so: m6g.metal, c7i.metal-24xl.
        (Kind::Unknown, "Amazon EC2") if product.contains(".metal") => Kind::BareMetal,
        (Kind::Unknown, "Amazon EC2") => Kind::Nitro,
        (Kind::Unknown, "Google" | "Google Compute Engine") => Kind::Kvm,
        (Kind::Unknown, "Microsoft Corporation") if product.contains("Virtual Machine") => {
            Kind::HyperV
        }
        (Kind::Unknown, vendor) if vendor.starts_with("VMware") => Kind::Vmware,
        (Kind::Unknown, "QEMU" | "innotek GmbH" | "Parallels") => Kind::Other,
        (Kind::Unknown, "Xen") => Kind::Xen,
        (kind, _) => kind,
    }
}

fn product(roots: &Roots) -> Result<String, Missing> {
    let vendor = roots.line(&format!("{DMI}/sys_vendor"))?;
    Ok(match roots.line(&format!("{DMI}/product_name")) {
        Ok(name) => format!("{vendor} {name}"),
        Err(_) => vendor,
    })
}

/// QEMU without KVM. Its CPUID says so on x86; on arm64 its `max` processor has a part number of
/// its own, `Q` (target/arm/tcg/cpu64.c).
fn is_emulated(
    leaves: &Result<Leaves, String>,
    info: Option<&Info>,
    evidence: &mut Vec<String>,
) -> bool {
    let tcg = leaves.as_ref().is_ok_and(|leaves| {
        hypervisor_leaves(leaves).iter().any(|(_, signature)| signature == "TCGTCGTCGTCG")
    });
    let max = info.is_some_and(|info| {
        info.field("CPU implementer") == Some("0x00") && info.field("CPU part") == Some("0x051")
    });
    if max {
        evidence.push("CPU implementer 0x00 part 0x051: QEMU's emulated processor".into());
    }
    tcg || max
}

/// xenfs where it is mounted; else the feature bits, of which XENFEAT_dom0 is number 11
/// (xen/include/public/features.h).
fn xen_dom0(roots: &Roots, evidence: &mut Vec<String>) -> Option<bool> {
    let path = "/proc/xen/capabilities";
    // The file is empty in other domains.
    if let Ok(text) = roots.text(path) {
        let dom0 = text.contains("control_d");
        evidence.push(format!("{path}: {}", if dom0 { "control_d" } else { "no control_d" }));
        return Some(dom0);
    }
    let path = "/sys/hypervisor/properties/features";
    let features = roots.line(path).ok()?;
    let bits = u64::from_str_radix(features.trim_start_matches("0x"), 16).ok()?;
    evidence.push(format!("{path}: {features}"));
    Some(bits & (1 << 11) != 0)
}

/// The maker's name in the ACPI tables, which root may read: microVMs have no DMI.
fn acpi_maker(roots: &Roots) -> Option<&'static str> {
    let table = ["FACP", "DSDT"]
        .iter()
        .find_map(|name| roots.bytes(&format!("/sys/firmware/acpi/tables/{name}"), 36).ok())?;
    // OEMID: bytes 10 to 15 of every table's header. Source: ACPI specification, 5.2.6.
    match table.get(10..16)? {
        b"FIRECK" => Some("ACPI OEM id FIRECK: Firecracker"),
        b"CLOUDH" => Some("ACPI OEM id CLOUDH: Cloud Hypervisor"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn firmware_tells_nitro_from_other_kvm() {
        assert_eq!(with_firmware(Kind::Kvm, "Amazon EC2", "m5.large"), Kind::Nitro);
        assert_eq!(with_firmware(Kind::Kvm, "QEMU", "Standard PC"), Kind::Kvm);
        assert_eq!(with_firmware(Kind::BareMetal, "Amazon EC2", "c5.metal"), Kind::BareMetal);
        assert_eq!(
            with_firmware(Kind::Unknown, "Amazon EC2", "Amazon EC2 m6g.metal"),
            Kind::BareMetal
        );
        assert_eq!(with_firmware(Kind::Unknown, "Amazon EC2", "Amazon EC2 m6g.large"), Kind::Nitro);
        assert_eq!(with_firmware(Kind::Unknown, "Dell Inc.", "R740"), Kind::Unknown);
    }
}
