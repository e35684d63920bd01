//! What a demotion of the TSC looks like from its log lines: a false alarm or a real fault.
//!
//! The watchdog compares the TSC with a slower clock twice a second. If its own readings are held
//! up (load, system management interrupts, a virtual CPU switched out) it blames the TSC. Sources:
//! Linux `kernel/time/clocksource.c`, and the commits named in `after_demotion`.

use toll_model::Run;
use toll_model::host::{Demotion, Steal};
use toll_model::units::Nanos;

/// What the watchdog does between two comparisons when nothing holds it up, ns
/// (`WATCHDOG_INTERVAL`, half a second).
const INTERVAL_NS: f64 = 0.5e9;

/// Comparisons a second, when nothing holds the watchdog up.
const COMPARISONS_PER_SECOND: f64 = 2.0;

/// After this many a wrong rate of the TSC would long have shown, s.
const LONG_SINCE_BOOT: f64 = 60.0;

/// Signs either way, each with its figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Signs {
    /// The watchdog demoted it, not a test of the TSC itself.
    pub by_watchdog: bool,
    /// What the watchdog measured, where that takes neither side.
    pub measured: Option<String>,
    /// What the log says for a false alarm.
    pub for_false: Vec<String>,
    /// What of this machine makes a false alarm likely.
    pub likely: Vec<String>,
    /// What speaks for a real fault.
    pub for_real: Vec<String>,
}

impl Signs {
    /// Whether the log speaks for a false alarm and nothing for a real fault.
    pub(crate) fn look_false(&self) -> bool {
        self.by_watchdog && !self.for_false.is_empty() && self.for_real.is_empty()
    }
}

/// Reads the signs of `demotion` on this machine.
pub(crate) fn signs(run: &Run, demotion: &Demotion) -> Signs {
    let mut signs = Signs {
        by_watchdog: demotion.reason.contains("clocksource watchdog")
            || !demotion.watchdog.is_empty(),
        ..Signs::default()
    };
    let log = run.host.kernel_log.known().into_iter().flatten();
    let messages: Vec<&str> =
        demotion.watchdog.iter().chain(log).map(|line| line.message.as_str()).collect();
    tested(&mut signs, &messages);
    if signs.by_watchdog {
        let number = |key| messages.iter().find_map(|message| number_after(message, key));
        if let Some(delay) = number("read-back delay of ") {
            signs.for_false.push(format!(
                "the watchdog's own reading was held up for {}, which says nothing of the TSC",
                Nanos(delay)
            ));
        }
        if let (Some(watchdog), Some(tsc)) = (number("wd_nsec: "), number("cs_nsec: ")) {
            skew(&mut signs, watchdog, tsc);
        }
        if let Some(at) = demotion.line.at_seconds.filter(|at| (LONG_SINCE_BOOT..3e10).contains(at))
        {
            signs.for_false.push(format!(
                "the TSC had passed some {:.0} comparisons since boot, and a wrong rate fails the first",
                at * COMPARISONS_PER_SECOND
            ));
        }
        surroundings(run, &messages, &mut signs);
    }
    signs
}

/// Tests of the TSC itself: between CPUs at boot, and of CPUs after a demotion.
fn tested(signs: &mut Signs, messages: &[&str]) {
    let any = |part: &str| messages.iter().any(|message| message.contains(part));
    if any("TSC warp") {
        signs
            .for_real
            .push("a warp test between CPUs failed, and that tests the TSC itself".into());
    }
    if any("ahead of CPU") || any("behind CPU") {
        signs.for_real.push("the kernel then found CPUs ahead of or behind others".into());
    } else if any("Checking clocksource tsc synchronization") {
        signs.for_false.push("the kernel then compared CPUs and found none ahead or behind".into());
    }
}

