//! The kernel's own words when it gives up the TSC.
//!
//! Sources of the wordings: arch/x86/kernel/tsc.c (`mark_tsc_unstable`), tsc_sync.c
//! (`check_tsc_sync_source`), kernel/time/clocksource.c (the watchdog, rewritten after 6.18 with
//! other words), in versions from 2.6.32 on.

use toll_model::host::{Demotion, LogLine};

/// The first demotion in the log's lines on clocks, with the watchdog's lines that led to it.
pub(crate) fn demotion(lines: &[LogLine]) -> Option<Demotion> {
    // `mark_tsc_unstable` speaks once and last; the others only stand in for it where it is lost.
    let (at, reason) = position(lines, marked).or_else(|| position(lines, implied))?;
    let watchdog = if reason.contains("watchdog") {
        let from = at.saturating_sub(16);
        lines[from..at].iter().filter(|line| of_watchdog(&line.message)).cloned().collect()
    } else {
        Vec::new()
    };
    Some(Demotion { line: lines[at].clone(), reason, watchdog })
}

fn position(lines: &[LogLine], of: fn(&str) -> Option<String>) -> Option<(usize, String)> {
    lines.iter().enumerate().find_map(|(at, line)| Some((at, of(&line.message)?)))
}

/// `Marking TSC unstable due to REASON`.
fn marked(message: &str) -> Option<String> {
    let (_, reason) = message.split_once("Marking TSC unstable due to ")?;
    Some(reason.trim().trim_end_matches('.').to_owned())
}

/// Lines that come with a demotion.
fn implied(message: &str) -> Option<String> {
    let is_tsc = |name: &str| matches!(name.trim_matches('\''), "tsc" | "tsc-early");
    if let Some((_, rest)) = message.split_once("Marking clocksource ") {
        let (name, why) = rest.split_once(' ').unwrap_or((rest, ""));
        let why = why.strip_prefix("unstable due to ").unwrap_or("the skew is too large");
        return is_tsc(name).then(|| format!("clocksource watchdog: {}", why.trim()));
    }
    // Until Linux 4.0: `Clocksource tsc unstable (delta = -74996769 ns)`.
    if let Some((_, rest)) = message.split_once("Clocksource tsc unstable") {
        return Some(format!("clocksource watchdog {}", rest.trim()).trim_end().to_owned());
    }
    // Linux 5.13 and later: `… read-back delay of 60000ns, attempt 4, marking tsc unstable`.
    if let Some((_, rest)) = message.split_once(", marking ")
        && message.contains("read-back delay")
        && let Some(name) = rest.strip_suffix(" unstable")
    {
        return is_tsc(name).then(|| "clocksource watchdog: excessive read-back delay".into());
    }
    let warped = message.contains("TSC warp") && message.contains("turning off TSC clock");
    warped.then(|| "TSC warp between CPUs".into())
}

/// A line by which the watchdog explains itself.
fn of_watchdog(message: &str) -> bool {
    [
        "timekeeping watchdog",
        "Marking clocksource",
        " wd_now: ",
        " cs_now: ",
        "skewed ",
        "is current clocksource",
        "No current clocksource",
        "read-back delay",
        "Clocksource tsc unstable",
        "synchronization from CPU",
        " ahead of CPU ",
        " behind CPU ",
        " (cycles)",
    ]
    .iter()
    .any(|part| message.contains(part))
        // `Watchdog  hpet interval: 5868ns`, `Clocksource  tsc interval: 5775ns`
        || message.contains(" interval: ") && message.trim_end().ends_with("ns")
}

/// Whether a line tells how hard the watchdog's work is here, which says nothing of the TSC itself:
/// its readings are delayed by load, by the hypervisor, by a busy bus.
pub(crate) fn is_delay(message: &str) -> bool {
    message.contains("read-back delay") && !message.trim_end().ends_with("unstable")
        || message.contains("Watchdog") && message.contains("read timed out")
        || message.contains("Long readout interval, skipping watchdog check")
}

