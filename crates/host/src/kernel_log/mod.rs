//! The kernel log, as far as it speaks of clocks.
//!
//! Only lines on clocks are kept, and few others are looked at (audit, the hypervisor's name): the
//! log of a machine holds addresses, serial numbers and command lines that are nobody's business.

mod demotion;
mod line;
mod source;

pub(crate) use demotion::{demotion, is_delay, is_trouble};
pub(crate) use line::Line;
pub use line::on_clocks;

use crate::missing::{Missing, clean};
use crate::roots::Roots;
use toll_model::host::LogLine;

/// At most this many lines on clocks are kept: the first, which tell of the boot, and the last.
const KEPT: usize = 256;

/// What the log says.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelLog {
    /// Lines on clocks, in order.
    pub(crate) clocks: Vec<LogLine>,
    /// Lines that name a hypervisor.
    pub(crate) hypervisor: Vec<LogLine>,
    /// The last `audit_enabled=N` in it.
    pub(crate) audit_enabled: Option<(bool, LogLine)>,
    /// Whether the log begins with the boot. Where it does not, what it lacks may have been said.
    pub(crate) reaches_boot: bool,
    /// How it was read: `/dev/kmsg`.
    pub(crate) source: String,
    /// Seconds since boot of the first line that is left.
    pub(crate) first_at: Option<f64>,
}

/// Reads the log.
pub(crate) fn read(roots: &Roots) -> Result<KernelLog, Missing> {
    source::read(roots).map(|(source, lines)| KernelLog::from_lines(source, lines))
}

/// The lines of the log that toll looks at, the boot's first cut down to the kernel's version: what
/// a recording of a machine needs of it.
///
/// # Errors
/// [`Missing`] if there is no log to be read.
pub fn relevant(roots: &Roots) -> Result<Vec<LogLine>, Missing> {
    let (_, lines) = source::read(roots)?;
    let mut kept = Vec::new();
    for line in lines {
        if line.starts_a_boot() {
            let words: Vec<&str> = line.message.split_whitespace().take(3).collect();
            kept.clear();
            kept.push(LogLine { at_seconds: line.at_seconds, message: words.join(" ") });
        } else if on_clocks(&line.message) || on_machine(&line.message) {
            let message = clean(&line.message, 400);
            kept.push(LogLine { at_seconds: line.at_seconds, message });
        }
    }
    Ok(kept)
}

/// Whether a message names the hypervisor or the state of auditing.
fn on_machine(message: &str) -> bool {
    names_hypervisor(message)
        || message.starts_with("audit: ") && message.contains(" state=initialized audit_enabled=")
}

fn names_hypervisor(message: &str) -> bool {
    ["ypervisor detected", "paravirtualized kernel on", "hypervisor services detected"]
        .iter()
        .any(|part| message.contains(part))
}

impl KernelLog {
    fn from_lines(source: String, lines: Vec<Line>) -> Self {
        let mut log = KernelLog {
            source,
            first_at: lines.iter().find_map(|line| line.at_seconds),
            ..KernelLog::default()
        };
        for line in lines {
            // A file that is appended to holds older boots before this one.
            if line.starts_a_boot() {
                let source = std::mem::take(&mut log.source);
                log = KernelLog { source, first_at: line.at_seconds, ..KernelLog::default() };
                log.reaches_boot = true;
            }
            log.take(&line);
        }
        log
    }

    fn take(&mut self, line: &Line) {
        let kept = || LogLine { at_seconds: line.at_seconds, message: clean(&line.message, 400) };
        if on_clocks(&line.message) {
            self.clocks.push(kept());
        } else if names_hypervisor(&line.message) {
            self.hypervisor.push(kept());
        }
        if let Some((_, rest)) = line.message.split_once("audit_enabled=") {
            self.audit_enabled = Some((rest.starts_with(['1', '2']), kept()));
        }
    }

    /// The lines on clocks that go into a run.
    pub(crate) fn kept(&self) -> Vec<LogLine> {
        if self.clocks.len() <= KEPT {
            return self.clocks.clone();
        }
        let (first, last) = (KEPT * 3 / 4, KEPT / 4);
        let mut kept = self.clocks[..first].to_vec();
        kept.extend_from_slice(&self.clocks[self.clocks.len() - last..]);
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(text: &str) -> KernelLog {
        KernelLog::from_lines("test".into(), text.lines().filter_map(line::parse).collect())
    }

    #[test]
    fn only_the_last_boot_counts() {
        let log = log(concat!(
            "[    0.000000] Linux version 6.1.0\n",
            "[    1.100000] tsc: Marking TSC unstable due to clocksource watchdog\n",
            "[    0.000000] Linux version 6.1.1\n",
            "[    0.000004] tsc: Detected 2499.982 MHz processor\n",
        ));
        assert!(log.reaches_boot);
        assert_eq!(log.clocks.len(), 1);
        assert_eq!(demotion(&log.clocks), None);
    }

    #[test]
    fn a_log_that_lost_its_beginning_says_so() {
        let log = log("[  812.000000] clocksource: Switched to clocksource hpet\n");
        assert!(!log.reaches_boot);
        assert_eq!(log.first_at, Some(812.0));
    }

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let text: String =
            (0..5000).map(|n| format!("[{n}.0] hrtimer: interrupt took {n} ns\n")).collect();
        let kept = log(&text).kept();
        assert_eq!(kept.len(), KEPT);
        assert_eq!(kept.first().unwrap().at_seconds, Some(0.0));
        assert_eq!(kept.last().unwrap().at_seconds, Some(4999.0));
    }

    #[test]
    fn audit_and_hypervisor_are_noted() {
        let log = log(concat!(
            "[    0.000000] Hypervisor detected: KVM\n",
            "[    0.240000] audit: type=2000 audit(1.0:1): state=initialized audit_enabled=0 res=1\n",
            "[    3.240000] audit: type=1305 audit(3.0:2): op=set audit_enabled=1 old=0\n",
        ));
        assert_eq!(log.hypervisor.len(), 1);
        assert!(log.audit_enabled.unwrap().0);
    }
}
