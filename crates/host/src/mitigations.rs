//! The kernel's words on each CPU vulnerability; mitigations make system calls dearer.

use crate::missing::Missing;
use crate::roots::Roots;
use std::collections::BTreeMap;

const FOLDER: &str = "/sys/devices/system/cpu/vulnerabilities";

/// Vulnerability → `Not affected`, `Vulnerable…` or `Mitigation: …`.
pub(crate) fn read(roots: &Roots) -> Result<BTreeMap<String, String>, Missing> {
    let names =
        roots.names(FOLDER).map_err(|missing| missing.absent("before Linux 4.15, or masked"))?;
    let of = |name: &str| match roots.line(&format!("{FOLDER}/{name}")) {
        Ok(words) => words,
        Err(missing) => format!("unavailable: {}", missing.why),
    };
    Ok(names.iter().take(200).map(|name| (crate::missing::clean(name, 60), of(name))).collect())
}
