//! The 95% bootstrap interval of a median, exact: no resample is drawn.
//!
//! The bootstrap's ideal distribution, over all nⁿ resamples, is known in closed form for a sample
//! median (Maritz & Jarrett, "A Note on Estimating the Variance of the Sample Median", 1978;
//! Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", 1982, ch. 10). With the
//! samples sorted as x₁ ≤ … ≤ xₙ:
//!
//! - **n odd**, k = (n+1)/2: a resample's median is at most xᵢ when k of its n draws or more are,
//!   each with chance i/n: P(M* ≤ xᵢ) = P(Bin(n, i/n) ≥ k).
//! - **n even**, m = n/2: its median is the midpoint of its m-th and (m+1)-th. Let c samples be at
//!   most v. The median is at most v if m+1 draws or more are among those c, or if exactly m are,
//!   the largest of them is xᵢ, the smallest of the others xⱼ, and (xᵢ+xⱼ)/2 ≤ v. Those others
//!   telescope: C(n,m)·[(i/n)ᵐ − ((i−1)/n)ᵐ]·[((n−c)/n)ᵐ − ((n−J)/n)ᵐ], J the last such j.
//!
//! The interval is the percentile interval: its lower end is the smallest value v with
//! P(M* ≤ v) ≥ 2.5%, its upper end the mirror image. For odd n both are samples; for even n they
//! are samples or midpoints of two.

use super::order::sorted;

/// What lies outside the interval on each side.
const TAIL: f64 = 0.025;

/// The 95% bootstrap interval of the median, `[lo, hi]`; see the module for the definition.
///
/// Up to five samples it is `[min, max]`, which covers the true median with a chance of only
/// 1 − 2¹⁻ⁿ (94% for five). With 20 to 60 samples the chance is 91 to 96%, as the ends move in
/// whole samples, and tends to 95% with more. O(n log n), for the sorting.
///
/// `None` for fewer than two samples, with a NaN, or for an even number of samples that hold both
/// infinities (the midpoint of some resample has no value).
pub fn median_ci95(samples: &[f64]) -> Option<[f64; 2]> {
    of_sorted(&sorted(samples)?)
}

/// [`median_ci95`] of sorted samples without NaN.
pub(super) fn of_sorted(sorted: &[f64]) -> Option<[f64; 2]> {
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let n = sorted.len();
    if n < 2 {
        return None;
    }
    if n % 2 == 1 {
        let rank = lower_rank(n);
        return Some([sorted[rank - 1], sorted[n - rank]]);
    }
    if first == f64::NEG_INFINITY && last == f64::INFINITY {
        return None;
    }
    let mirrored: Vec<f64> = sorted.iter().rev().map(|x| 0.0 - x).collect();
    Some([lower_end(sorted), 0.0 - lower_end(&mirrored)])
}

/// For odd `n`, the smallest rank i (from 1) with P(Bin(n, i/n) ≥ (n+1)/2) ≥ [`TAIL`].
fn lower_rank(n: usize) -> usize {
    let m = n / 2;
    // C(n, m+1) / 2ⁿ.
    let choose = central(m) * n as f64 / (n + 1) as f64;
    // Rank m+1 is the median's own and lies above the tail for any n.
    1 + first_true(m, |below| upper_tail(n, m + 1, below + 1, choose) >= TAIL)
}

/// For even n, the smallest v with P(M* ≤ v) ≥ [`TAIL`].
fn lower_end(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    let m = n / 2;
    let central = central(m);
    let reaches_tail = |v: f64| {
        let c = sorted.partition_point(|&x| x <= v);
        // At c = m more than m draws are below v with a chance of ¼ or more.
        c >= m || Gap::after(sorted, c, central).chance_at_most(v) >= TAIL
    };
    let above = first_true(m - 1, |i| reaches_tail(sorted[i]));
    if above == 0 {
        return sorted[0];
    }
    // The end lies after one sample and not after the next: the same gap serves every v between.
    let gap = Gap::after(sorted, above, central);
    let (mut low, mut high) = (ordered(sorted[above - 1]), ordered(sorted[above]));
    // Over the bits of f64 this ends at the very value, in at most 64 steps.
    while high - low > 1 {
        let middle = (low + high) >> 1;
        if gap.chance_at_most(from_ordered(middle)) >= TAIL {
            high = middle;
        } else {
            low = middle;
        }
    }
    from_ordered(high) + 0.0
}

