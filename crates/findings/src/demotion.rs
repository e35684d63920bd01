//! What a demotion of the TSC looks like from its log lines: a false alarm or a real fault.
//!
//! The watchdog compares the TSC with a slower clock twice a second. If its own readings are held
//! up (load, system management interrupts, a virtual CPU switched out) it blames the TSC. Sources:
//! Linux `kernel/time/clocksource.c`, and the commits named in `after_demotion`.

use crate::words::list;
use toll_model::Run;
use toll_model::host::{Demotion, Steal};
use toll_model::units::Nanos;

/// What the watchdog does between two comparisons when nothing holds it up, ns
/// (`WATCHDOG_INTERVAL`, half a second).
const INTERVAL_NS: f64 = 0.5e9;

/// Signs either way, each with its figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Signs {
    /// The watchdog demoted it, not a test of the TSC itself.
    pub by_watchdog: bool,
    /// A line of the log itself shows that the watchdog was held up, not the TSC.
    pub held_up: bool,
    /// What speaks for a false alarm.
    pub for_false: Vec<String>,
    /// What speaks for a real fault.
    pub for_real: Vec<String>,
}

/// Reads the signs of `demotion` on this machine.
pub(crate) fn signs(run: &Run, demotion: &Demotion) -> Signs {
    let mut signs = Signs {
        by_watchdog: demotion.reason.contains("clocksource watchdog")
            || !demotion.watchdog.is_empty(),
        ..Signs::default()
    };
    let lines = demotion.watchdog.iter().chain(run.host.kernel_log.known().into_iter().flatten());
    let (mut watchdog_ns, mut tsc_ns, mut delay_ns) = (None, None, None);
    for line in lines {
        let message = line.message.as_str();
        watchdog_ns = watchdog_ns.or(number_after(message, "wd_nsec: "));
        tsc_ns = tsc_ns.or(number_after(message, "cs_nsec: "));
        delay_ns = delay_ns.or(number_after(message, "read-back delay of "));
        if message.contains("TSC warp") {
            signs
                .for_real
                .push("a warp test between CPUs failed, and that tests the TSC itself".into());
        }
    }
    if let Some(delay) = delay_ns {
        signs.held_up = true;
        signs.for_false.push(format!(
            "the watchdog's own reading was held up for {}, which says nothing of the TSC",
            Nanos(delay)
        ));
    }
    if let (Some(watchdog), Some(tsc)) = (watchdog_ns, tsc_ns) {
        skew(&mut signs, watchdog, tsc);
    }
    if signs.by_watchdog {
        surroundings(run, &mut signs);
    }
    signs.for_real.dedup();
    signs
}

/// Which of the two clocks is nearer to the half second that lies between two comparisons.
fn skew(signs: &mut Signs, watchdog: f64, tsc: f64) {
    let told = format!(
        "between two comparisons, {} apart by design, the watchdog's clock counted {} and the TSC {}",
        Nanos(INTERVAL_NS),
        Nanos(watchdog),
        Nanos(tsc)
    );
    let off = |ns: f64| (ns - INTERVAL_NS).abs();
    if off(tsc) < off(watchdog) {
        signs.held_up = true;
        signs.for_false.push(format!("{told}: it is the watchdog's clock that is off"));
    } else {
        signs.for_real.push(told);
    }
}

/// What of this machine makes a false alarm likely, or a real one.
fn surroundings(run: &Run, signs: &mut Signs) {
    let host = &run.host;
    if host.hypervisor.emulated {
        signs.for_false.push("an emulated machine can't keep the watchdog punctual".into());
    }
    if let Some(sockets) = host.cpu.sockets.known().filter(|n| **n >= 4) {
        signs.for_false.push(format!(
            "{sockets} sockets: reading the watchdog's clock can take over 100 µs there under load"
        ));
    }
    let stolen = host.steal.known().and_then(Steal::percent_since_boot);
    if let Some(percent) = stolen.filter(|p| *p >= 1.0) {
        signs.for_false.push(format!("the hypervisor took {percent:.1}% of CPU time since boot"));
    }
    let seen: Vec<_> =
        run.probes.core_offsets.iter().filter_map(|pair| pair.outcome.known()).collect();
    let rounds = seen.iter().fold(0_u64, |sum, s| sum.saturating_add(s.rounds));
    if rounds > 0 && seen.iter().all(|s| s.backward == 0) {
        signs.for_false.push(format!(
            "{rounds} fenced readings across CPUs in this run never ran backward (drift takes longer to show)"
        ));
    }
}

