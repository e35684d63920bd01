//! Shared wording: figures with their intervals, lists, quotations from the kernel log.

use toll_model::host::Host;
use toll_model::host::LogLine;
use toll_model::units::{Nanos, significant};
use toll_model::{Fact, Run};

/// A figure in nanoseconds and its 95% interval: `22.4 ns [22.2 ns, 22.6 ns]`.
pub(crate) fn figure(ns: f64, ci95: Option<[f64; 2]>) -> String {
    match ci95 {
        Some([lo, hi]) => format!("{} [{}, {}]", Nanos(ns), Nanos(lo), Nanos(hi)),
        None => Nanos(ns).to_string(),
    }
}

/// An amount that was observed, or that it is none: `381 ns`, `an unknown amount`.
pub(crate) fn amount(ns: f64) -> String {
    if ns.is_finite() { Nanos(ns).to_string() } else { "an unknown amount".into() }
}

/// A span of figures, or the figure alone where both ends read the same: `114 ns–220 ns`.
pub(crate) fn span(lo: f64, hi: f64) -> String {
    let (lo, hi) = (Nanos(lo).to_string(), Nanos(hi).to_string());
    if lo == hi { lo } else { format!("{lo}–{hi}") }
}

/// A ratio: `20.6 times`.
pub(crate) fn times(ratio: f64) -> String {
    format!("{} times", significant(ratio))
}

/// What a saving per call comes to where a program calls a million times a second, or as often as
/// one CPU can at such a price.
pub(crate) fn share_of_a_cpu(saving_ns: f64) -> String {
    let (calls, often) = [
        ("a million", 1e6),
        ("a hundred thousand", 1e5),
        ("ten thousand", 1e4),
        ("a thousand", 1e3),
    ]
    .into_iter()
    .find(|(_, often)| saving_ns * often <= 1e9)
    .unwrap_or(("a hundred", 1e2));
    let percent = significant(saving_ns * often / 1e7);
    format!("{calls} calls a second would free {percent}% of one CPU")
}

/// `1 filter`, `2 filters`.
pub(crate) fn count(n: u64, noun: &str) -> String {
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}{plural}") }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list<S: AsRef<str>>(items: &[S]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().into(),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// A line of the kernel log with its time: `“tsc: Marking TSC unstable …” at boot + 0.24 s`.
pub(crate) fn quote(line: &LogLine) -> String {
    // The kernel lines up its columns with blanks; a sentence has no use for them.
    let message = line.message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.at_seconds {
        // No machine runs for a thousand years: such a time was misread.
        // Early in a boot hundredths are too coarse.
        Some(at) if at > 0.0 && at < 0.1 => format!("“{message}” at boot + {at:.3} s"),
        Some(at) if (0.0..3e10).contains(&at) => format!("“{message}” at boot + {at:.2} s"),
        _ => format!("“{message}”"),
    }
}

/// What must be said of every figure from an emulated machine, else nothing.
pub(crate) fn emulated(run: &Run) -> &'static str {
    if run.host.hypervisor.emulated {
        " (emulated machine: its figures show function, not speed)"
    } else {
        ""
    }
}

/// That a fact on which all depends could not be read: `the clocksource in force is not known: …`.
pub(crate) fn unknown<T>(what: &str, fact: &Fact<T>) -> String {
    format!("{what} is not known: {}", fact.reason().unwrap_or("no reason given"))
}

/// Whether this machine has a TSC at all. Where the architecture is unknown, it may have one.
pub(crate) fn has_tsc(host: &Host) -> bool {
    host.kernel.known().is_none_or(|k| matches!(k.arch.as_str(), "x86_64" | "i686" | "i386"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_carry_their_intervals() {
        assert_eq!(figure(22.42, Some([22.2, 22.6])), "22.4 ns [22.2 ns, 22.6 ns]");
        assert_eq!(figure(1107.0, None), "1.11 µs");
        assert_eq!(span(114.2, 220.0), "114 ns–220 ns");
        assert_eq!(span(22.41, 22.42), "22.4 ns");
    }

    #[test]
    fn lists_read_as_a_person_writes_them() {
        assert_eq!(list::<&str>(&[]), "");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(count(1, "filter"), "1 filter");
        assert_eq!(count(0, "filter"), "0 filters");
        assert_eq!(count(2, "stretch"), "2 stretches");
    }

    #[test]
    fn a_log_line_without_time_is_quoted_bare() {
        let mut line = LogLine { at_seconds: Some(0.2371), message: "tsc: bad ".into() };
        assert_eq!(quote(&line), "“tsc: bad” at boot + 0.24 s");
        line.at_seconds = Some(0.003335);
        assert_eq!(quote(&line), "“tsc: bad” at boot + 0.003 s");
        line.at_seconds = None;
        assert_eq!(quote(&line), "“tsc: bad”");
    }

    #[test]
    fn a_saving_is_told_as_a_share_of_a_cpu() {
        assert!(share_of_a_cpu(3.8).contains("free 0.38% of one CPU"));
        assert!(share_of_a_cpu(647.0).contains("a million calls a second would free 64.7% of"));
        assert!(share_of_a_cpu(34_200.0).contains("ten thousand calls a second would free 34.2%"));
    }
}
