//! What makes system calls dear here.

mod audit;
mod netlink;
mod tracepoints;

use crate::kernel_log::KernelLog;
use crate::missing::{Missing, clean};
use crate::process::Status;
use crate::roots::Roots;
use toll_model::host::{Seccomp, SyscallTracing};

/// What makes system calls dear here.
pub(crate) fn read(
    roots: &Roots,
    status: &Result<Status, Missing>,
    parameters: &Result<Vec<String>, Missing>,
    log: &Result<KernelLog, Missing>,
) -> SyscallTracing {
    let status = || status.as_ref().map_err(Clone::clone);
    SyscallTracing {
        tracer: status().and_then(|s| s.number("TracerPid", 0)).into(),
        seccomp: status().and_then(seccomp).into(),
        audit: audit::read(roots, parameters, log).into(),
        lsm: lsm(roots).into(),
        confinement: confinement(roots).into(),
        tracepoints: tracepoints::read(roots).into(),
    }
}

fn seccomp(status: &Status) -> Result<Seccomp, Missing> {
    Ok(Seccomp {
        mode: status.number("Seccomp", 0)?,
        filters: status.number("Seccomp_filters", 0).ok(),
    })
}

fn lsm(roots: &Roots) -> Result<Vec<String>, Missing> {
    let path = "/sys/kernel/security/lsm";
    let line = roots
        .line(path)
        .map_err(|missing| missing.absent("securityfs is not mounted, or there are no LSMs"))?;
    Ok(line.split(',').map(|name| clean(name, 40)).filter(|name| !name.is_empty()).collect())
}

/// AppArmor and SELinux answer here; with neither, the kernel says EINVAL.
fn confinement(roots: &Roots) -> Result<String, Missing> {
    let path = "/proc/self/attr/current";
    match roots.text_upto(path, 4096) {
        // SELinux ends the context with NUL.
        Ok(text) => match clean(&text, 200) {
            words if words.is_empty() => Err(Missing::new(path, "empty")),
            words => Ok(words),
        },
        Err(missing) if missing.why.to_string().contains("nvalid argument") => {
            Err(Missing::new(path, "no security module answers here"))
        }
        Err(missing) => Err(missing.absent("built without security modules")),
    }
}
