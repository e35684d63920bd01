//! The Mann–Whitney U test: does one sample tend to be larger than the other?

use super::normal::two_sided_tail;

/// Up to this many samples in both together the test is exact.
const EXACT_UP_TO: usize = 40;

/// The outcome of [`mann_whitney`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// Pairs in which `a` is the larger, ties counted half.
    pub u: f64,
    /// `u` over all pairs: the chance that a sample of `a` is the larger. ½ says no difference.
    pub superiority: f64,
    /// Two-sided: the chance of a `u` at least as far from the middle if both came from one source.
    pub p: f64,
    /// `p` was counted over all ways to split the samples rather than taken from the normal limit.
    pub exact: bool,
}

/// The two-sided Mann–Whitney U test (Mann & Whitney, 1947).
///
/// With up to 40 samples in all, `p` is exact, given the ties: every split of the pooled ranks is
/// counted (the shift algorithm of Streitberg & Röhmel, "Exact distributions for permutation and
/// rank tests", 1986). Above that it is the normal limit with the correction for ties and ½ for
/// continuity. `None` if either is empty or holds a NaN.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<MannWhitney> {
    if a.is_empty() || b.is_empty() || a.iter().chain(b).any(|x| x.is_nan()) {
        return None;
    }
    let pool = Pool::of(a, b);
    let pairs = a.len() as f64 * b.len() as f64;
    let least = (a.len() * (a.len() + 1)) as u64;
    let doubled_u = pool.doubled_rank_sum - least;
    let exact = pool.doubled_ranks.len() <= EXACT_UP_TO;
    let p = if exact { pool.exact_p(a.len()) } else { pool.normal_p(doubled_u, pairs) };
    let u = doubled_u as f64 / 2.0;
    Some(MannWhitney { u, superiority: u / pairs, p, exact })
}

/// Both samples ranked together. Tied samples share the mean of their ranks, so ranks are doubled
/// to stay whole.
struct Pool {
    doubled_ranks: Vec<u64>,
    /// Of the first sample.
    doubled_rank_sum: u64,
    /// Σ t³ − t over groups of t tied samples.
    ties: f64,
}

impl Pool {
    fn of(a: &[f64], b: &[f64]) -> Pool {
        let mut all: Vec<(f64, bool)> =
            a.iter().map(|&x| (x + 0.0, true)).chain(b.iter().map(|&x| (x + 0.0, false))).collect();
        all.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let mut pool =
            Pool { doubled_ranks: Vec::with_capacity(all.len()), doubled_rank_sum: 0, ties: 0.0 };
        for group in all.chunk_by(|x, y| x.0 == y.0) {
            let before = pool.doubled_ranks.len() as u64;
            // Ranks before+1 to before+t have the mean before + (t+1)/2.
            let doubled = 2 * before + group.len() as u64 + 1;
            pool.doubled_ranks.extend(group.iter().map(|_| doubled));
            pool.doubled_rank_sum += doubled * group.iter().filter(|x| x.1).count() as u64;
            let t = group.len() as f64;
            pool.ties += t * t * t - t;
        }
        pool
    }

    /// The share of splits whose rank sum is as far from the middle or further.
    fn exact_p(&self, chosen: usize) -> f64 {
        let total: u64 = self.doubled_ranks.iter().sum();
        // counts[k][s]: ways to choose k of the ranks seen so far with doubled sum s. C(40, 20)
        // is below 2⁵³, so f64 counts without error.
        let mut counts = vec![vec![0.0; total as usize + 1]; chosen + 1];
        counts[0][0] = 1.0;
        for (seen, &rank) in self.doubled_ranks.iter().enumerate() {
            let rank = rank as usize;
            for k in (1..=chosen.min(seen + 1)).rev() {
                let (fewer, with) = counts.split_at_mut(k);
                let sums = with[0].iter_mut().skip(rank).zip(&fewer[k - 1]);
                sums.for_each(|(count, one_fewer)| *count += one_fewer);
            }
        }
        // The mean of the doubled sum is chosen × (N+1); it is a whole number.
        let mean = (chosen * (self.doubled_ranks.len() + 1)) as u64;
        let distance = self.doubled_rank_sum.abs_diff(mean);
        let far = counts[chosen].iter().zip(0u64..).filter(|&(_, s)| s.abs_diff(mean) >= distance);
        far.map(|(count, _)| count).sum::<f64>() / counts[chosen].iter().sum::<f64>()
    }

    fn normal_p(&self, doubled_u: u64, pairs: f64) -> f64 {
        let n = self.doubled_ranks.len() as f64;
        let variance = pairs / 12.0 * ((n + 1.0) - self.ties / (n * (n - 1.0)));
        if variance <= 0.0 {
            return 1.0;
        }
        let distance = (doubled_u as f64 / 2.0 - pairs / 2.0).abs();
        two_sided_tail(((distance - 0.5) / variance.sqrt()).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_separation_is_as_rare_as_one_split_in_all() {
        let test = mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).expect("not empty");
        assert_eq!((test.u, test.superiority, test.exact), (0.0, 0.0, true));
        // Two of the C(6, 3) = 20 splits are this far out.
        assert!((test.p - 0.1).abs() < 1e-15);
        let other = mann_whitney(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]).expect("not empty");
        assert_eq!((other.u, other.superiority, other.p), (9.0, 1.0, test.p));
    }

    #[test]
    fn what_is_all_tied_differs_in_nothing() {
        for n in [3, 30] {
            let test = mann_whitney(&vec![1.0; n], &vec![1.0; n]).expect("not empty");
            assert_eq!((test.superiority, test.p, test.exact), (0.5, 1.0, n == 3));
        }
    }

    #[test]
    fn odd_input() {
        let inf = f64::INFINITY;
        assert_eq!(mann_whitney(&[], &[1.0]), None);
        assert_eq!(mann_whitney(&[1.0], &[f64::NAN]), None);
        assert_eq!(mann_whitney(&[inf], &[-inf]).map(|test| (test.u, test.p)), Some((1.0, 1.0)));
        assert_eq!(mann_whitney(&[inf, -0.0], &[inf, 0.0]).map(|test| test.u), Some(2.0));
    }

    #[test]
    fn the_normal_limit_continues_the_exact_test() {
        // 20 and 20 are exact, 20 and 21 are not; the same shift must read alike.
        let a: Vec<f64> = (0..20).map(f64::from).collect();
        let b: Vec<f64> = (0..21).map(|i| f64::from(i) + 4.5).collect();
        let exact = mann_whitney(&a, &b[..20]).expect("not empty");
        let limit = mann_whitney(&a, &b).expect("not empty");
        assert!(exact.exact && !limit.exact);
        assert!(limit.p < exact.p && limit.p > exact.p / 2.0, "{exact:?} {limit:?}");
    }
}
