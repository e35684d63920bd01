//! The processor and which of its CPUs may be used.

use crate::cpu_info::Info;
use crate::cpu_list;
use crate::missing::Missing;
use crate::process::Status;
use crate::roots::Roots;
use std::collections::{BTreeMap, BTreeSet};
use toll_model::Fact;
use toll_model::host::Cpu;

const CPUS: &str = "/sys/devices/system/cpu";

/// The processor.
pub(crate) fn read(
    roots: &Roots,
    status: &Result<Status, Missing>,
    info: &Result<Info, Missing>,
) -> Cpu {
    let said = || info.as_ref().map_err(Clone::clone);
    let online = online(roots);
    Cpu {
        model: said().and_then(Info::model).into(),
        vendor: said().and_then(Info::vendor).into(),
        allowed: status.as_ref().map_err(Clone::clone).and_then(Status::cpus_allowed).into(),
        sockets: sockets(roots, &online, info),
        threads_per_core: threads_per_core(roots),
        governors: governors(roots, &online),
        last_level_cache: last_level_cache(roots).into(),
        clock_flags: said().and_then(Info::clock_flags).into(),
        online: online.into(),
    }
}

fn online(roots: &Roots) -> Result<Vec<u32>, Missing> {
    let path = format!("{CPUS}/online");
    cpu_list::parse(&roots.text(&path)?).map_err(|error| Missing::new(path, error.to_string()))
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
}
