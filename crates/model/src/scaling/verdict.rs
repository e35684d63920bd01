//! Whether more threads get more done, by the intervals of the rates.

use super::{ScalingPoint, ScalingVerdict};

/// From this part of linear on it scales: below, a reader should know.
const SCALES_FROM: f64 = 0.8;
/// Gain over one from each further thread, under which nothing is gained by it …
const SERIAL_GAIN: f64 = 0.2;
/// … and the most that a serialised toll may gain in all: a second requester still fills the pauses
/// of the first (the published HPET goes from 1.55 to 2.14 million calls a second).
const SERIAL_MOST: f64 = 1.6;

/// Below this part of linear a curve that has become flat is serialised, wherever it began: on two
/// sockets the published HPET gains 40% by the second thread and nothing by the third.
const FLAT_BELOW: f64 = 0.6;
/// The last step of a flat curve gains less than this.
const FLAT_GAIN: f64 = 1.1;

/// Whether the last of three or more points gains nothing over the one before it.
fn is_flat(points: &[ScalingPoint]) -> bool {
    let [_, .., before, last] = points else { return false };
    last.ci95[1] / before.ci95[0] < FLAT_GAIN
}

/// The verdict over `points`, ascending in number, none beyond the CPUs.
pub(super) fn of(points: &[ScalingPoint]) -> ScalingVerdict {
    let not_resolved = |why: &str| ScalingVerdict::NotResolved { why: why.into() };
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return not_resolved("no point within the CPUs was measured");
    };
    if first.number == last.number {
        return not_resolved("one number within the CPUs tells nothing of another");
    }
    let times = f64::from(last.number) / f64::from(first.number);
    let speedup = last.calls_per_second / first.calls_per_second;
    let (lo, hi) = (last.ci95[0] / first.ci95[1], last.ci95[1] / first.ci95[0]);
    let serial_below = (1.0 + SERIAL_GAIN * (times - 1.0)).min(SERIAL_MOST);
    let scales_from = SCALES_FROM * times;
    let efficiency = speedup / times;
    if !(lo.is_finite() && hi.is_finite()) {
        not_resolved("a rate is no number")
    } else if hi < serial_below || hi / times < FLAT_BELOW && is_flat(points) {
        let most = points.iter().map(|point| point.calls_per_second).fold(0.0, f64::max);
        ScalingVerdict::Serialised { calls_per_second: most }
    } else if lo >= scales_from {
        ScalingVerdict::Scales { efficiency }
    } else if lo >= serial_below && hi < scales_from {
        ScalingVerdict::ScalesInPart { efficiency }
    } else {
        let (lo, hi) = (lo / times * 100.0, hi / times * 100.0);
        let why = format!("{lo:.0} to {hi:.0}% of linear at {}", last.number);
        ScalingVerdict::NotResolved { why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(number: u32, millions: f64, spread: f64) -> ScalingPoint {
        let rate = millions * 1e6;
        ScalingPoint {
            number,
            ns_per_call: f64::from(number) * 1e9 / rate,
            calls_per_second: rate,
            ci95: [rate * (1.0 - spread), rate * (1.0 + spread)],
            beyond_cpus: false,
        }
    }

    fn verdict(rates: &[(u32, f64)], spread: f64) -> ScalingVerdict {
        of(&rates.iter().map(|&(n, x)| point(n, x, spread)).collect::<Vec<_>>())
    }

    #[test]
    fn the_published_machines_get_the_published_verdicts() {
        let hpet = [(1, 1.55), (2, 2.18), (3, 2.20), (4, 2.14)];
        assert_eq!(verdict(&hpet, 0.01), ScalingVerdict::Serialised { calls_per_second: 2.20e6 });
        // TSC: 35 ns alone, 40% slower with all 24 hardware threads at it.
        let tsc = [(1, 28.6), (24, 28.6 * 24.0 / 1.4)];
        assert!(matches!(verdict(&tsc, 0.01), ScalingVerdict::ScalesInPart { .. }));
        assert!(matches!(
            verdict(&[(1, 40.0), (2, 79.0)], 0.01),
            ScalingVerdict::Scales { efficiency } if (efficiency - 0.9875).abs() < 1e-9
        ));
        // The emulated HPET: more threads get less done.
        assert!(matches!(
            verdict(&[(1, 0.90), (2, 0.83), (4, 0.67)], 0.05),
            ScalingVerdict::Serialised { .. }
        ));
    }

    #[test]
    fn a_flat_curve_is_serialised_wherever_it_began() {
        let three = [(1, 1.55), (2, 2.18), (3, 2.20)];
        assert_eq!(verdict(&three, 0.01), ScalingVerdict::Serialised { calls_per_second: 2.20e6 });
        // Still growing, though slowly: not flat.
        assert!(matches!(
            verdict(&[(1, 1.0), (2, 1.5), (3, 1.9)], 0.01),
            ScalingVerdict::ScalesInPart { .. }
        ));
    }

    #[test]
    fn wide_intervals_and_single_points_resolve_nothing() {
        assert!(matches!(
            verdict(&[(1, 40.0), (2, 60.0)], 0.5),
            ScalingVerdict::NotResolved { .. }
        ));
        assert!(matches!(verdict(&[(1, 40.0)], 0.01), ScalingVerdict::NotResolved { .. }));
        assert!(matches!(verdict(&[], 0.01), ScalingVerdict::NotResolved { .. }));
    }
}
