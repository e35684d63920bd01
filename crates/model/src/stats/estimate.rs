//! A median with its interval, and the difference of two such.

/// A median and its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The point estimate.
    pub median: f64,
    /// `[lo, hi]`, with `lo ≤ median ≤ hi`.
    pub ci95: [f64; 2],
}

/// `value` minus a `baseline` that was measured independently; the interval is widened by the
/// baseline's own.
///
/// The distances from the medians to the ends are added as squares, which keeps the confidence at
/// 95% (Zou & Donner, "Construction of confidence limits about effect measures: a general
/// approach", 2008: MOVER). Adding them plainly would claim less than is known; leaving the
/// baseline's out would claim more.
///
/// `None` where infinities leave the difference without a value, or if a figure is NaN.
pub fn combine(value: Estimate, baseline: Estimate) -> Option<Estimate> {
    let median = value.median - baseline.median;
    let below =
        distance(value.median, value.ci95[0]).hypot(distance(baseline.ci95[1], baseline.median));
    let above =
        distance(value.ci95[1], value.median).hypot(distance(baseline.median, baseline.ci95[0]));
    let ci95 = [median - below, median + above];
    (!median.is_nan() && !ci95[0].is_nan() && !ci95[1].is_nan())
        .then_some(Estimate { median, ci95 })
}

/// `to − from`, and 0 between equal infinities.
fn distance(to: f64, from: f64) -> f64 {
    if to == from { 0.0 } else { to - from }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(median: f64, lo: f64, hi: f64) -> Estimate {
        Estimate { median, ci95: [lo, hi] }
    }

    #[test]
    fn widths_add_as_squares_and_sides_are_kept_apart() {
        let call = estimate(25.0, 22.0, 26.0);
        let empty = estimate(1.0, 0.5, 5.0);
        // 3 and 4 make 5 below; 1 and 0.5 make √1.25 above.
        let price = combine(call, empty).expect("finite");
        assert_eq!(price.median, 24.0);
        assert_eq!(price.ci95[0], 19.0);
        assert!((price.ci95[1] - (24.0 + 1.25f64.sqrt())).abs() < 1e-12);
    }

    #[test]
    fn a_baseline_without_width_only_shifts() {
        let price = combine(estimate(25.0, 24.0, 27.0), estimate(2.0, 2.0, 2.0));
        assert_eq!(price, Some(estimate(23.0, 22.0, 25.0)));
    }

    #[test]
    fn infinities_never_become_nan() {
        let inf = f64::INFINITY;
        assert_eq!(combine(estimate(inf, inf, inf), estimate(inf, inf, inf)), None);
        assert_eq!(combine(estimate(f64::NAN, 0.0, 0.0), estimate(1.0, 1.0, 1.0)), None);
        let open = combine(estimate(5.0, 4.0, inf), estimate(1.0, 1.0, 1.0));
        assert_eq!(open, Some(estimate(4.0, 3.0, inf)));
        let endless = combine(estimate(inf, inf, inf), estimate(1.0, 1.0, 1.0));
        assert_eq!(endless, Some(estimate(inf, inf, inf)));
    }
}
