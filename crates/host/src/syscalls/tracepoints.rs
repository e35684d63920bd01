//! Enabled tracepoints on system calls: with one on, every call of every process goes the slow way.
//!
//! Those that `perf` or BPF enabled for themselves do not show here: tracefs lists its own only.

use crate::missing::{Missing, clean};
use crate::roots::Roots;

/// tracefs, and where kernels before 4.1 had it.
const FOLDERS: &[&str] = &["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

const NEEDS: &str = "needs root";

/// How many enabled tracepoints are named.
const NAMED: usize = 20;

/// Enabled syscall tracepoints, of all instances: `raw_syscalls/sys_enter`.
pub(super) fn read(roots: &Roots) -> Result<Vec<String>, Missing> {
    // The second is looked at only if the first is not mounted: a look mounts it.
    let mut failure = None;
    for folder in FOLDERS {
        match enabled(roots, folder) {
            Ok(found) => return Ok(found),
            Err(missing) if missing.is_absent() => failure = failure.or(Some(missing)),
            Err(missing) => return Err(missing.needs(NEEDS)),
        }
    }
    let missing = failure.unwrap_or_else(|| Missing::new(FOLDERS[0], "not there"));
    Err(missing.absent("tracefs is not mounted"))
}

fn enabled(roots: &Roots, folder: &str) -> Result<Vec<String>, Missing> {
    // One file names all that is on: `system:event` a line.
    let mut found = events(&roots.text(&format!("{folder}/set_event"))?, "");
    let instances = format!("{folder}/instances");
    for instance in roots.names(&instances).unwrap_or_default().iter().take(64) {
        if let Ok(text) = roots.text(&format!("{instances}/{instance}/set_event")) {
            found.extend(events(&text, &clean(instance, 40)));
        }
    }
    found.truncate(NAMED);
    Ok(found)
}

fn events(text: &str, instance: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.trim().split_once(':'))
        .filter(|(system, _)| matches!(*system, "raw_syscalls" | "syscalls"))
        .map(|(system, event)| {
            let event = clean(event, 60);
            match instance {
                "" => format!("{system}/{event}"),
                instance => format!("{system}/{event} (instance {instance})"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_syscall_events_are_named() {
        let text = "sched:sched_switch\nraw_syscalls:sys_enter\nsyscalls:sys_exit_read\n";
        assert_eq!(events(text, ""), ["raw_syscalls/sys_enter", "syscalls/sys_exit_read"]);
        assert_eq!(events("raw_syscalls:sys_enter", "x"), ["raw_syscalls/sys_enter (instance x)"]);
    }
}