/// Which of the two clocks missed the half second that lies between two comparisons, if one did:
/// a small skew tells that they differ, never which of them is off.
fn skew(signs: &mut Signs, watchdog: f64, tsc: f64) {
    let missed = |ns: f64| (ns - INTERVAL_NS).abs() > INTERVAL_NS / 10.0;
    let told = format!(
        "between two comparisons, {} apart by design, the watchdog's clock counted {} and the TSC {}",
        Nanos(INTERVAL_NS),
        Nanos(watchdog),
        Nanos(tsc)
    );
    match (missed(watchdog), missed(tsc)) {
        (true, false) => {
            signs.for_false.push(format!("{told}: it is the watchdog's clock that is off"));
        }
        (false, true) => signs.for_real.push(told),
        _ => {
            signs.measured = Some(format!(
                "the TSC and the watchdog's clock came out {} apart after {}, which tells that one is off and not which",
                Nanos((tsc - watchdog).abs()),
                Nanos(watchdog)
            ));
        }
    }
}

/// What of this machine makes a false alarm likely.
fn surroundings(run: &Run, messages: &[&str], signs: &mut Signs) {
    let host = &run.host;
    if host.hypervisor.emulated {
        signs.likely.push("an emulated machine can't keep the watchdog punctual".into());
    }
    if let Some(sockets) = host.cpu.sockets.known().filter(|n| **n >= 4) {
        signs.likely.push(format!(
            "{sockets} sockets: reading the watchdog's clock can take over 100 µs there under load"
        ));
    }
    let stolen = host.steal.known().and_then(Steal::percent_since_boot);
    if let Some(percent) = stolen.filter(|p| *p >= 1.0) {
        signs.likely.push(format!("the hypervisor took {percent:.1}% of CPU time since boot"));
    }
    let stall = messages.iter().find_map(|m| number_after(m, "hrtimer: interrupt took "));
    if let Some(stall) = stall {
        signs
            .likely
            .push(format!("CPUs are held up here: a timer interrupt took {}", Nanos(stall)));
    }
    let seen: Vec<_> =
        run.probes.core_offsets.iter().filter_map(|pair| pair.outcome.known()).collect();
    let rounds = seen.iter().fold(0_u64, |sum, s| sum.saturating_add(s.rounds));
    if rounds > 0 && seen.iter().all(|s| s.backward == 0) {
        signs
            .likely
            .push(format!("{rounds} fenced readings across CPUs in this run never ran backward"));
    }
}

/// Signs as links of a cause chain.
pub(crate) fn links(signs: &Signs) -> Vec<String> {
    let mut links: Vec<_> = signs.measured.iter().cloned().collect();
    if !signs.for_real.is_empty() {
        links.push(format!("it looks real: {}", signs.for_real.join("; ")));
    }
    let verdict = if signs.look_false() { "it looks like a false alarm" } else { "yet" };
    if !signs.for_false.is_empty() {
        links.push(format!("{verdict}: {}", signs.for_false.join("; ")));
    }
    if !signs.likely.is_empty() {
        links.push(format!("beside that: {}", signs.likely.join("; ")));
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
        assert!(late.for_false[0].contains("379 ms") && late.look_false(), "{late:?}");
        let drifting = lines("503987000", "620000000");
        assert!(drifting.for_false.is_empty() && drifting.for_real.len() == 1, "{drifting:?}");
        let commands: Vec<_> = remedies(&run(), &drifting).into_iter().map(|r| r.command).collect();
        assert!(!commands.iter().any(|c| c.starts_with("tsc=")), "{commands:?}");
    }

    #[test]
    fn a_small_skew_takes_no_side_but_what_went_before_and_after_may() {
        let mut late = demotion(&[
            "clocksource: 'hpet' wd_nsec: 503029760 wd_now: 1 wd_last: 0 mask: f",
            "clocksource: 'tsc' cs_nsec: 503466648 cs_now: 1 cs_last: 0 mask: f",
        ]);
        let seen = signs(&run(), &late);
        assert!(seen.measured.as_ref().is_some_and(|m| m.contains("437 µs")), "{seen:?}");
        assert!(!seen.look_false() && seen.for_real.is_empty(), "{seen:?}");
        late.line.at_seconds = Some(8882.0);
        let seen = signs(&run(), &late);
        assert!(seen.look_false() && seen.for_false[0].contains("17764"), "{seen:?}");
        late.watchdog.push(LogLine {
            at_seconds: None,
            message: "clocksource:         CPUs 3 ahead of CPU 1 for clocksource tsc.".into(),
        });
        assert!(!signs(&run(), &late).look_false());
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
