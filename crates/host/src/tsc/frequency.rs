//! The TSC's frequency, where anybody says it.

use super::piece;
use crate::cpuid::{self, Leaves};
use crate::kernel_log::KernelLog;
use crate::missing::Missing;
use crate::roots::Roots;
use raw_cpuid::CpuIdReader;
use toll_model::Fact;
use toll_model::host::{EvidenceKind as Kind, TscEvidence, Verdict};

/// Lines in which the kernel states it, the most exact first.
const STATED: &[(&str, &str)] = &[
    ("Refined TSC clocksource calibration: ", " MHz"),
    ("Detected ", " MHz TSC"),
    ("Detected ", " MHz processor"),
];

/// What the kernel says, in kHz; and what CPUID's frequency leaves say, as evidence.
pub(super) fn read(
    roots: &Roots,
    log: &Result<KernelLog, Missing>,
    leaves: &Result<Leaves, String>,
) -> (Fact<f64>, TscEvidence) {
    (khz(roots, log), of_cpuid(leaves))
}

fn khz(roots: &Roots, log: &Result<KernelLog, Missing>) -> Fact<f64> {
    // Not in the mainline kernel; some vendors' kernels and modules have it.
    if let Ok(khz) = roots.number::<f64>("/sys/devices/system/cpu/cpu0/tsc_freq_khz")
        && khz.is_finite()
        && khz > 0.0
    {
        return Fact::Known(khz);
    }
    let log = match log {
        Ok(log) => log,
        Err(missing) => return Fact::unavailable(missing.to_string()),
    };
    let stated = STATED.iter().find_map(|(before, after)| {
        log.clocks.iter().rev().find_map(|line| {
            if !line.message.to_ascii_lowercase().contains("tsc") {
                return None;
            }
            let (_, rest) = line.message.split_once(before)?;
            let (mhz, _) = rest.split_once(after)?;
            mhz.trim().parse::<f64>().ok().filter(|mhz| mhz.is_finite() && *mhz > 0.0)
        })
    });
    match stated {
        // Three decimals of a MHz: anything finer is the multiplication's doing.
        Some(mhz) => Fact::Known((mhz * 1e3).round()),
        None => Fact::unavailable(format!("{}: states no TSC frequency", log.source)),
    }
}

/// Sources: Intel SDM, leaves 15H and 16H (Linux trusts 15H on Intel only); VMware's and KVM's
/// timing leaf 0x40000010, EAX in kHz.
fn of_cpuid(leaves: &Result<Leaves, String>) -> TscEvidence {
    let kind = Kind::Frequency;
    let leaves = match leaves {
        Ok(leaves) => leaves,
        Err(why) => return piece(kind, Verdict::Open, why.clone()),
    };
    if let Some((base, _)) = cpuid::hypervisor_leaves(leaves)
        .into_iter()
        .find(|(base, _)| leaves.cpuid1(*base).eax >= base + 0x10)
    {
        let khz = leaves.cpuid1(base + 0x10).eax;
        if khz > 0 {
            let fact = format!("CPUID {:#x}: the hypervisor says {khz} kHz", base + 0x10);
            return piece(kind, Verdict::For, fact);
        }
    }
    if cpuid::highest_basic(leaves) >= 0x15 {
        let leaf = leaves.cpuid1(0x15);
        if leaf.eax > 0 && leaf.ebx > 0 && leaf.ecx > 0 {
            let hertz = u64::from(leaf.ecx) * u64::from(leaf.ebx) / u64::from(leaf.eax);
            let fact =
                format!("CPUID 0x15: {} × {} / {} = {hertz} Hz", leaf.ecx, leaf.ebx, leaf.eax);
            return piece(kind, Verdict::For, fact);
        }
    }
    piece(
        kind,
        Verdict::Open,
        "CPUID 0x15 and 0x40000010 state no frequency: it has to be measured",
    )
}
