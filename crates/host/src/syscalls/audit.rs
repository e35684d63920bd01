//! Whether syscall auditing is on, by whatever may be asked.

use super::netlink::{self, Status};
use crate::kernel::parameter;
use crate::kernel_log::KernelLog;
use crate::missing::Missing;
use crate::roots::{AuditSource, Roots};
use std::path::Path;
use toll_model::Fact;
use toll_model::host::Audit;

const NEEDS: &str = "audit: the kernel tells its state only with CAP_AUDIT_CONTROL";

/// The kernel itself, if it answers; else its command line, its build, its log.
pub(super) fn read(
    roots: &Roots,
    parameters: &Result<Vec<String>, Missing>,
    log: &Result<KernelLog, Missing>,
) -> Result<Audit, Missing> {
    let audit = |enabled, evidence: String, rules| Ok(Audit { enabled, evidence, rules });
    let unknown = || Fact::unavailable(NEEDS);
    let asked = match &roots.audit {
        AuditSource::Native => netlink::audit_status(),
        AuditSource::Recorded(path) => recorded(path),
    };
    if let Ok(status) = &asked {
        let says = match status.enabled {
            0 => "0 (off)",
            1 => "1 (on)",
            _ => "2 (on, locked)",
        };
        let evidence = format!("AUDIT_GET: enabled = {says}");
        return audit(status.enabled != 0, evidence, status.rules.clone());
    }
    match parameters.as_ref().ok().and_then(|given| parameter(given, "audit")) {
        Some(value @ ("0" | "off")) => {
            return audit(
                false,
                format!("audit={value} on the kernel command line"),
                Fact::Known(0),
            );
        }
        Some(value) => {
            let evidence = format!("audit={value} on the kernel command line");
            return audit(true, evidence, unknown());
        }
        None => {}
    }
    // Only a kernel with CONFIG_AUDIT has this file (fs/proc/base.c). A recorded machine may lack
    // it because nobody recorded it.
    if roots.system_calls && roots.exists("/proc/self/stat") && !roots.exists("/proc/self/loginuid")
    {
        let evidence = "no /proc/self/loginuid: kernel built without audit".into();
        return audit(false, evidence, Fact::Known(0));
    }
    let why = asked.err().unwrap_or_default().replace("AUDIT_GET: ", "");
    match log.as_ref().ok().and_then(|log| log.audit_enabled.as_ref()) {
        Some((true, line)) => audit(true, format!("kernel log: {}", line.message), unknown()),
        // A daemon that turned it on since would have taken its messages elsewhere.
        Some((false, _)) => Err(Missing::new(
            "audit",
            format!("off at boot by the kernel log, but a daemon may have turned it on; {why}"),
        )),
        None => Err(Missing::new("audit", why)),
    }
}

/// `enabled 1` and `rules 3`, each on a line.
fn recorded(path: &Path) -> Result<Status, String> {
    let text = crate::files::recorded(path).map_err(|_| {
        "AUDIT_GET: permission denied (needs CAP_AUDIT_CONTROL in the first namespaces)".to_owned()
    })?;
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        line.trim().parse().ok()
    };
    Ok(Status {
        enabled: number("enabled").ok_or("AUDIT_GET: the recording has no line enabled")?,
        rules: number("rules").map_or_else(|| Fact::unavailable(NEEDS), Fact::Known),
    })
}
