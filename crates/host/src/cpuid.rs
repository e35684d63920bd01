//! CPUID behind a seam: the instruction where there is one, or a recording of it.

use crate::roots::{CpuidSource, Roots};
use raw_cpuid::{CpuIdReader, CpuIdResult};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A recording: leaf → sub-leaf → EAX, EBX, ECX, EDX.
type Recording = BTreeMap<u32, BTreeMap<u32, [u32; 4]>>;

/// Leaves of CPUID. What a recording does not hold reads as zeros, as on hardware.
#[derive(Clone)]
pub(crate) enum Leaves {
    #[cfg(target_arch = "x86_64")]
    Native(raw_cpuid::CpuIdReaderNative),
    Recorded(Arc<Recording>),
}

impl CpuIdReader for Leaves {
    fn cpuid2(&self, leaf: u32, sub_leaf: u32) -> CpuIdResult {
        match self {
            #[cfg(target_arch = "x86_64")]
            Leaves::Native(native) => native.cpuid2(leaf, sub_leaf),
            Leaves::Recorded(recording) => {
                let [eax, ebx, ecx, edx] = recording
                    .get(&leaf)
                    .and_then(|sub_leaves| sub_leaves.get(&sub_leaf))
                    .copied()
                    .unwrap_or_default();
                CpuIdResult { eax, ebx, ecx, edx }
            }
        }
    }
}

/// Opens the source; the error is the reason why there is no CPUID.
pub(crate) fn open(roots: &Roots) -> Result<Leaves, String> {
    match &roots.cpuid {
        #[cfg(target_arch = "x86_64")]
        CpuidSource::Native => Ok(Leaves::Native(raw_cpuid::CpuIdReaderNative)),
        #[cfg(not(target_arch = "x86_64"))]
        CpuidSource::Native => Err("CPUID: only x86 has it".into()),
        CpuidSource::Recorded(path) => {
            let text = crate::files::recorded(path)
                .map_err(|error| format!("CPUID: no recording ({})", error.kind()))?;
            parse(&text).map(|recording| Leaves::Recorded(Arc::new(recording)))
        }
    }
}

fn parse(text: &str) -> Result<Recording, String> {
    #[derive(Deserialize)]
    struct Words(BTreeMap<String, BTreeMap<String, [String; 4]>>);
    let Words(words) =
        serde_json::from_str(text).map_err(|error| format!("CPUID: bad recording: {error}"))?;
    let mut recording = Recording::new();
    for (leaf, sub_leaves) in &words {
        for (sub_leaf, registers) in sub_leaves {
            let mut values = [0; 4];
            for (value, register) in values.iter_mut().zip(registers) {
                *value = hex(register)?;
            }
            recording.entry(hex(leaf)?).or_default().insert(hex(sub_leaf)?, values);
        }
    }
    Ok(recording)
}

fn hex(text: &str) -> Result<u32, String> {
    text.strip_prefix("0x")
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .ok_or_else(|| format!("CPUID: bad recording: {text:?} is no 0x number"))
}

/// Basic leaves: the highest, or 0.
pub(crate) fn highest_basic(leaves: &Leaves) -> u32 {
    leaves.cpuid1(0).eax
}

/// CPUID 1 ECX[31]: set by every hypervisor that does not hide.
pub(crate) fn hypervisor_bit(leaves: &Leaves) -> bool {
    leaves.cpuid1(1).ecx & (1 << 31) != 0
}

/// CPUID 0x80000007 EDX[8]: the TSC runs at one rate in all states. Source: Intel SDM volume 3,
/// "Invariant TSC"; AMD APM volume 3, function 8000_0007h. `None` if the leaf is not there.
pub(crate) fn invariant_tsc(leaves: &Leaves) -> Option<bool> {
    (leaves.cpuid1(0x8000_0000).eax >= 0x8000_0007)
        .then(|| leaves.cpuid1(0x8000_0007).edx & (1 << 8) != 0)
}

/// CPUID 7 EBX[1]: the register IA32_TSC_ADJUST exists. `None` if the leaf is not there.
pub(crate) fn tsc_adjust(leaves: &Leaves) -> Option<bool> {
    (highest_basic(leaves) >= 7).then(|| leaves.cpuid2(7, 0).ebx & (1 << 1) != 0)
}

/// Bases at which hypervisors put their leaves, with the signature found there. Linux scans
/// upward in steps of 0x100 too; the second place serves those that show Hyper-V's leaves first.
pub(crate) fn hypervisor_leaves(leaves: &Leaves) -> Vec<(u32, String)> {
    if !hypervisor_bit(leaves) {
        return Vec::new();
    }
    [0x4000_0000_u32, 0x4000_0100, 0x4000_0200]
        .into_iter()
        .filter_map(|base| {
            let id = leaves.cpuid1(base);
            let mut bytes = Vec::with_capacity(12);
            for register in [id.ebx, id.ecx, id.edx] {
                bytes.extend_from_slice(&register.to_le_bytes());
            }
            let signature = crate::missing::clean(&String::from_utf8_lossy(&bytes), 12);
            let printable = signature.chars().filter(char::is_ascii_graphic).count() >= 4;
            printable.then_some((base, signature))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(text: &str) -> Leaves {
        Leaves::Recorded(Arc::new(parse(text).unwrap()))
    }

    #[test]
    fn a_recording_is_read_leaf_by_leaf() {
        let leaves = recorded(
            r#"{"0x80000000": {"0x0": ["0x80000008", "0x0", "0x0", "0x0"]},
                "0x80000007": {"0x0": ["0x0", "0x0", "0x0", "0x100"]}}"#,
        );
        assert_eq!(invariant_tsc(&leaves), Some(true));
        assert_eq!(tsc_adjust(&leaves), None);
        assert!(leaves.cpuid1(0x1234).all_zero());
    }

    #[test]
    fn signatures_are_looked_for_only_under_a_hypervisor() {
        let kvm = r#""0x40000000": {"0x0": ["0x40000001", "0x4b4d564b", "0x564b4d56", "0x4d"]}"#;
        let bare = recorded(&format!("{{{kvm}}}"));
        assert_eq!(hypervisor_leaves(&bare), []);
        let guest = recorded(&format!(
            r#"{{"0x1": {{"0x0": ["0x0", "0x0", "0x80000000", "0x0"]}}, {kvm}}}"#
        ));
        assert_eq!(hypervisor_leaves(&guest), [(0x4000_0000, "KVMKVMKVM".to_owned())]);
    }

    #[test]
    fn a_bad_recording_is_a_reason() {
        assert!(parse("[1]").unwrap_err().starts_with("CPUID: bad recording"));
        let twelve = r#"{"12": {"0x0": ["0x0", "0x0", "0x0", "0x0"]}}"#;
        assert_eq!(parse(twelve).unwrap_err(), "CPUID: bad recording: \"12\" is no 0x number");
    }
}