/// Between the c-th sample and the next: what P(M* ≤ v) is made of for v in there (n even).
struct Gap<'a> {
    /// The first c samples, and the others.
    first: &'a [f64],
    rest: &'a [f64],
    /// P(m+1 draws or more are among the first c).
    below: f64,
    /// P(exactly m draws are).
    halved: f64,
    /// Given that: P(the largest of those m is the c-th), the (c−1)-th, …
    largest: Vec<f64>,
    /// Given that: P(the others lie beyond the first 0 of the rest), beyond the first 1, …
    beyond: Vec<f64>,
}

impl<'a> Gap<'a> {
    /// `c` in 1..n/2; `central` is C(n, n/2) / 2ⁿ.
    fn after(sorted: &'a [f64], c: usize, central: f64) -> Self {
        let n = sorted.len();
        let m = n / 2;
        let (first, rest) = sorted.split_at(c);
        let within = powers(c, m);
        Gap {
            first,
            rest,
            below: upper_tail(n, m + 1, c, central * m as f64 / (m + 1) as f64),
            halved: central * power_of_halves(n, m, c),
            largest: within.windows(2).map(|pair| pair[0] - pair[1]).collect(),
            beyond: powers(n - c, m),
        }
    }

    /// P(M* ≤ v) for v from the c-th sample up to, not including, the next.
    fn chance_at_most(&self, v: f64) -> f64 {
        // How many of the rest have a midpoint up to v: the smaller the sample below, the more.
        let mut near = 0;
        let mut within = 0.0;
        for (largest, low) in self.largest.iter().zip(self.first.iter().rev()) {
            let counts = self.rest.iter().zip(&self.beyond).skip(near);
            near += counts.take_while(|(high, _)| low.midpoint(**high) <= v).count();
            within += largest * (1.0 - self.beyond.get(near).unwrap_or(&0.0));
        }
        self.below + self.halved * within
    }
}

/// (i/c)ᵐ for i = c, c−1, … 0: they fall by √e or more each (m ≥ c/2), and the list ends where the
/// rest no longer counts.
fn powers(c: usize, m: usize) -> Vec<f64> {
    let mut powers = Vec::new();
    for i in (0..=c).rev() {
        powers.push((m as f64 * (i as f64 / c as f64).ln()).exp());
        if powers.last().is_some_and(|&power| power < 1e-18) {
            break;
        }
    }
    powers
}

/// C(2m, m) / 2²ᵐ as the product of (2k−1)/(2k).
fn central(m: usize) -> f64 {
    (1..=m).fold(1.0, |product, k| product * ((2 * k - 1) as f64 / (2 * k) as f64))
}