/// Signs as sentences for a cause chain.
pub(crate) fn links(signs: &Signs) -> Vec<String> {
    let mut links = Vec::new();
    if !signs.for_real.is_empty() {
        links.push(format!("it looks real: {}", list(&signs.for_real)));
    }
    if !signs.for_false.is_empty() {
        links.push(format!("it may be a false alarm: {}", signs.for_false.join("; ")));
    }
    links
}

/// The number right after `key` in `text`, if it is there.
fn number_after(text: &str, key: &str) -> Option<f64> {
    let rest = text.split_once(key)?.1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::after_demotion::remedies;
    use toll_model::host::LogLine;
    use toll_model::{Host, Tool};

    fn demotion(lines: &[&str]) -> Demotion {
        let line = |message: &str| LogLine { at_seconds: None, message: message.into() };
        Demotion {
            line: line("tsc: Marking TSC unstable due to clocksource watchdog"),
            reason: "clocksource watchdog".into(),
            watchdog: lines.iter().map(|message| line(message)).collect(),
        }
    }

    fn run() -> Run {
        Run::new(Tool::default(), Host::default())
    }

    #[test]
    fn a_delayed_reading_points_at_the_watchdog() {
        let seen = signs(
            &run(),
            &demotion(&[
                "clocksource: timekeeping watchdog on CPU7: hpet read-back delay of 150280ns, attempt 3, marking unstable",
            ]),
        );
        assert!(seen.for_false[0].contains("150 µs") && seen.for_real.is_empty(), "{seen:?}");
        let commands: Vec<_> = remedies(&run(), &seen).into_iter().map(|r| r.command).collect();
        assert!(commands.iter().any(|c| c.starts_with("tsc=nowatchdog")), "{commands:?}");
    }

    #[test]
    fn the_clock_that_is_farther_from_half_a_second_is_off() {
        let lines = |wd: &str, cs: &str| {
            signs(
                &run(),
                &demotion(&[
                    &format!("'refined-jiffies' wd_nsec: {wd} wd_now: 1 wd_last: 0 mask: f"),
                    &format!("'tsc' cs_nsec: {cs} cs_now: 1 cs_last: 0 mask: f"),
                ]),
            )
        };
        let late = lines("378942392", "501000000");
        assert!(late.for_false[0].contains("379 ms") && late.for_real.is_empty(), "{late:?}");
        let drifting = lines("503987000", "620000000");
        assert!(drifting.for_false.is_empty() && drifting.for_real.len() == 1, "{drifting:?}");
        let commands: Vec<_> = remedies(&run(), &drifting).into_iter().map(|r| r.command).collect();
        assert!(!commands.iter().any(|c| c.starts_with("tsc=")), "{commands:?}");
    }

    #[test]
    fn a_failed_warp_test_is_taken_for_real() {
        let mut run = run();
        run.host.kernel_log = toll_model::Fact::Known(vec![LogLine {
            at_seconds: Some(0.2),
            message: "Measured 381 cycles TSC warp between CPUs, turning off TSC clock.".into(),
        }]);
        let mut found = demotion(&[]);
        found.reason = "check_tsc_sync_source failed".into();
        let seen = signs(&run, &found);
        assert!(!seen.by_watchdog && seen.for_real.len() == 1, "{seen:?}");
        assert_eq!(remedies(&run, &seen).len(), 1);
    }
}
