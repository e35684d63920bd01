//! Who this host is, in two to four lines.

use crate::names;
use crate::text::{count, wrap};
use crate::view::{View, paint};
use toll_model::Host;
use toll_model::host::{HypervisorKind, LibcKind};

/// Processor and hypervisor; kernel, distribution and libc; clocksource; what cannot be seen.
pub fn render(host: &Host, view: &View) -> String {
    let mut out = String::new();
    for (name, text) in [
        ("machine", machine(host)),
        ("system", system(host)),
        ("clock", clocksource(host)),
        ("unseen", unseen(host, view.verbose)),
    ] {
        if !text.is_empty() {
            let first = format!("{}  ", paint(view.styles.faint, &format!("{name:<7}")));
            out.push_str(&wrap(&first, &" ".repeat(9), 9, &text, view.width));
        }
    }
    out
}

fn machine(host: &Host) -> String {
    let cpu = &host.cpu;
    let mut parts = vec![cpu.model.known().cloned().unwrap_or_else(|| "CPU not known".into())];
    if let Some(online) = cpu.online.known() {
        let usable = cpu.allowed.known().map_or(online.len(), Vec::len);
        let cpus = count(online.len(), "CPU", "CPUs");
        parts.push(if usable == online.len() { cpus } else { format!("{cpus}, {usable} usable") });
    }
    if let Some(Some(quota)) = host.container.cpu_quota.known() {
        parts.push(format!("CPU quota {quota}"));
    }
    let hypervisor = &host.hypervisor;
    let mut on = match hypervisor.kind {
        HypervisorKind::Other | HypervisorKind::Unknown if hypervisor.emulated => {
            "guest of QEMU's emulator".to_owned()
        }
        kind => names::hypervisor(kind).to_owned(),
    };
    if let Some(product) = hypervisor.product.known().filter(|p| !p.trim().is_empty()) {
        // Vendor and product in one: "Google Google Compute Engine".
        let mut words: Vec<&str> = product.split_whitespace().collect();
        words.dedup();
        on.push_str(&format!(" ({})", words.join(" ")));
    }
    parts.push(on);
    if hypervisor.emulated {
        parts.push("EMULATED: its figures show function, not speed".into());
    }
    if let Some(kind) = &host.container.kind {
        parts.push(format!("in a container ({kind})"));
    }
    parts.join(", ")
}

fn system(host: &Host) -> String {
    let mut parts = Vec::new();
    parts.push(match host.kernel.known() {
        Some(kernel) => format!("Linux {} ({})", kernel.release, kernel.arch),
        None => "kernel not known".into(),
    });
    if let Some(distribution) = host.distribution.known() {
        parts.push(distribution.name.clone());
    }
    parts.push(match host.libc.known() {
        Some(libc) => {
            let name = match libc.kind {
                LibcKind::Glibc => "glibc",
                LibcKind::Musl => "musl",
                LibcKind::Other => "unknown libc",
            };
            match &libc.version {
                Some(version) => format!("{name} {version}"),
                None => name.to_owned(),
            }
        }
        None => "no libc found".into(),
    });
    parts.join(", ")
}

fn clocksource(host: &Host) -> String {
    let source = &host.clocksource;
    let mut text = match (source.current.known(), source.current.reason()) {
        (Some(current), _) => format!("clocksource {current}"),
        (None, why) => format!("clocksource not known ({})", why.unwrap_or_default()),
    };
    if let Some(available) = source.available.known() {
        text.push_str(&format!(", available: {}", available.join(" ")));
    }
    if let Some(Some(requested)) = source.requested.known() {
        text.push_str(&format!(", kernel command line asks for {requested}"));
    }
    if let Some(Some(demotion)) = source.demotion.known() {
        text.push_str(&format!(", tsc demoted by the kernel ({})", demotion.reason));
    }
    text
}

// What privileges or the kernel keep from view. The checks that need it say so on their own rows.
fn unseen(host: &Host, with_reasons: bool) -> String {
    let tracing = &host.syscall_tracing;
    let hidden: Vec<String> = [
        ("kernel log", host.kernel_log.reason()),
        ("audit", tracing.audit.reason()),
        ("syscall tracepoints", tracing.tracepoints.reason()),
        ("security modules", tracing.lsm.reason()),
        ("mitigations", host.mitigations.reason()),
        ("JVMs", host.jvms.reason()),
    ]
    .into_iter()
    .filter_map(|(name, reason)| {
        let why = reason?;
        Some(if with_reasons { format!("{name} ({why})") } else { name.to_owned() })
    })
    .collect();
    if hidden.is_empty() {
        return String::new();
    }
    let who = match host.privileges.euid.known() {
        Some(uid) => format!("to uid {uid}"),
        None => "to this process".into(),
    };
    let more = if with_reasons { "" } else { "   (-v says why)" };
    format!("{who}: {}{more}", hidden.join(", "))
}
