//! Bootstrap intervals for the difference and the ratio of two medians, by Monte Carlo.
//!
//! Where the two samples are independent no resample is drawn in full. The k-th smallest of n
//! uniform numbers is Beta(k, n−k+1) distributed and its successor follows from the minimum of the
//! n−k that are left, so the middle of a resample costs three random numbers for any n. Where the
//! samples are paired by round, whole rounds are drawn, so that what disturbed both disturbs both.
//!
//! All intervals are percentile intervals: 2.5% of the replicates lie outside on each side.

use super::interval::median_ci95;
use super::order::sorted;
use super::rng::Rng;

/// Replicates for independent samples. The tail's share, 2.5%, is then known to ±0.16%.
const REPLICATES: usize = 10_000;
/// Replicates for paired rounds, each of which costs n draws: ±0.25%.
const PAIRED_REPLICATES: usize = 4_000;

/// 95% interval of `median(a) − median(b)` for independent samples.
///
/// `None` where either has no interval of its own (see [`median_ci95`]) or where infinities leave
/// the difference without a value.
pub fn difference_ci95(a: &[f64], b: &[f64], rng: &mut Rng) -> Option<[f64; 2]> {
    independent(a, b, rng, |a, b| a - b)
}

/// 95% interval of `median(a) / median(b)` for independent samples; `b` must be a positive figure.
///
/// `None` as for [`difference_ci95`], and where the interval of `median(b)` reaches 0: then no
/// bound can be put on the ratio.
pub fn ratio_ci95(a: &[f64], b: &[f64], rng: &mut Rng) -> Option<[f64; 2]> {
    median_ci95(b).filter(|ci| ci[0] > 0.0)?;
    independent(a, b, rng, ratio)
}

/// 95% interval of `median(a) − median(b)` where `a[i]` and `b[i]` were measured in one round.
///
/// Narrower than [`difference_ci95`] where rounds differ more than the two do. `None` as there, and
/// where the lengths differ. O(n) a replicate: 4 million draws for a thousand rounds.
pub fn paired_difference_ci95(a: &[f64], b: &[f64], rng: &mut Rng) -> Option<[f64; 2]> {
    paired(a, b, rng, |a, b| a - b)
}

/// 95% interval of `median(a) / median(b)` where `a[i]` and `b[i]` were measured in one round; see
/// [`paired_difference_ci95`] and [`ratio_ci95`].
pub fn paired_ratio_ci95(a: &[f64], b: &[f64], rng: &mut Rng) -> Option<[f64; 2]> {
    median_ci95(b).filter(|ci| ci[0] > 0.0)?;
    paired(a, b, rng, ratio)
}

/// `a / b` for a `b` that is positive but for the odd replicate, which lies beyond any bound.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 || a == 0.0 { a / b.max(f64::MIN_POSITIVE) } else { a.signum() * f64::INFINITY }
}

fn independent(
    a: &[f64],
    b: &[f64],
    rng: &mut Rng,
    statistic: impl Fn(f64, f64) -> f64,
) -> Option<[f64; 2]> {
    let (a, b) = (whole(a)?, whole(b)?);
    let replicate = |_| statistic(resampled_median(&a, rng), resampled_median(&b, rng));
    middle_95(&(0..REPLICATES).map(replicate).collect::<Vec<_>>())
}

fn paired(
    a: &[f64],
    b: &[f64],
    rng: &mut Rng,
    statistic: impl Fn(f64, f64) -> f64,
) -> Option<[f64; 2]> {
    if a.len() != b.len() {
        return None;
    }
    let (sorted_a, sorted_b) = (whole(a)?, whole(b)?);
    let (rounds_a, rounds_b) = (by_size(a), by_size(b));
    let n = a.len();
    let mut drawn = vec![0u32; n];
    let replicate = |_| {
        drawn.fill(0);
        for _ in 0..n {
            drawn[rng.below(n as u64) as usize] += 1;
        }
        statistic(
            counted_median(&sorted_a, &rounds_a, &drawn),
            counted_median(&sorted_b, &rounds_b, &drawn),
        )
    };
    middle_95(&(0..PAIRED_REPLICATES).map(replicate).collect::<Vec<_>>())
}

/// Sorted samples that have an interval: two or more, and not of both infinities.
fn whole(samples: &[f64]) -> Option<Vec<f64>> {
    let sorted = sorted(samples)?;
    let opposed = sorted[0] == f64::NEG_INFINITY && sorted[sorted.len() - 1] == f64::INFINITY;
    (sorted.len() >= 2 && !opposed).then_some(sorted)
}

/// Indices of the samples, smallest sample first.
fn by_size(samples: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    order.sort_by(|&i, &j| (samples[i] + 0.0).total_cmp(&(samples[j] + 0.0)));
    order
}

/// The median of one resample of sorted samples, without drawing the resample.
fn resampled_median(sorted: &[f64], rng: &mut Rng) -> f64 {
    let n = sorted.len();
    let k = n.div_ceil(2);
    let (under, over) = (gamma(k as f64, rng), gamma((n - k + 1) as f64, rng));
    let position = under / (under + over);
    let at = |position: f64| sorted[((n as f64 * position) as usize).min(n - 1)];
    if n % 2 == 1 {
        return at(position);
    }
    let minimum_of_rest = 1.0 - (1.0 - rng.unit()).powf(1.0 / (n - k) as f64);
    at(position).midpoint(at(position + (1.0 - position) * minimum_of_rest))
}

