//! IA32_TSC_ADJUST: whether software moved the counters apart, and whether the kernel could tell.

use super::piece;
use crate::cpuid::{self, Leaves};
use crate::roots::Roots;
use std::os::unix::fs::FileExt;
use toll_model::host::{EvidenceKind as Kind, TscEvidence, Verdict};

/// Source: Intel SDM volume 4, IA32_TSC_ADJUST.
const MSR: u64 = 0x3b;

/// CPUs asked at most: each answer is an interrupt on that CPU.
const ASKED: usize = 256;

/// The CPUID bit, and the register itself where root may read it and the driver is loaded.
pub(super) fn read(roots: &Roots, leaves: &Result<Leaves, String>) -> Vec<TscEvidence> {
    let exists = match leaves.as_ref().map(cpuid::tsc_adjust) {
        Ok(Some(true)) => piece(
            Kind::TscAdjust,
            Verdict::For,
            "CPUID 7 EBX[1] = 1: TSC_ADJUST exists, so the kernel sees and repairs moved counters",
        ),
        Ok(_) => piece(
            Kind::TscAdjust,
            Verdict::Open,
            "CPUID 7 EBX[1] = 0: no TSC_ADJUST, so moved counters could go unseen",
        ),
        Err(why) => piece(Kind::TscAdjust, Verdict::Open, why.clone()),
    };
    let mut found = vec![exists];
    if roots.system_calls {
        found.extend(registers(roots));
    }
    found
}

fn registers(roots: &Roots) -> Option<TscEvidence> {
    let cpus: Vec<u32> = roots
        .names("/dev/cpu")
        .ok()?
        .iter()
        .filter_map(|name| name.parse().ok())
        .take(ASKED)
        .collect();
    let mut values = Vec::new();
    for cpu in cpus {
        let device = std::fs::File::open(roots.place(&format!("/dev/cpu/{cpu}/msr"))).ok()?;
        let mut value = [0; 8];
        device.read_exact_at(&mut value, MSR).ok()?;
        values.push(i64::from_le_bytes(value));
    }
    let (least, most) = (values.iter().min()?, values.iter().max()?);
    Some(if least == most {
        let fact = format!("MSR 0x3b (TSC_ADJUST) = {least} on all of {} CPUs", values.len());
        piece(Kind::TscAdjust, Verdict::For, fact)
    } else {
        let fact = format!("MSR 0x3b (TSC_ADJUST) differs between CPUs: {least} to {most}");
        piece(Kind::TscAdjust, Verdict::Against, fact)
    })
}
