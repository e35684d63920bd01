//! The processor and which of its CPUs may be used.

use crate::cpu_list;
use crate::missing::{Missing, clean};
use crate::process::Status;
use crate::roots::Roots;
use std::collections::{BTreeMap, BTreeSet};
use toll_model::Fact;
use toll_model::host::Cpu;

const CPUS: &str = "/sys/devices/system/cpu";

/// `/proc/cpuinfo` is written while it is read, CPU by CPU, and slowly on large machines: its
/// start holds all of the first CPU.
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

/// The processor.
pub(crate) fn read(roots: &Roots, status: &Result<Status, Missing>) -> Cpu {
    let info = Info::read(roots);
    let online = online(roots);
    Cpu {
        model: info.as_ref().map_err(Clone::clone).and_then(Info::model).into(),
        vendor: info.as_ref().map_err(Clone::clone).and_then(Info::vendor).into(),
        allowed: status.as_ref().map_err(Clone::clone).and_then(Status::cpus_allowed).into(),
        sockets: sockets(roots, &online, &info),
        threads_per_core: threads_per_core(roots),
        governors: governors(roots, &online),
        last_level_cache: last_level_cache(roots).into(),
        clock_flags: info.as_ref().map_err(Clone::clone).and_then(Info::clock_flags).into(),
        online: online.into(),
    }
}

fn online(roots: &Roots) -> Result<Vec<u32>, Missing> {
    let path = format!("{CPUS}/online");
    cpu_list::parse(&roots.text(&path)?).map_err(|error| Missing::new(path, error.to_string()))
}

/// The first CPU of `/proc/cpuinfo`.
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

    fn model(&self) -> Result<String, Missing> {
        if let Some(name) = self.field("model name").or_else(|| self.field("Model")) {
            return Ok(clean(name, 120));
        }
        match (self.field("CPU implementer"), self.field("CPU part")) {
            (Some(implementer), Some(part)) => Ok(arm_model(implementer, part)),
            _ => Err(Missing::new(Self::PATH, "names no model")),
        }
    }

    fn vendor(&self) -> Result<String, Missing> {
        if let Some(vendor) = self.field("vendor_id") {
            return Ok(clean(vendor, 40));
        }
        match self.field("CPU implementer") {
            Some(code) => Ok(arm_implementer(code).map_or_else(|| clean(code, 40), str::to_owned)),
            None => Err(Missing::new(Self::PATH, "names no vendor")),
        }
    }

    fn clock_flags(&self) -> Result<Vec<String>, Missing> {
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

fn sockets(
    roots: &Roots,
    online: &Result<Vec<u32>, Missing>,
    info: &Result<Info, Missing>,
) -> Fact<u32> {
    let cpus = match online {
        Ok(cpus) => cpus,
        Err(missing) => return Fact::unavailable(missing.to_string()),
    };
    let mut packages = BTreeSet::new();
    for cpu in cpus {
        match roots.line(&format!("{CPUS}/cpu{cpu}/topology/physical_package_id")) {
            Ok(id) => packages.insert(id),
            // Without topology, a lone CPU still tells of a lone package.
            Err(_) if cpus.len() == 1 && info.is_ok() => return Fact::Known(1),
            Err(missing) => return Fact::unavailable(missing.to_string()),
        };
    }
    Fact::Known(packages.len() as u32)
}

fn threads_per_core(roots: &Roots) -> Fact<u32> {
    // CPU 0 is online wherever its topology is shown; else any other CPU would do as well.
    let path = format!("{CPUS}/cpu0/topology/thread_siblings_list");
    let siblings = roots.text(&path).and_then(|text| {
        cpu_list::parse(&text).map_err(|error| Missing::new(path.as_str(), error.to_string()))
    });
    match siblings {
        Ok(cpus) if cpus.is_empty() => Fact::unavailable(format!("{path}: empty")),
        other => Fact::from(other).map(|cpus| cpus.len() as u32),
    }
}

fn governors(roots: &Roots, online: &Result<Vec<u32>, Missing>) -> Fact<BTreeMap<String, u32>> {
    let cpus = match online {
        Ok(cpus) => cpus,
        Err(missing) => return Fact::unavailable(missing.to_string()),
    };
    let mut governors = BTreeMap::new();
    for cpu in cpus {
        match roots.line(&format!("{CPUS}/cpu{cpu}/cpufreq/scaling_governor")) {
            Ok(governor) => *governors.entry(governor).or_insert(0) += 1,
            Err(missing) => {
                let why = missing.absent("no cpufreq, as in most guests");
                return Fact::unavailable(why.to_string());
            }
        }
    }
    Fact::Known(governors)
}

fn last_level_cache(roots: &Roots) -> Result<u64, Missing> {
    let folder = format!("{CPUS}/cpu0/cache");
    let mut last: Option<(u32, u64)> = None;
    for name in roots.names(&folder)?.iter().filter(|name| name.starts_with("index")) {
        let level: Result<u32, _> = roots.number(&format!("{folder}/{name}/level"));
        let size = roots.line(&format!("{folder}/{name}/size"));
        if let (Ok(level), Some(size)) = (level, size.ok().as_deref().and_then(bytes)) {
            last = last.max(Some((level, size)));
        }
    }
    last.map(|(_, size)| size).ok_or_else(|| Missing::new(folder, "names no cache with its size"))
}

/// `36608K` → bytes.
fn bytes(size: &str) -> Option<u64> {
    let (digits, unit) = match size.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => size.split_at(at),
        None => (size, ""),
    };
    let scale = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_sizes_have_units() {
        assert_eq!(bytes("36608K"), Some(36_608 * 1024));
        assert_eq!(bytes("8M"), Some(8 << 20));
        assert_eq!(bytes("99999999999999999999K"), None);
        assert_eq!(bytes("18446744073709551615G"), None);
        assert_eq!(bytes("12Q"), None);
    }

    #[test]
    fn arm_cores_are_named_with_their_codes() {
        assert_eq!(arm_model("0x41", "0xd0c"), "Neoverse-N1 (implementer 0x41 part 0xd0c)");
        assert_eq!(arm_model("0x99", "0x1"), "implementer 0x99 part 0x1");
    }
}
