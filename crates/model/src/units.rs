//! Newtypes for the three quantities that are easily mixed up: nanoseconds, counter ticks, hertz.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A span of time in nanoseconds; fractions matter, a call may cost 0.3 ns.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Nanos(pub f64);

/// A span counted by a hardware counter (TSC, CNTVCT) in that counter's own ticks.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Ticks(pub u64);

/// A frequency in hertz.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Hertz(pub f64);

impl Ticks {
    /// How long these ticks last at `rate`.
    pub fn at(self, rate: Hertz) -> Nanos {
        Nanos(self.0 as f64 * 1e9 / rate.0)
    }
}

impl fmt::Display for Nanos {
    /// Three significant digits in the unit a person would choose: `22.3 ns`, `1.11 µs`, `4.00 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.abs();
        let (value, unit) = if magnitude < 999.5 {
            (self.0, "ns")
        } else if magnitude < 999.5e3 {
            (self.0 / 1e3, "µs")
        } else if magnitude < 999.5e6 {
            (self.0 / 1e6, "ms")
        } else {
            (self.0 / 1e9, "s")
        };
        write!(f, "{} {unit}", significant(value))
    }
}

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 >= 1e9 {
            write!(f, "{:.6} GHz", self.0 / 1e9)
        } else {
            write!(f, "{:.3} MHz", self.0 / 1e6)
        }
    }
}

/// `value` with three significant digits, but never fewer than the integer part has.
/// Values under 1 keep two decimals: nothing here resolves a hundredth of a nanosecond.
pub fn significant(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude < 9.995 {
        format!("{value:.2}")
    } else if magnitude < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_a_person_writes_them() {
        let shown = |ns: f64| Nanos(ns).to_string();
        assert_eq!(shown(0.317), "0.32 ns");
        assert_eq!(shown(22.34), "22.3 ns");
        assert_eq!(shown(212.4), "212 ns");
        assert_eq!(shown(999.7), "1.00 µs");
        assert_eq!(shown(18_842.0), "18.8 µs");
        assert_eq!(shown(4e6), "4.00 ms");
        assert_eq!(shown(-4.2), "-4.20 ns");
    }

    #[test]
    fn ticks_become_time() {
        assert_eq!(Ticks(2_500).at(Hertz(2.5e9)), Nanos(1_000.0));
    }
}
