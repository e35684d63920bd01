//! The counter's frequency, from bracketed readings of a reference clock.
//!
//! One reading of the clock between two of the counter says at which tick that nanosecond was, to
//! within half the bracket. The narrowest of many brackets is kept; two such points, some
//! milliseconds apart, give the frequency and a bound on its error.

/// A reading of the reference clock between two readings of the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// Ticks before.
    pub before: u64,
    /// The reference clock, ns.
    pub nanos: i64,
    /// Ticks after.
    pub after: u64,
}

impl Bracket {
    /// Takes one.
    pub fn take(counter: impl Fn() -> u64, clock: impl Fn() -> i64) -> Bracket {
        let before = counter();
        let nanos = clock();
        Bracket { before, nanos, after: counter() }
    }

    /// The narrowest of `tries`.
    pub fn narrowest(
        tries: u32,
        counter: impl Fn() -> u64,
        clock: impl Fn() -> i64,
    ) -> Option<Bracket> {
        (0..tries).map(|_| Bracket::take(&counter, &clock)).min_by_key(Bracket::width)
    }

    /// Ticks between the two readings of the counter.
    pub fn width(&self) -> u64 {
        self.after.wrapping_sub(self.before)
    }

    fn middle(&self) -> u64 {
        self.before.wrapping_add(self.width() / 2)
    }
}

/// A frequency and how far it can be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Ticks per second.
    pub hz: f64,
    /// Bound on the relative error in parts per million: half of both brackets over the window.
    pub error_ppm: f64,
}

impl Calibration {
    /// From two brackets; `None` if the clock or the counter didn't advance between them.
    pub fn between(first: &Bracket, last: &Bracket) -> Option<Calibration> {
        let ticks = last.middle().checked_sub(first.middle()).filter(|&t| t > 0)? as f64;
        let nanos = last.nanos.checked_sub(first.nanos).filter(|&n| n > 0)? as f64;
        let doubt = (first.width() as f64 + last.width() as f64) / 2.0;
        Some(Calibration { hz: ticks * 1e9 / nanos, error_ppm: doubt / ticks * 1e6 })
    }

    /// How long `ticks` last, ns.
    pub fn nanos(&self, ticks: u64) -> f64 {
        ticks as f64 * 1e9 / self.hz
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Wherever within its bracket the clock was really read, the true frequency lies within
        /// the bound.
        #[test]
        fn the_bound_holds(
            hz in 1e6..6e9f64,
            window_ns in 1e5..1e9f64,
            start in 0u64..1 << 60,
            widths in (20u64..5000, 20u64..5000),
            places in (0.0..1.0f64, 0.0..1.0f64),
        ) {
            let at = |ns: f64, width: u64, place: f64| {
                // The clock shows `ns` when the counter is `place` of the way through the bracket.
                let tick = start as f64 + ns * hz / 1e9;
                let before = tick - place * width as f64;
                Bracket { before: before as u64, nanos: ns as i64, after: before as u64 + width }
            };
            let (first, last) = (at(0.0, widths.0, places.0), at(window_ns, widths.1, places.1));
            let Some(found) = Calibration::between(&first, &last) else { return Ok(()) };
            let error_ppm = (found.hz / hz - 1.0).abs() * 1e6;
            // Rounding to whole ticks and nanoseconds, and f64 near 2^60, come on top.
            let ticks = window_ns * hz / 1e9;
            let rounding = (2.0 + 512.0) / ticks * 1e6 + 2.0 / window_ns * 1e6;
            prop_assert!(error_ppm <= found.error_ppm * 1.01 + rounding, "{error_ppm} > {found:?}");
        }
    }

    #[test]
    fn nothing_follows_from_a_clock_that_stands() {
        let point = |nanos| Bracket { before: 10, nanos, after: 20 };
        assert_eq!(Calibration::between(&point(5), &point(5)), None);
        let later = Bracket { before: 1010, nanos: 1005, after: 1020 };
        assert_eq!(Calibration::between(&point(5), &later).unwrap().hz, 1e9);
    }
}
