//! One line of the kernel log, in any of the forms it is found in.

/// A line, its prefix taken apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Seconds since boot, where the line carries them.
    pub(crate) at_seconds: Option<f64>,
    pub(crate) message: String,
}

impl Line {
    /// The first line that every kernel prints, or the one before it on arm64.
    pub(crate) fn starts_a_boot(&self) -> bool {
        let early = self.at_seconds.is_none_or(|at| at < 1.0);
        early
            && (self.message.starts_with("Booting Linux on physical CPU")
                || self.message.starts_with("Linux version "))
    }
}

/// Reads a line in one of these forms; `None` for a line that the kernel did not write.
///
/// - `/dev/kmsg`: `6,123,456789,-;message`
/// - `syslog(2)`: `<6>[    0.456789] message`
/// - `dmesg`: `[    0.456789] message`, with `-x` `kern  :info  : [    0.456789] message`
/// - syslog file: `Nov 20 16:00:46 host kernel: [    0.456789] message`
///
/// With `CONFIG_PRINTK_CALLER` a second bracket, `[    T1]`, follows the time.
pub(crate) fn parse(raw: &str) -> Option<Line> {
    // Continuation lines of /dev/kmsg (` SUBSYSTEM=cpu`) carry no message.
    if raw.is_empty() || raw.starts_with(' ') {
        return None;
    }
    if let Some(line) = kmsg(raw) {
        return line;
    }
    let rest = match raw.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((priority, rest)) if is_number(priority) => {
            if !from_kernel(priority) {
                return None;
            }
            rest
        }
        _ => raw,
    };
    if let Some(line) = bracketed(rest) {
        return Some(line);
    }
    // `dmesg -x` and syslog files put words before the time.
    if let Some((before, after)) = rest.split_once(" kernel: ") {
        return (before.len() < 120).then(|| bracketed(after).unwrap_or_else(|| untimed(after)));
    }
    if let Some(after) = rest.strip_prefix("kern ") {
        return after.find('[').and_then(|at| bracketed(&after[at..]));
    }
    if is_syslog_of_another(rest) {
        return None;
    }
    Some(untimed(rest))
}

fn untimed(message: &str) -> Line {
    Line { at_seconds: None, message: message.trim_end().to_owned() }
}

/// `Some(None)` for a record that a program wrote: facilities other than 0 are not the kernel's.
fn kmsg(raw: &str) -> Option<Option<Line>> {
    let (prefix, message) = raw.split_once(';')?;
    let mut fields = prefix.split(',');
    let (priority, sequence, micros) = (fields.next()?, fields.next()?, fields.next()?);
    if !(is_number(priority) && is_number(sequence) && is_number(micros)) {
        return None;
    }
    if !from_kernel(priority) {
        return Some(None);
    }
    let micros: u64 = micros.parse().ok()?;
    Some(Some(Line {
        at_seconds: Some(micros as f64 / 1e6),
        message: strip_caller(message).trim_end().to_owned(),
    }))
}

fn bracketed(text: &str) -> Option<Line> {
    let (time, rest) = text.strip_prefix('[')?.split_once(']')?;
    let time = time.trim();
    // `dmesg -T` puts a date here: the message counts, its time is lost.
    let at_seconds = time
        .parse::<f64>()
        .ok()
        .filter(|at| time.starts_with(|c: char| c.is_ascii_digit()) && at.is_finite());
    if at_seconds.is_none() && !time.contains(':') {
        return None;
    }
    Some(Line { at_seconds, message: strip_caller(rest.trim_start()).trim_end().to_owned() })
}

