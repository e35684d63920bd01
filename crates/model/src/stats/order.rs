//! Order statistics: median, percentile, and the summary of a row.

use super::estimate::Estimate;
use super::interval;

/// The median: the middle sample, or the midpoint of the two middle ones.
///
/// `None` without samples, with a NaN, or where the two middle ones are −∞ and +∞.
pub fn median(samples: &[f64]) -> Option<f64> {
    middle(&sorted(samples)?)
}

/// The `p`-th percentile, `p` in 0 to 100, by linear interpolation between the two nearest samples
/// at position `(n − 1)·p/100` (type 7 of Hyndman & Fan, "Sample Quantiles in Statistical
/// Packages", 1996; the default of numpy and R). 0 is the minimum, 50 the median, 100 the maximum.
///
/// `None` without samples, with a NaN, with `p` outside 0 to 100, or between −∞ and +∞.
pub fn percentile(samples: &[f64], p: f64) -> Option<f64> {
    at_percent(&sorted(samples)?, p)
}

/// What a row shows of its samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// How many samples.
    pub count: usize,
    /// See [`median`].
    pub median: f64,
    /// See [`median_ci95`](super::median_ci95); `None` for a single sample.
    pub ci95: Option<[f64; 2]>,
    /// The smallest sample.
    pub min: f64,
    /// The largest sample.
    pub max: f64,
    /// See [`percentile`] at 99.
    pub p99: f64,
}

impl Summary {
    /// Sorts once and derives everything; `None` where there is no median.
    pub fn of(samples: &[f64]) -> Option<Summary> {
        let sorted = sorted(samples)?;
        Some(Summary {
            count: sorted.len(),
            median: middle(&sorted)?,
            ci95: interval::of_sorted(&sorted),
            min: *sorted.first()?,
            max: *sorted.last()?,
            p99: at_percent(&sorted, 99.0)?,
        })
    }

    /// The median with its interval; `None` for a single sample.
    pub fn estimate(&self) -> Option<Estimate> {
        Some(Estimate { median: self.median, ci95: self.ci95? })
    }
}

/// The samples in order, `-0.0` made `0.0`; `None` if there are none or one is NaN.
pub(super) fn sorted(samples: &[f64]) -> Option<Vec<f64>> {
    if samples.is_empty() || samples.iter().any(|x| x.is_nan()) {
        return None;
    }
    let mut sorted: Vec<f64> = samples.iter().map(|x| x + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(sorted)
}

/// The median of sorted samples.
pub(super) fn middle(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    defined(lower.midpoint(upper))
}

fn at_percent(sorted: &[f64], p: f64) -> Option<f64> {
    if sorted.is_empty() || !(0.0..=100.0).contains(&p) {
        return None;
    }
    let position = (sorted.len() - 1) as f64 * (p / 100.0);
    let below = position.floor();
    let weight = position - below;
    let lower = sorted[below as usize];
    // Without weight the neighbour must not count: 0 × ∞ is NaN, and at 100 there is none.
    if weight == 0.0 {
        return Some(lower);
    }
    let upper = sorted[below as usize + 1];
    if lower == upper {
        return Some(lower);
    }
    // Two products rather than lower + weight × (upper − lower): the difference can overflow.
    defined((lower * (1.0 - weight) + upper * weight).clamp(lower, upper))
}

fn defined(x: f64) -> Option<f64> {
    (!x.is_nan()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn the_median_of_an_even_count_is_the_midpoint() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[f64::MAX, f64::MAX]), Some(f64::MAX));
    }

    #[test]
    fn odd_input_is_none_never_nan() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN, 2.0]), None);
        assert_eq!(median(&[-INF, INF]), None);
        assert_eq!(median(&[-INF, 5.0, INF]), Some(5.0));
        assert_eq!(median(&[1.0, INF]), Some(INF));
        assert_eq!(percentile(&[1.0], 101.0), None);
        assert_eq!(percentile(&[1.0], f64::NAN), None);
        assert_eq!(percentile(&[-INF, INF], 30.0), None);
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn percentiles_interpolate() {
        let samples = [10.0, 20.0, 30.0, 40.0, 50.0];
        assert_eq!(percentile(&samples, 0.0), Some(10.0));
        assert_eq!(percentile(&samples, 25.0), Some(20.0));
        assert_eq!(percentile(&samples, 90.0), Some(46.0));
        assert_eq!(percentile(&samples, 100.0), Some(50.0));
        assert_eq!(percentile(&[1.0, INF], 0.0), Some(1.0));
        assert_eq!(percentile(&[1.0, INF], 1.0), Some(INF));
    }

    #[test]
    fn a_summary_of_one_sample_has_no_interval() {
        let one = Summary::of(&[7.0]).expect("has a median");
        assert_eq!((one.count, one.median, one.min, one.max, one.p99), (1, 7.0, 7.0, 7.0, 7.0));
        assert_eq!(one.ci95, None);
        assert_eq!(one.estimate(), None);
    }

    #[test]
    fn negative_zero_is_zero() {
        assert!(median(&[-0.0]).is_some_and(f64::is_sign_positive));
    }
}
