//! Do 95% intervals hold the truth 95 times in a hundred? Simulated, from skewed distributions.

use toll_model::stats::{self, Estimate, Rng, Summary};

const RUNS: usize = 2_000;

/// Four standard errors of a share near 95% in `runs` runs.
fn four_sigma(runs: usize) -> f64 {
    4.0 * (0.95 * 0.05 / runs as f64).sqrt()
}

fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.unit()).ln()
}

/// A name, a source and its true median.
type Source = (&'static str, fn(&mut Rng) -> f64, f64);

/// Blocks as they are: a floor, a tail, and now and then an interrupt.
fn block(rng: &mut Rng) -> f64 {
    let interrupted = if rng.unit() < 0.05 { 9.0 } else { 0.0 };
    22.0 + 0.4 * exponential(rng) + interrupted
}

/// Median of [`block`]: where 0.95·(1 − e^(−x/0.4)) is ½, as interrupted blocks lie far above.
fn median_of_blocks() -> f64 {
    22.0 - 0.4 * (1.0f64 - 0.5 / 0.95).ln()
}

fn sources() -> [Source; 3] {
    [
        ("exponential", exponential, std::f64::consts::LN_2),
        // P(X > x) = 1/x from 1 on: no mean, no variance, median 2.
        ("Pareto", |rng| exponential(rng).exp(), 2.0),
        ("blocks", block, median_of_blocks()),
    ]
}

fn draw(source: fn(&mut Rng) -> f64, n: usize, rng: &mut Rng) -> Vec<f64> {
    (0..n).map(|_| source(rng)).collect()
}

fn share(runs: usize, mut holds: impl FnMut() -> bool) -> f64 {
    (0..runs).filter(|_| holds()).count() as f64 / runs as f64
}

/// What an odd n can reach: the interval runs from the i-th sample to the i-th from the end, and
/// misses the true median when fewer than i samples lie on one side, each with chance ½.
fn exact_coverage(n: usize) -> f64 {
    let ranks: Vec<f64> = (1..=n).map(|i| i as f64).collect();
    let [lo, _] = stats::median_ci95(&ranks).expect("two samples or more");
    let mut chance = 0.5f64.powi(n as i32);
    let mut missed = 0.0;
    for below in 0..lo as usize {
        missed += chance;
        chance *= (n - below) as f64 / (below + 1) as f64;
    }
    1.0 - 2.0 * missed
}

/// Where the ends are samples, coverage comes in steps of the binomial's terms on both sides; two
/// deviations (√n/2 each) from the middle those are 2·φ(1.96)/(√n/2) = 0.234/√n together. It
/// reaches 95% for large n and lies within a step of it for small.
fn step(n: usize) -> f64 {
    0.234 / (n as f64).sqrt()
}

#[test]
fn the_interval_of_an_odd_sample_covers_exactly_what_it_can() {
    for n in [21, 31, 101, 301] {
        let exact = exact_coverage(n);
        assert!((exact - 0.95).abs() < step(n), "n = {n}: {exact}");
        for (name, source, truth) in sources() {
            let mut rng = Rng::seeded(n as u64);
            let covered = share(RUNS, || {
                let ci = stats::median_ci95(&draw(source, n, &mut rng)).expect("finite");
                ci[0] <= truth && truth <= ci[1]
            });
            assert!(
                (covered - exact).abs() < four_sigma(RUNS),
                "{name}, n = {n}: {covered}, not {exact}"
            );
        }
    }
}

#[test]
fn the_interval_of_an_even_sample_covers_about_95_in_100() {
    for n in [20, 30, 100, 300] {
        for (name, source, truth) in sources() {
            let mut rng = Rng::seeded(n as u64);
            let covered = share(RUNS, || {
                let ci = stats::median_ci95(&draw(source, n, &mut rng)).expect("finite");
                ci[0] <= truth && truth <= ci[1]
            });
            // Midpoints halve the steps.
            let allowed = four_sigma(RUNS) + step(n) / 2.0;
            assert!((covered - 0.95).abs() < allowed, "{name}, n = {n}: {covered}");
        }
    }
}

#[test]
fn a_price_with_its_baseline_subtracted_covers_about_95_in_100() {
    let truth = median_of_blocks() - std::f64::consts::LN_2;
    let estimate = |samples: &[f64]| -> Estimate {
        Summary::of(samples).and_then(|summary| summary.estimate()).expect("finite")
    };
    for (n, m) in [(61, 61), (101, 40)] {
        let mut rng = Rng::seeded(n as u64);
        let covered = share(RUNS, || {
            let call = estimate(&draw(block, n, &mut rng));
            let empty = estimate(&draw(exponential, m, &mut rng));
            let price = stats::combine(call, empty).expect("finite");
            price.ci95[0] <= truth && truth <= price.ci95[1]
        });
        let allowed = four_sigma(RUNS) + step(m) / 2.0;
        assert!((covered - 0.95).abs() < allowed, "{n} and {m}: {covered}");
    }
}

#[test]
fn differences_and_ratios_cover_about_95_in_100() {
    // Fewer runs: each draws thousands of replicates.
    const RUNS: usize = 400;
    let (a, b) = (median_of_blocks(), 1.0 + std::f64::consts::LN_2);
    let mut rng = Rng::seeded(5);
    let mut covered = [0u32; 2];
    for _ in 0..RUNS {
        let calls = draw(block, 51, &mut rng);
        let others = draw(|rng| 1.0 + exponential(rng), 51, &mut rng);
        let intervals = [
            (stats::difference_ci95(&calls, &others, &mut rng), a - b),
            (stats::paired_ratio_ci95(&calls, &others, &mut rng), a / b),
        ];
        for (covered, (interval, truth)) in covered.iter_mut().zip(intervals) {
            let [lo, hi] = interval.expect("finite and positive");
            *covered += u32::from(lo <= truth && truth <= hi);
        }
    }
    let allowed = four_sigma(RUNS) + step(51) / 2.0;
    for covered in covered.map(|count| f64::from(count) / RUNS as f64) {
        assert!((covered - 0.95).abs() < allowed, "{covered}");
    }
}