/// Whether a line speaks against the TSC without demoting it by itself.
pub(crate) fn is_trouble(message: &str) -> bool {
    [
        "TSC warp",
        "TSC ADJUST differs",
        "TSC ADJUST: CPU",
        "TSC ADJUST compensate",
        "Marking clocksource 'tsc' as unstable",
        "Marking clocksource 'tsc-early' as unstable",
        "Marking clocksource tsc unstable",
        "Marking clocksource tsc-early unstable",
        "marking tsc unstable",
        "Clocksource 'tsc' skewed",
        "Clocksource 'tsc-early' skewed",
        "Clocksource tsc unstable",
        "TSC found unstable",
        " ahead of CPU ",
        " behind CPU ",
        "TSC doesn't count with P0 frequency",
    ]
    .iter()
    .any(|part| message.contains(part))
        || message.contains("Override clocksource tsc is") && message.contains("unstable")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<LogLine> {
        text.lines()
            .map(|m| LogLine { at_seconds: Some(1.0), message: m.trim_end().into() })
            .collect()
    }

    #[test]
    fn the_watchdog_is_quoted_with_the_lines_that_led_to_it() {
        let log = lines(
            "clocksource: Switched to clocksource tsc\n\
             clocksource: timekeeping watchdog on CPU7: Marking clocksource 'tsc' as unstable because the skew is too large:\n\
             clocksource:                       'hpet' wd_nsec: 503861234 wd_now: 6ac21a wd_last: 3f1b2 mask: ffffffff\n\
             clocksource:                       'tsc' cs_nsec: 511902123 cs_now: 2f01 cs_last: 1e01 mask: ffffffffffffffff\n\
             clocksource:                       'tsc' is current clocksource.\n\
             tsc: Marking TSC unstable due to clocksource watchdog\n\
             TSC found unstable after boot, most likely due to broken BIOS. Use 'tsc=unstable'.\n\
             clocksource: Switched to clocksource hpet\n",
        );
        let found = demotion(&log).unwrap();
        assert_eq!(found.reason, "clocksource watchdog");
        assert_eq!(found.line, log[5]);
        assert_eq!(found.watchdog, log[1..5]);
    }

    #[test]
    fn the_rewritten_watchdog_is_understood() {
        let log = lines(
            "clocksource: Marking clocksource tsc unstable due to frequency skew\n\
             clocksource: Watchdog               kvm-clock interval:             5868ns\n\
             clocksource: Clocksource                  tsc interval:             5775ns\n\
             tsc: Marking TSC unstable due to clocksource watchdog\n",
        );
        let found = demotion(&log).unwrap();
        assert_eq!(found.reason, "clocksource watchdog");
        assert_eq!(found.watchdog, log[..3]);
        // Where the last line was lost, the first one speaks.
        assert_eq!(demotion(&log[..3]).unwrap().reason, "clocksource watchdog: frequency skew");
        assert!(is_delay("clocksource: Watchdog remote CPU 1 read timed out"));
        assert!(!is_trouble("clocksource: Watchdog remote CPU 1 read timed out"));
    }

    #[test]
    fn every_reason_is_read() {
        let reason = |message: &str| demotion(&lines(message)).map(|d| d.reason);
        for (message, expected) in [
            ("tsc: Marking TSC unstable due to TSCs unsynchronized", "TSCs unsynchronized"),
            ("Marking TSC unstable due to TSC halts in idle", "TSC halts in idle"),
            (
                "tsc: Marking TSC unstable due to check_tsc_sync_source failed",
                "check_tsc_sync_source failed",
            ),
            ("tsc: Marking TSC unstable due to running on Hyper-V", "running on Hyper-V"),
            (
                "Clocksource tsc unstable (delta = -8589964877 ns)",
                "clocksource watchdog (delta = -8589964877 ns)",
            ),
            (
                "Measured 3978592228 cycles TSC warp between CPUs, turning off TSC clock.",
                "TSC warp between CPUs",
            ),
            (
                "clocksource: timekeeping watchdog on CPU3: wd-tsc-wd excessive read-back delay of 60666ns vs. limit of 50000ns, wd-wd read-back delay only 1500ns, attempt 4, marking tsc unstable",
                "clocksource watchdog: excessive read-back delay",
            ),
        ] {
            assert_eq!(reason(message).as_deref(), Some(expected), "{message}");
        }
    }

    #[test]
    fn other_lines_demote_nothing() {
        for message in [
            "clocksource: timekeeping watchdog on CPU1: Marking clocksource 'hpet' as unstable because the skew is too large:",
            "tsc: Fast TSC calibration failed",
            "sched_clock: Marking stable (272002736, 988313)->(300377884, -27386835)",
            "clocksource: timekeeping watchdog on CPU3: hpet wd-wd read-back delay of 60000ns",
        ] {
            assert_eq!(demotion(&lines(message)), None, "{message}");
        }
    }

    #[test]
    fn trouble_short_of_a_demotion_is_told() {
        assert!(is_trouble(
            "[Firmware Bug]: TSC ADJUST differs within socket(s), fixing all errors"
        ));
        assert!(is_trouble("Measured 1234 cycles TSC warp between CPUs, turning off TSC clock."));
        assert!(!is_trouble("TSC synchronization [CPU#0 -> CPU#1]: passed"));
        assert!(!is_trouble("clocksource: Switched to clocksource tsc"));
    }
}
