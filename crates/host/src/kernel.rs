//! The kernel, how it was booted, and the distribution around it.

use crate::cpu_info::Info;
use crate::missing::{Missing, clean};
use crate::roots::Roots;
use toll_model::host::{Distribution, Kernel};

/// Parameters that bear on clocks, system calls, mitigations or the steadiness of a measurement.
/// Names are compared with `-` and `_` taken as equal, as the kernel does.
/// Source: Documentation/admin-guide/kernel-parameters.txt.
const KEPT: &[&str] = &[
    // Clocks.
    "clocksource",
    "clocksource.max_cswd_read_retries",
    "clocksource.verify_n_cpus",
    "highres",
    "hpet",
    "no_kvmclock",
    "no_kvmclock_vsyscall",
    "no_timer_check",
    "nohpet",
    "nolapic_timer",
    "notsc",
    "pmtmr",
    "skew_tick",
    "tsc",
    "tsc_early_khz",
    "vdso",
    "vdso32",
    "vsyscall",
    "xen_nopv",
    // System calls.
    "apparmor",
    "audit",
    "audit_backlog_limit",
    "lsm",
    "security",
    "selinux",
    "trace_event",
    // Mitigations.
    "gather_data_sampling",
    "indirect_target_selection",
    "kpti",
    "l1tf",
    "mds",
    "mitigations",
    "mmio_stale_data",
    "nopti",
    "nospectre_bhb",
    "nospectre_v1",
    "nospectre_v2",
    "nospec_store_bypass_disable",
    "pti",
    "reg_file_data_sampling",
    "retbleed",
    "spec_rstack_overflow",
    "spec_store_bypass_disable",
    "spectre_bhi",
    "spectre_v2",
    "spectre_v2_user",
    "srbds",
    "ssbd",
    "tsa",
    "tsx",
    "tsx_async_abort",
    "vmscape",
    // Steadiness and memory.
    "amd_pstate",
    "cpufreq.default_governor",
    "cpuidle.off",
    "default_hugepagesz",
    "hugepages",
    "hugepagesz",
    "idle",
    "init_on_alloc",
    "init_on_free",
    "intel_idle.max_cstate",
    "intel_pstate",
    "isolcpus",
    "maxcpus",
    "nmi_watchdog",
    "nohz",
    "nohz_full",
    "nosmt",
    "nowatchdog",
    "nr_cpus",
    "preempt",
    "processor.max_cstate",
    "rcu_nocbs",
    "threadirqs",
    "transparent_hugepage",
];

/// The kernel.
pub(crate) fn read(
    roots: &Roots,
    parameters: &[String],
    info: Option<&Info>,
) -> Result<Kernel, Missing> {
    Ok(Kernel {
        release: roots.line("/proc/sys/kernel/osrelease")?,
        arch: arch(roots, info),
        parameters: parameters.to_vec(),
    })
}

/// The kernel's own word (`/proc/sys/kernel/arch`, since Linux 6.1); else what `/proc/cpuinfo`
/// looks like; else what this program was built for.
fn arch(roots: &Roots, info: Option<&Info>) -> String {
    if let Ok(arch) = roots.line("/proc/sys/kernel/arch") {
        return arch;
    }
    let has = |field| info.is_some_and(|info| info.field(field).is_some());
    if has("CPU implementer") {
        "aarch64".into()
    } else if has("vendor_id") && has("flags") {
        let long = info.and_then(|info| info.has_flag("lm")) == Some(true);
        if long { "x86_64".into() } else { "i686".into() }
    } else {
        std::env::consts::ARCH.into()
    }
}

/// The parameters worth keeping, in their order on the command line.
pub(crate) fn parameters(roots: &Roots) -> Result<Vec<String>, Missing> {
    Ok(kept(&roots.text("/proc/cmdline")?))
}

fn kept(command_line: &str) -> Vec<String> {
    words(command_line)
        .into_iter()
        // What follows is for init, not for the kernel.
        .take_while(|word| word != "--")
        .filter(|word| {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let name = name.replace('-', "_");
            KEPT.contains(&name.as_str()) && value.len() <= 120 && value.bytes().all(is_plain)
        })
        .collect()
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.,:+/!=".contains(&byte)
}

/// Words as the kernel splits them: a double quote keeps spaces together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The last value given to a parameter; the empty text for one that stands alone.
pub(crate) fn parameter<'a>(parameters: &'a [String], name: &str) -> Option<&'a str> {
    parameters.iter().rev().find_map(|word| {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        (key.replace('-', "_") == name).then_some(value)
    })
}

/// From `os-release(5)`, `/etc` before `/usr/lib`.
pub(crate) fn distribution(roots: &Roots) -> Result<Distribution, Missing> {
    let text = match roots.text("/etc/os-release") {
        Ok(text) => text,
        Err(missing) => roots.text("/usr/lib/os-release").map_err(|_| missing)?,
    };
    let value = |key: &str| assignment(&text, key).map(|value| clean(&value, 120));
    Ok(Distribution {
        // The defaults are those of os-release(5).
        id: value("ID").unwrap_or_else(|| "linux".into()),
        name: value("PRETTY_NAME").or_else(|| value("NAME")).unwrap_or_else(|| "Linux".into()),
        version: value("VERSION_ID"),
    })
}

/// The value of `KEY=value` in a file of shell assignments, its quotes taken off.
pub(crate) fn assignment(text: &str, key: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='))?;
    let bare = value.trim();
    let inner = bare
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .or_else(|| bare.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')))
        .unwrap_or(bare);
    Some(inner.to_owned()).filter(|inner| !inner.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_parameters_are_kept() {
        let line = "root=/dev/sda1 clocksource=hpet password=hunter2 tsc=reliable quiet \
                    note=\"audit=1 tsc=unstable\" no-kvmclock -- clocksource=tsc\n";
        assert_eq!(kept(line), ["clocksource=hpet", "tsc=reliable", "no-kvmclock"]);
    }

    #[test]
    fn a_value_that_is_no_plain_word_is_left_out() {
        assert_eq!(kept("tsc=$(secret) audit=1"), ["audit=1"]);
        assert_eq!(kept(&format!("tsc={}", "a".repeat(500))), Vec::<String>::new());
    }

    #[test]
    fn the_last_value_of_a_parameter_counts() {
        let given = kept("clocksource=hpet no-kvmclock clocksource=tsc");
        assert_eq!(parameter(&given, "clocksource"), Some("tsc"));
        assert_eq!(parameter(&given, "no_kvmclock"), Some(""));
        assert_eq!(parameter(&given, "audit"), None);
    }

    #[test]
    fn assignments_lose_their_quotes() {
        let text = "A=\"x y\"\nB='z'\nC=plain\nD=\n";
        assert_eq!(assignment(text, "A").as_deref(), Some("x y"));
        assert_eq!(assignment(text, "B").as_deref(), Some("z"));
        assert_eq!(assignment(text, "C").as_deref(), Some("plain"));
        assert_eq!(assignment(text, "D"), None);
    }
}
