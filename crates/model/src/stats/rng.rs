//! A small seeded generator: for the order of blocks, the reservoir and the bootstrap. Not for
//! secrets.

/// xoshiro256++ 1.0, seeded through splitmix64, both by Blackman and Vigna
/// (<https://prng.di.unimi.it>). The same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// A generator whose whole sequence follows from `seed`.
    pub fn seeded(seed: u64) -> Self {
        let mut splitmix = seed;
        Rng { state: std::array::from_fn(|_| splitmix64(&mut splitmix)) }
    }

    /// 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// Uniform in `0..n`, without bias (Lemire, "Fast Random Integer Generation in an Interval",
    /// 2019). 0 for `n` = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let rejected = n.wrapping_neg() % n;
            while (product as u64) < rejected {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Uniform in `0..1`, a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Puts `items` into an order in which all permutations are equally likely (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_published_generators() {
        let mut seed = 1_234_567;
        let split: [u64; 3] = std::array::from_fn(|_| splitmix64(&mut seed));
        assert_eq!(
            split,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let first: [u64; 5] = std::array::from_fn(|_| rng.next_u64());
        assert_eq!(
            first,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386,
                9_228_616_714_210_784_205
            ]
        );
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = Rng::seeded(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        // χ² with 5 degrees of freedom: 20.5 is passed once in a thousand seeds; this one is fixed.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4).sum();
        assert!(chi2 < 20.5, "{counts:?}");
        assert_eq!((rng.below(0), rng.below(1)), (0, 0));
    }

    #[test]
    fn below_rejects_what_would_bias() {
        // Of 2⁶⁴ products, a third fall into the short last span of this n.
        let n = u64::MAX / 4 * 3;
        let mut rng = Rng::seeded(1);
        let low = (0..30_000).filter(|_| rng.below(n) < n / 3).count();
        assert!((low as f64 / 30_000.0 - 1.0 / 3.0).abs() < 0.011, "{low}");
    }

    #[test]
    fn shuffle_reaches_every_order_alike() {
        let mut rng = Rng::seeded(3);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            rng.shuffle(&mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // χ² with 23 degrees of freedom, one in a thousand.
        let chi2: f64 = counts.values().map(|&c| (f64::from(c) - 1e3).powi(2) / 1e3).sum();
        assert!(chi2 < 49.7, "{counts:?}");
    }

    #[test]
    fn unit_stays_below_one() {
        let mut rng = Rng::seeded(11);
        let mean = (0..100_000).map(|_| rng.unit()).inspect(|u| assert!((0.0..1.0).contains(u)));
        assert!((mean.sum::<f64>() / 1e5 - 0.5).abs() < 0.004);
    }
}