/// The median of the resample that holds round i `drawn[i]` times; `rounds` are in order of size.
fn counted_median(sorted: &[f64], rounds: &[usize], drawn: &[u32]) -> f64 {
    let n = sorted.len();
    let (lower, upper) = (n.div_ceil(2), n / 2 + 1);
    let mut seen = 0;
    let mut first = None;
    for (sample, &round) in sorted.iter().zip(rounds) {
        seen += drawn[round] as usize;
        if seen >= lower {
            let first = *first.get_or_insert(*sample);
            if seen >= upper {
                return first.midpoint(*sample);
            }
        }
    }
    f64::NAN
}

/// The interval that leaves 2.5% of the replicates out on each side; `None` if one is NaN.
fn middle_95(replicates: &[f64]) -> Option<[f64; 2]> {
    let replicates = sorted(replicates)?;
    let outside = replicates.len() / 40;
    Some([replicates[outside - 1], replicates[replicates.len() - outside]])
}

/// A Gamma(shape, 1) variate for shape ≥ 1 (Marsaglia & Tsang, "A Simple Method for Generating
/// Gamma Variables", 2000).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        let u = 1.0 - rng.unit();
        if v > 0.0 && u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

/// A standard normal variate by Marsaglia's polar method.
fn normal(rng: &mut Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * rng.unit() - 1.0, 2.0 * rng.unit() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: f64 = 0.025;

    #[test]
    fn a_resampled_median_has_the_exact_distribution() {
        // The exact interval is that of the same distribution: 2.5% of draws lie below its ends.
        for n in [2u32, 5, 10, 11, 60, 201] {
            let samples: Vec<f64> = (0..n).map(|i| f64::from(i * i)).collect();
            let [lo, hi] = median_ci95(&samples).expect("has an interval");
            let mut rng = Rng::seeded(u64::from(n));
            let draws: Vec<f64> =
                (0..40_000).map(|_| resampled_median(&samples, &mut rng)).collect();
            let share = |test: &dyn Fn(&f64) -> bool| {
                draws.iter().filter(|x| test(x)).count() as f64 / draws.len() as f64
            };
            // 0.0031 is four times √(0.025·0.975/40 000).
            assert!(share(&|&x| x < lo) < TAIL + 0.0031, "n = {n}: below");
            assert!(share(&|&x| x <= lo) > TAIL - 0.0031, "n = {n}: at the lower end");
            assert!(share(&|&x| x > hi) < TAIL + 0.0031, "n = {n}: above");
            assert!(share(&|&x| x >= hi) > TAIL - 0.0031, "n = {n}: at the upper end");
        }
    }

    #[test]
    fn gamma_variates_have_their_mean_and_variance() {
        for shape in [1.0, 2.5, 500.0] {
            let mut rng = Rng::seeded(5);
            let draws: Vec<f64> = (0..50_000).map(|_| gamma(shape, &mut rng)).collect();
            let mean = draws.iter().sum::<f64>() / 5e4;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5e4;
            assert!((mean - shape).abs() < 4.0 * (shape / 5e4).sqrt(), "{shape}: mean {mean}");
            assert!((variance / shape - 1.0).abs() < 0.05, "{shape}: variance {variance}");
        }
    }

    #[test]
    fn a_resample_given_by_counts_has_its_own_median() {
        let (sorted, rounds) = ([1.0, 2.0, 4.0, 8.0], [2, 0, 3, 1]);
        let median = |drawn: [u32; 4]| counted_median(&sorted, &rounds, &drawn);
        assert_eq!(median([1, 1, 1, 1]), 3.0);
        // 1, 1, 8, 8: the middle two lie far apart.
        assert_eq!(median([0, 2, 2, 0]), 4.5);
        assert_eq!(median([0, 3, 0, 1]), 8.0);
        assert_eq!(counted_median(&[1.0, 2.0, 4.0], &[0, 1, 2], &[1, 0, 2]), 4.0);
    }

    #[test]
    fn odd_input() {
        let rng = &mut Rng::seeded(1);
        let inf = f64::INFINITY;
        assert_eq!(difference_ci95(&[], &[1.0, 2.0], rng), None);
        assert_eq!(difference_ci95(&[1.0], &[1.0, 2.0], rng), None);
        assert_eq!(difference_ci95(&[1.0, f64::NAN], &[1.0, 2.0], rng), None);
        assert_eq!(difference_ci95(&[inf, inf], &[inf, inf], rng), None);
        assert_eq!(difference_ci95(&[inf, inf], &[1.0, 1.0], rng), Some([inf, inf]));
        assert_eq!(difference_ci95(&[3.0; 4], &[1.0; 9], rng), Some([2.0, 2.0]));
        assert_eq!(ratio_ci95(&[3.0; 4], &[1.5; 9], rng), Some([2.0, 2.0]));
        assert_eq!(ratio_ci95(&[1.0, 2.0], &[0.0, 1.0], rng), None);
        assert_eq!(ratio_ci95(&[1.0, 2.0], &[-2.0, -1.0], rng), None);
        assert_eq!(paired_difference_ci95(&[1.0, 2.0], &[1.0, 2.0, 3.0], rng), None);
        assert_eq!(paired_ratio_ci95(&[4.0, 8.0, 12.0], &[1.0, 2.0, 3.0], rng), Some([4.0, 4.0]));
    }

    #[test]
    fn a_ratio_has_no_bound_beyond_a_vanishing_denominator() {
        assert_eq!(ratio(1.0, 0.0), f64::INFINITY);
        assert_eq!(ratio(1.0, -1.0), f64::INFINITY);
        assert_eq!(ratio(-1.0, 0.0), f64::NEG_INFINITY);
        assert_eq!(ratio(0.0, 0.0), 0.0);
        assert_eq!(ratio(6.0, 3.0), 2.0);
    }
}