fn strip_caller(message: &str) -> &str {
    message
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .filter(|(caller, _)| caller.trim().strip_prefix(['T', 'C']).is_some_and(is_number))
        .map_or(message, |(_, rest)| rest.trim_start())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The facility is all above the lowest three bits; only the kernel writes as 0.
fn from_kernel(priority: &str) -> bool {
    priority.parse::<u32>().is_ok_and(|priority| priority >> 3 == 0)
}

/// `Nov 20 16:00:46 host sshd[12]: …` or `2026-11-20T16:00:46+00:00 host sshd[12]: …`
fn is_syslog_of_another(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_time = |word: &str| word.len() >= 8 && word.as_bytes().get(2) == Some(&b':');
    first.len() >= 19 && first.as_bytes().get(10) == Some(&b'T')
        || first.len() == 3 && words.nth(1).is_some_and(is_time)
}

/// Whether a message is about clocks: the clocksource, the TSC, its rivals, the watchdog.
pub fn on_clocks(message: &str) -> bool {
    // These repeat the command line, which can hold secrets.
    if message.contains("ommand line") {
        return false;
    }
    const WITHIN: &[&str] = &[
        "clocksource",
        "Clocksource",
        "timekeeping watchdog",
        "hrtimer: interrupt took",
        "read-back delay",
        "Long readout interval",
    ];
    const WORDS: &[&str] = &[
        "tsc",
        "tsc-early",
        "hpet",
        "hpet0",
        "kvm-clock",
        "kvmclock",
        "acpi_pm",
        "sched_clock",
        "arch_timer",
        "pm-timer",
        "timekeeping",
        "pvclock",
        "xen_tsc_safe_clocksource",
    ];
    WITHIN.iter().any(|part| message.contains(part))
        || message
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at: Option<f64>, message: &str) -> Option<Line> {
        Some(Line { at_seconds: at, message: message.into() })
    }

    #[test]
    fn every_form_of_a_line_is_read() {
        let message = "tsc: Detected 2499.982 MHz processor";
        for prefix in [
            "6,123,240000,-;",
            "6,123,240000,-,caller=T1;",
            "<6>[    0.240000] ",
            "[    0.240000] ",
            "[    0.240000][    T1] ",
            "kern  :info  : [    0.240000] ",
            "Nov 20 16:00:46 host kernel: [    0.240000] ",
            "2026-11-20T16:00:46.123+00:00 host kernel: [    0.240000] ",
        ] {
            assert_eq!(parse(&format!("{prefix}{message}")), line(Some(0.24), message), "{prefix}");
        }
        for prefix in ["<6>", "", "[Fri Nov 20 16:00:46 2026] ", "Nov 20 16:00:46 host kernel: "] {
            assert_eq!(parse(&format!("{prefix}{message}")), line(None, message), "{prefix}");
        }
    }

    #[test]
    fn what_programs_wrote_is_left_out() {
        assert_eq!(parse("30,900,5000000,-;systemd[1]: tsc: Marking TSC unstable due to me"), None);
        assert_eq!(parse("<30>[    5.0] systemd[1]: tsc"), None);
        assert_eq!(parse("Nov 20 16:00:46 host sshd[12]: tsc"), None);
        assert_eq!(parse("2026-11-20T16:00:46.123+00:00 host sshd[12]: tsc"), None);
        assert_eq!(parse(" SUBSYSTEM=cpu"), None);
    }

    #[test]
    fn lines_on_clocks_are_told_from_others() {
        for yes in [
            "tsc: Fast TSC calibration failed",
            "Switched to clocksource tsc",
            "TSC synchronization [CPU#0 -> CPU#1]: passed",
            "kvm-clock: Using msrs 4b564d01 and 4b564d00",
            "hrtimer: interrupt took 74996769 ns",
            "hpet0: 3 comparators, 64-bit 100.000000 MHz counter",
        ] {
            assert!(on_clocks(yes), "{yes}");
        }
        for no in [
            "Kernel command line: clocksource=tsc secret=1",
            "rtscts enabled",
            "PTP clock support registered",
            "usb 1-1: SerialNumber: 1234",
        ] {
            assert!(!on_clocks(no), "{no}");
        }
    }
}
