//! What `/proc/cpuinfo` says of the first CPU.

use crate::missing::{Missing, clean};
use crate::roots::Roots;
use std::collections::{BTreeMap, BTreeSet};

/// `/proc/cpuinfo` is written while it is read, CPU by CPU, and slowly on large machines: its
/// start holds all of the first CPU. It is read once: some kernels (4.14 to 5.17) ask every CPU for its
/// frequency when it is opened, and wait 10 ms.
const FIRST_CPU: u64 = 8 << 10;

/// Flags that bear on clocks: x86 `flags` and arm64 `Features`.
const CLOCK_FLAGS: &[&str] = &[
    "constant_tsc",
    "ecv",
    "evtstrm",
    "hypervisor",
    "nonstop_tsc",
    "nonstop_tsc_s3",
    "rdpid",
    "rdtscp",
    "tsc",
    "tsc_adjust",
    "tsc_deadline_timer",
    "tsc_known_freq",
    "tsc_reliable",
    "tsc_scale",
    "wfxt",
];

/// The first CPU of `/proc/cpuinfo`.
#[derive(Clone, Debug)]
pub(crate) struct Info(BTreeMap<String, String>);

impl Info {
    const PATH: &str = "/proc/cpuinfo";

    pub(crate) fn read(roots: &Roots) -> Result<Self, Missing> {
        let text = roots.text_upto(Self::PATH, FIRST_CPU)?;
        let mut fields = BTreeMap::new();
        for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
            // The first CPU's value stays.
            fields.entry(key.trim().to_owned()).or_insert_with(|| value.trim().to_owned());
        }
        Ok(Info(fields))
    }

    pub(crate) fn field(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(crate) fn model(&self) -> Result<String, Missing> {
        if let Some(name) = self.field("model name").or_else(|| self.field("Model")) {
            return Ok(clean(name, 120));
        }
        match (self.field("CPU implementer"), self.field("CPU part")) {
            (Some(implementer), Some(part)) => Ok(arm_model(implementer, part)),
            _ => Err(Missing::new(Self::PATH, "names no model")),
        }
    }

    pub(crate) fn vendor(&self) -> Result<String, Missing> {
        if let Some(vendor) = self.field("vendor_id") {
            return Ok(clean(vendor, 40));
        }
        match self.field("CPU implementer") {
            Some(code) => Ok(arm_implementer(code).map_or_else(|| clean(code, 40), str::to_owned)),
            None => Err(Missing::new(Self::PATH, "names no vendor")),
        }
    }

    pub(crate) fn clock_flags(&self) -> Result<Vec<String>, Missing> {
        let all = self
            .field("flags")
            .or_else(|| self.field("Features"))
            .ok_or_else(|| Missing::new(Self::PATH, "holds no flags"))?;
        let kept: BTreeSet<&str> =
            all.split_whitespace().filter(|flag| CLOCK_FLAGS.contains(flag)).collect();
        Ok(kept.into_iter().map(str::to_owned).collect())
    }

    /// Whether a flag is set; `None` if flags could not be read.
    pub(crate) fn has_flag(&self, flag: &str) -> Option<bool> {
        let all = self.field("flags").or_else(|| self.field("Features"))?;
        Some(all.split_whitespace().any(|word| word == flag))
    }
}

/// Implementer codes of MIDR_EL1 (Arm ARM, and arch/arm64/include/asm/cputype.h).
fn arm_implementer(code: &str) -> Option<&'static str> {
    Some(match code {
        "0x41" => "ARM",
        "0x42" => "Broadcom",
        "0x43" => "Cavium",
        "0x46" => "Fujitsu",
        "0x48" => "HiSilicon",
        "0x4e" => "NVIDIA",
        "0x50" => "APM",
        "0x51" => "Qualcomm",
        "0x61" => "Apple",
        "0x6d" => "Microsoft",
        "0xc0" => "Ampere",
        _ => return None,
    })
}

fn arm_model(implementer: &str, part: &str) -> String {
    // Parts of implementer 0x41, as in arch/arm64/include/asm/cputype.h.
    let core = match (implementer, part) {
        ("0x41", "0xd03") => "Cortex-A53",
        ("0x41", "0xd07") => "Cortex-A57",
        ("0x41", "0xd08") => "Cortex-A72",
        ("0x41", "0xd0b") => "Cortex-A76",
        ("0x41", "0xd0c") => "Neoverse-N1",
        ("0x41", "0xd40") => "Neoverse-V1",
        ("0x41", "0xd49") => "Neoverse-N2",
        ("0x41", "0xd4f") => "Neoverse-V2",
        ("0xc0", "0xac3") => "Ampere-1",
        ("0xc0", "0xac4") => "Ampere-1A",
        _ => "",
    };
    let codes = format!("implementer {} part {}", clean(implementer, 20), clean(part, 20));
    if core.is_empty() { codes } else { format!("{core} ({codes})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arm_cores_are_named_with_their_codes() {
        assert_eq!(arm_model("0x41", "0xd0c"), "Neoverse-N1 (implementer 0x41 part 0xd0c)");
        assert_eq!(arm_model("0x99", "0x1"), "implementer 0x99 part 0x1");
    }
}
