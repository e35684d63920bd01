//! Where facts are read from: this machine, or a recorded one.

use crate::files::recorded;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where each kind of fact comes from.
///
/// Every reading goes through one of these, so that a test can put a recorded machine in place of
/// this one, and so that a container can read its host's `/proc` from wherever it is mounted.
#[derive(Clone, Debug)]
pub struct Roots {
    /// What stands for `/`. Symbolic links below another root than `/` never lead out of it.
    pub root: PathBuf,
    /// What stands for `/proc`.
    pub proc: PathBuf,
    /// What stands for `/sys`.
    pub sys: PathBuf,
    /// The entry of `/proc` that is this process: `self`, or a process id.
    pub process: String,
    /// The kernel log.
    pub kernel_log: KernelLogSource,
    /// The CPUID instruction.
    pub cpuid: CpuidSource,
    /// The functions of the vDSO.
    pub vdso: VdsoSource,
    /// The audit system's answer.
    pub audit: AuditSource,
    /// What the caller's environment says.
    pub environment: Environment,
    /// Whether the running kernel may be asked by system call (`prctl`, netlink, MSR). False for
    /// a recorded machine, of which the running kernel knows nothing.
    pub system_calls: bool,
    /// Paths, as on the machine itself, that are reported as permission denied, with all below
    /// them. Empty on a live machine.
    pub denied: Vec<String>,
}

/// Where the kernel log comes from.
#[derive(Clone, Debug)]
pub enum KernelLogSource {
    /// `/dev/kmsg`, else `syslog(2)`, else what was saved under `/var/log`.
    Live,
    /// A file in the form of `dmesg`, `/dev/kmsg` or syslog.
    File(PathBuf),
}

/// Where CPUID leaves come from.
#[derive(Clone, Debug)]
pub enum CpuidSource {
    /// The instruction itself, on x86.
    Native,
    /// A JSON file: `{"0x1": {"0x0": ["0x…", "0x…", "0x…", "0x…"]}}`, leaf, sub-leaf, EAX to EDX.
    Recorded(PathBuf),
}

/// Where the vDSO's functions are read.
#[derive(Clone, Debug)]
pub enum VdsoSource {
    /// The vDSO mapped into this process.
    Native,
    /// A file with one name a line.
    Recorded(PathBuf),
}

/// Where the audit system's state is read.
#[derive(Clone, Debug)]
pub enum AuditSource {
    /// Netlink, as far as it answers.
    Native,
    /// A file in the form of `auditctl -s`, with a line `rules N` besides.
    Recorded(PathBuf),
}

/// The variables of the caller's environment that facts depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `JAVA_HOME`.
    pub java_home: Option<String>,
    /// `PATH`.
    pub path: Option<String>,
    /// `HOME`, for installations below it.
    pub home: Option<String>,
    /// `KUBERNETES_SERVICE_HOST` is set, as in every pod.
    pub kubernetes: bool,
}

impl Environment {
    /// That of this process.
    pub fn of_this_process() -> Self {
        Environment::from_variables(|name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| get(name).filter(|value| !value.is_empty());
        Environment {
            java_home: set("JAVA_HOME"),
            path: set("PATH"),
            home: set("HOME"),
            kubernetes: set("KUBERNETES_SERVICE_HOST").is_some(),
        }
    }
}

impl Roots {
    /// This machine.
    pub fn live() -> Self {
        Roots {
            root: "/".into(),
            proc: "/proc".into(),
            sys: "/sys".into(),
            process: "self".into(),
            kernel_log: KernelLogSource::Live,
            cpuid: CpuidSource::Native,
            vdso: VdsoSource::Native,
            audit: AuditSource::Native,
            environment: Environment::of_this_process(),
            system_calls: true,
            denied: Vec::new(),
        }
    }

    /// A recorded machine: a folder with `proc/`, `sys/`, and where it has them `root/`,
    /// `kernel.log`, `cpuid.json`, `vdso.symbols`, `audit.status`, `environment` (`NAME=value`
    /// lines) and `denied` (one path a line). A file that is not in it is not readable on that machine.
    pub fn fixture(folder: &Path) -> Self {
        let lines = |name: &str| -> Vec<String> {
            let text = recorded(&folder.join(name)).unwrap_or_default();
            text.lines().map(|line| line.trim().to_owned()).filter(|l| !l.is_empty()).collect()
        };
        let variables: BTreeMap<String, String> = lines("environment")
            .iter()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Roots {
            root: folder.join("root"),
            proc: folder.join("proc"),
            sys: folder.join("sys"),
            process: "self".into(),
            kernel_log: KernelLogSource::File(folder.join("kernel.log")),
            cpuid: CpuidSource::Recorded(folder.join("cpuid.json")),
            vdso: VdsoSource::Recorded(folder.join("vdso.symbols")),
            audit: AuditSource::Recorded(folder.join("audit.status")),
            environment: Environment::from_variables(|name| variables.get(name).cloned()),
            system_calls: false,
            denied: lines("denied"),
        }
    }

    /// Whether `path`, as on the machine itself, is among the denied ones or below one.
    pub(crate) fn is_denied(&self, path: &str) -> bool {
        self.denied.iter().any(|denied| {
            path.strip_prefix(denied.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denial_covers_what_lies_below_and_nothing_beside() {
        let mut roots = Roots::live();
        roots.denied = vec!["/sys/kernel/tracing".into()];
        assert!(roots.is_denied("/sys/kernel/tracing"));
        assert!(roots.is_denied("/sys/kernel/tracing/set_event"));
        assert!(!roots.is_denied("/sys/kernel/tracing2"));
        assert!(!roots.is_denied("/sys/kernel"));
    }

    #[test]
    fn an_empty_variable_is_an_unset_one() {
        let environment = Environment::from_variables(|name| match name {
            "JAVA_HOME" => Some(String::new()),
            "PATH" => Some("/usr/bin".into()),
            _ => None,
        });
        assert_eq!(environment.java_home, None);
        assert_eq!(environment.path.as_deref(), Some("/usr/bin"));
        assert!(!environment.kubernetes);
    }
}
