//! What this process may do.

use crate::missing::Missing;
use crate::process::Status;
use crate::roots::Roots;
use toll_model::host::Privileges;

/// Capabilities that matter here, by bit. Source: include/uapi/linux/capability.h.
const CAPABILITIES: &[(u32, &str)] = &[
    (17, "CAP_SYS_RAWIO"),
    (19, "CAP_SYS_PTRACE"),
    (21, "CAP_SYS_ADMIN"),
    (23, "CAP_SYS_NICE"),
    (25, "CAP_SYS_TIME"),
    (30, "CAP_AUDIT_CONTROL"),
    (34, "CAP_SYSLOG"),
    (37, "CAP_AUDIT_READ"),
    (38, "CAP_PERFMON"),
    (39, "CAP_BPF"),
];

/// What this process may do.
pub(crate) fn read(roots: &Roots, status: &Result<Status, Missing>) -> Privileges {
    let status = || status.as_ref().map_err(Clone::clone);
    Privileges {
        euid: status().and_then(|s| s.number("Uid", 1)).into(),
        capabilities: status().and_then(|s| s.mask("CapEff")).map(named).into(),
        perf_event_paranoid: roots
            .number("/proc/sys/kernel/perf_event_paranoid")
            .map_err(|missing| missing.absent("kernel without perf events"))
            .into(),
        kptr_restrict: roots.number("/proc/sys/kernel/kptr_restrict").into(),
        dmesg_restrict: roots.number("/proc/sys/kernel/dmesg_restrict").into(),
    }
}

fn named(effective: u64) -> Vec<String> {
    CAPABILITIES
        .iter()
        .filter(|(bit, _)| effective & (1 << bit) != 0)
        .map(|(_, name)| (*name).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_have_the_kernels_bits() {
        assert_eq!(named(0), Vec::<String>::new());
        assert_eq!(named(1 << 34 | 1 << 21 | 1), ["CAP_SYS_ADMIN", "CAP_SYSLOG"]);
        assert_eq!(named(u64::MAX).len(), CAPABILITIES.len());
        // The default set of a Docker container holds none of them.
        assert_eq!(named(0x0000_0000_a804_25fb), Vec::<String>::new());
    }
}