/// P(Bin(n, c/n) ≥ k) for 0 < c/n < ½ < k/n; `choose` is C(n, k) / 2ⁿ.
fn upper_tail(n: usize, k: usize, c: usize, choose: f64) -> f64 {
    let odds = c as f64 / (n - c) as f64;
    let mut term = choose * power_of_halves(n, k, c);
    let mut sum = term;
    for j in k..n {
        term *= odds * (n - j) as f64 / (j + 1) as f64;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    sum
}

/// (2c/n)ᵏ·(2(n−c)/n)ⁿ⁻ᵏ: with C(n, k)/2ⁿ the chance of k out of n, without overflow.
fn power_of_halves(n: usize, k: usize, c: usize) -> f64 {
    let from_half = (2.0 * c as f64 - n as f64) / n as f64;
    (k as f64 * from_half.ln_1p() + (n - k) as f64 * (-from_half).ln_1p()).exp()
}

/// The smallest i in 0..n with `test(i)`, or n; `test` must be false up to a point, then true.
fn first_true(n: usize, test: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low.midpoint(high);
        if test(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Integers in the order of the floats they stand for (the mapping of `f64::total_cmp`).
fn ordered(x: f64) -> i128 {
    let bits = x.to_bits() as i64;
    i128::from(bits ^ (((bits >> 63) as u64) >> 1) as i64)
}

fn from_ordered(key: i128) -> f64 {
    let bits = key as i64;
    f64::from_bits((bits ^ (((bits >> 63) as u64) >> 1) as i64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C(n, k)·pᵏ·(1−p)ⁿ⁻ᵏ, factor by factor.
    fn binomial(n: usize, k: usize, p: f64) -> f64 {
        let choose = (1..=k).fold(1.0, |c, j| c * (n - k + j) as f64 / j as f64);
        choose * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
    }

    #[test]
    fn chances_are_those_of_the_joint_distribution() {
        // 60 samples at 0, 1, 2, …; the sums over ranks are done pair by pair.
        let (n, m) = (60, 30);
        let samples: Vec<f64> = (0..n).map(|i| i as f64).collect();
        for c in [1, 7, 18, 24, 29] {
            let gap = Gap::after(&samples, c, central(m));
            let below: f64 = (m + 1..=n).map(|k| binomial(n, k, c as f64 / n as f64)).sum();
            assert!((gap.below / below - 1.0).abs() < 1e-12, "{c}: {} {below}", gap.below);
            for v in [c as f64 - 1.0, c as f64 - 0.5, c as f64 - 0.25] {
                let part = |i: usize| (i as f64 / n as f64).powi(m as i32);
                let mut chance = below;
                for (i, j) in (1..=c).flat_map(|i| (c + 1..=n).map(move |j| (i, j))) {
                    if samples[i - 1].midpoint(samples[j - 1]) <= v {
                        let largest_is_i = part(i) - part(i - 1);
                        let smallest_is_j = part(n - j + 1) - part(n - j);
                        let choose = binomial(n, m, 0.5) * 2f64.powi(n as i32);
                        chance += choose * largest_is_i * smallest_is_j;
                    }
                }
                let ours = gap.chance_at_most(v);
                assert!((ours / chance - 1.0).abs() < 1e-12, "{c}, {v}: {ours} {chance}");
            }
        }
    }

    #[test]
    fn ranks_are_those_of_the_binomial() {
        // By hand: P(Bin(5, 1/5) ≥ 3) = 181/3125 = 5.8%; P(Bin(9, 2/9) ≥ 5) = 2.98%,
        // P(Bin(9, 1/9) ≥ 5) = 0.14%.
        assert_eq!(lower_rank(3), 1);
        assert_eq!(lower_rank(5), 1);
        assert_eq!(lower_rank(9), 2);
    }

    #[test]
    fn large_samples_follow_the_normal_limit() {
        // The rank's deviation is √n/2, so 2.5% lie 0.98·√n below the middle.
        for n in [10_001, 100_001] {
            let expected = n as f64 / 2.0 - 0.979_98 * (n as f64).sqrt();
            assert!((lower_rank(n) as f64 - expected).abs() < 2.0, "n = {n}: {}", lower_rank(n));
            let even: Vec<f64> = (0..n - 1).map(|i| i as f64).collect();
            let [lo, hi] = median_ci95(&even).expect("has an interval");
            assert!((lo - expected).abs() < 3.0, "n = {}: {lo}", n - 1);
            assert_eq!(lo + hi, (n - 2) as f64, "the interval must be symmetric");
        }
    }

    #[test]
    fn order_of_bits_is_order_of_floats() {
        let ascending = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 1.0, f64::INFINITY];
        assert!(ascending.is_sorted_by_key(|&x| ordered(x)));
        assert!(ascending.iter().all(|&x| from_ordered(ordered(x)) == x));
    }

    #[test]
    fn odd_input() {
        let inf = f64::INFINITY;
        assert_eq!(median_ci95(&[]), None);
        assert_eq!(median_ci95(&[1.0]), None);
        assert_eq!(median_ci95(&[1.0, f64::NAN]), None);
        assert_eq!(median_ci95(&[-inf, 1.0, 2.0, inf]), None);
        assert_eq!(median_ci95(&[-inf, 1.0, inf]), Some([-inf, inf]));
        assert_eq!(median_ci95(&[1.0, inf]), Some([1.0, inf]));
        assert_eq!(median_ci95(&[4.0; 10]), Some([4.0, 4.0]));
        assert_eq!(
            median_ci95(&[0.0, -0.0, 0.0, -0.0]).map(|ci| ci.map(f64::to_bits)),
            Some([0; 2])
        );
    }
}
