//! Who watches the system calls of this process: tracer, audit, tracepoints, seccomp.
//!
//! Each makes the kernel take its slow path on the way in or out (`SYSCALL_WORK_ENTER` and
//! `SYSCALL_WORK_EXIT` in `include/linux/entry-common.h`).

use crate::words::{count, list};
use toll_model::host::SyscallTracing;
use toll_model::{Fact, Level};

/// Something that is on.
pub(crate) struct Watcher {
    /// At least this level, whatever it costs.
    pub level: Level,
    /// `audit`
    pub name: String,
    /// That it is on, and what told it.
    pub because: String,
    /// What turns it off, and what that risks; `None` where nothing should.
    pub remedy: Option<(&'static str, &'static str)>,
}

/// What could be read, and what not.
pub(crate) struct Seen {
    /// What is on.
    pub on: Vec<Watcher>,
    /// How many facts could be read.
    pub read: usize,
    /// What could not, with reasons.
    pub unread: Vec<String>,
    /// What was read and watches no call: security modules, confinement.
    pub notes: Vec<String>,
}

impl Seen {
    /// Reads the facts of `tracing`.
    pub(crate) fn of(tracing: &SyscallTracing) -> Self {
        let mut seen = Seen { on: Vec::new(), read: 0, unread: Vec::new(), notes: Vec::new() };
        if let Some(pid) = seen.fact("ptrace", &tracing.tracer).filter(|pid| **pid != 0) {
            seen.on.push(Watcher {
                level: Level::Error,
                name: "ptrace".into(),
                because: format!(
                    "process {pid} traces this one (TracerPid): a tracer of system calls stops each twice"
                ),
                remedy: Some((
                    "detach the tracer (strace, gdb, a sandbox), or measure outside it",
                    "what it watches for is no longer seen",
                )),
            });
        }
        if let Some(audit) = seen.fact("audit", &tracing.audit).filter(|audit| audit.enabled) {
            let rules = match audit.rules.known() {
                Some(n) => format!(", {}", count(u64::from(*n), "rule")),
                None => String::new(),
            };
            seen.on.push(Watcher {
                level: Level::Warn,
                name: "audit".into(),
                because: format!(
                    "system call auditing is on ({}{rules}): each call takes the slow way in and out",
                    audit.evidence
                ),
                remedy: Some((
                    "sudo auditctl -a never,task (for processes started from then on), or audit=0 \
                     on the kernel command line",
                    "system calls leave no audit trail; rules of compliance may demand one",
                )),
            });
        }
        if let Some(points) =
            seen.fact("tracepoints", &tracing.tracepoints).filter(|points| !points.is_empty())
        {
            seen.on.push(Watcher {
                level: Level::Warn,
                name: "tracepoints".into(),
                because: format!("the tracepoint {} is on, for every process", list(points)),
                remedy: Some((
                    "stop the tracer that turned it on (perf trace, bpftrace, a security agent), or \
                     if none is left: echo 0 | sudo tee /sys/kernel/tracing/events/raw_syscalls/enable",
                    "the tracer's data end there",
                )),
            });
        }
        if let Some(seccomp) = seen.fact("seccomp", &tracing.seccomp).filter(|s| s.mode != 0) {
            let filters = match seccomp.filters {
                Some(n) => count(u64::from(n), "filter"),
                None => "filters".into(),
            };
            seen.on.push(Watcher {
                level: Level::Info,
                name: "seccomp".into(),
                because: format!(
                    "seccomp is on (mode {}, {filters}): each call takes the slow way in",
                    seccomp.mode
                ),
                remedy: None,
            });
        }
        seen.notes.push(match (tracing.lsm.known(), tracing.lsm.reason()) {
            (Some(modules), _) => format!("security modules: {}", list(modules)),
            (None, why) => format!("security modules not read: {}", why.unwrap_or_default()),
        });
        seen.notes.push(match (tracing.confinement.known(), tracing.confinement.reason()) {
            (Some(label), _) => format!("/proc/self/attr/current: {label}"),
            (None, why) => format!("confinement not read: {}", why.unwrap_or_default()),
        });
        seen
    }

    /// The fact, if it was read; counts it, or keeps the reason why it wasn't.
    fn fact<'a, T>(&mut self, name: &str, fact: &'a Fact<T>) -> Option<&'a T> {
        match (fact.known(), fact.reason()) {
            (Some(value), _) => {
                self.read += 1;
                Some(value)
            }
            (None, why) => {
                let why = why.unwrap_or_default();
                // Some reasons begin with the name themselves.
                self.unread.push(match why.starts_with(&format!("{name}: ")) {
                    true => why.to_owned(),
                    false => format!("{name} not read: {why}"),
                });
                None
            }
        }
    }

    /// What could not be read, as the end of a sentence.
    pub(crate) fn gaps(&self) -> String {
        self.unread.iter().map(|why| format!("; {why}")).collect()
    }
}
