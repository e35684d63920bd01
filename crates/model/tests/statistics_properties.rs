//! Properties of the statistics, and their agreement with a naive implementation.
//!
//! Each test draws its own cases from a fixed seed: a failure is a defect, never bad luck.

mod naive;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use toll_model::stats::{self, Estimate, Rng, Summary};

fn seeded(cases: u32) -> ProptestConfig {
    let fixed = RngSeed::Fixed(20_260_101);
    ProptestConfig {
        cases,
        rng_seed: fixed,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Prices as they occur, ties, both signs, huge spreads and +∞.
fn sample() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.1..1e4,
        3 => (-3i32..4).prop_map(f64::from),
        2 => -1e300..1e300,
        1 => Just(f64::INFINITY),
    ]
}

fn samples(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(sample(), count)
}

fn finite(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.1..1e4, count)
}

proptest! {
    #![proptest_config(seeded(400))]

    #[test]
    fn the_median_is_that_of_a_sorted_copy(samples in samples(1..=40)) {
        prop_assert_eq!(stats::median(&samples), Some(naive::median(&samples)));
    }

    #[test]
    fn nothing_depends_on_the_order_of_samples(samples in samples(2..=60), seed: u64) {
        let mut shuffled = samples.clone();
        Rng::seeded(seed).shuffle(&mut shuffled);
        prop_assert_eq!(Summary::of(&shuffled), Summary::of(&samples));
    }

    #[test]
    fn a_percentile_rises_with_p_from_least_to_largest(
        samples in samples(1..=40), p in 0.0..=100.0, q in 0.0..=100.0,
    ) {
        let at = |p| stats::percentile(&samples, p).expect("no NaN and only one infinity");
        let (p, q) = if p < q { (p, q) } else { (q, p) };
        prop_assert!(at(p) <= at(q), "{} {}", at(p), at(q));
        prop_assert_eq!(at(0.0), samples.iter().copied().fold(f64::INFINITY, f64::min));
        prop_assert_eq!(at(100.0), samples.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }

    #[test]
    fn the_50th_percentile_is_the_median(samples in finite(1..=40)) {
        let (half, median) = (stats::percentile(&samples, 50.0), stats::median(&samples));
        let (half, median) = half.zip(median).expect("not empty");
        prop_assert!((half / median - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_summary_is_the_sum_of_its_parts(samples in samples(1..=60)) {
        let summary = Summary::of(&samples).expect("not empty");
        prop_assert_eq!(summary.count, samples.len());
        prop_assert_eq!(Some(summary.median), stats::median(&samples));
        prop_assert_eq!(summary.ci95, stats::median_ci95(&samples));
        prop_assert_eq!(Some(summary.min), stats::percentile(&samples, 0.0));
        prop_assert_eq!(Some(summary.max), stats::percentile(&samples, 100.0));
        prop_assert_eq!(Some(summary.p99), stats::percentile(&samples, 99.0));
    }

    #[test]
    fn an_interval_holds_the_median_and_lies_among_the_samples(samples in samples(2..=300)) {
        let Summary { median, ci95, min, max, .. } = Summary::of(&samples).expect("not empty");
        let [lo, hi] = ci95.expect("two samples or more");
        prop_assert!(min <= lo && lo <= median && median <= hi && hi <= max);
    }

    #[test]
    fn an_interval_moves_with_scale_and_mirror(samples in finite(2..=120)) {
        let [lo, hi] = stats::median_ci95(&samples).expect("two samples or more");
        // Powers of two scale without rounding, so equality is exact.
        let scaled: Vec<f64> = samples.iter().map(|x| x * 8.0).collect();
        prop_assert_eq!(stats::median_ci95(&scaled), Some([lo * 8.0, hi * 8.0]));
        let mirrored: Vec<f64> = samples.iter().map(|x| -x).collect();
        prop_assert_eq!(stats::median_ci95(&mirrored), Some([-hi, -lo]));
    }

    #[test]
    fn a_baseline_widens_by_no_more_than_its_own_width(
        median in 1.0..1e3, sides in prop::array::uniform4(0.0..10.0), base in 0.0..10.0,
    ) {
        let [below, above, base_below, base_above] = sides;
        let estimate = |at: f64, below, above| Estimate { median: at, ci95: [at - below, at + above] };
        let price = stats::combine(
            estimate(median, below, above),
            estimate(base, base_below, base_above),
        ).expect("finite");
        let rounding = 1e-9;
        let (low, high) = (price.median - price.ci95[0], price.ci95[1] - price.median);
        prop_assert!((price.median - (median - base)).abs() < rounding);
        prop_assert!(low > f64::max(below, base_above) - rounding && low < below + base_above + rounding);
        prop_assert!(high > f64::max(above, base_below) - rounding && high < above + base_below + rounding);
    }

    #[test]
    fn u_is_the_count_of_pairs(a in samples(1..=30), b in samples(1..=30)) {
        let test = stats::mann_whitney(&a, &b).expect("not empty");
        prop_assert_eq!(test.u, naive::u_of(&a, &b));
        let swapped = stats::mann_whitney(&b, &a).expect("not empty");
        prop_assert_eq!(test.u + swapped.u, (a.len() * b.len()) as f64);
        prop_assert!((test.p - swapped.p).abs() < 1e-12);
        prop_assert!((0.0..=1.0).contains(&test.p));
    }
}

proptest! {
    #![proptest_config(seeded(48))]

    #[test]
    fn the_interval_is_that_of_all_resamples(samples in samples(2..=6)) {
        let all = naive::all_resampled_medians(&samples);
        prop_assert_eq!(stats::median_ci95(&samples), Some(naive::middle_95(&all)));
    }

    #[test]
    fn p_is_that_of_all_splits(a in samples(1..=5), b in samples(1..=5)) {
        let test = stats::mann_whitney(&a, &b).expect("not empty");
        prop_assert!(test.exact);
        prop_assert!((test.p - naive::p_over_all_splits(&a, &b)).abs() < 1e-12);
    }
}

#[test]
fn the_interval_of_seven_samples_is_that_of_all_823_543_resamples() {
    let samples = [22.3, 22.9, 21.8, 22.4, 31.0, 22.35, 22.6];
    let all = naive::all_resampled_medians(&samples);
    assert_eq!(stats::median_ci95(&samples), Some(naive::middle_95(&all)));
}

/// Holds `[lo, hi]` against replicates drawn in full: 2.5% ± `tolerance` lie outside each end.
fn assert_leaves_out_the_tails(name: &str, [lo, hi]: [f64; 2], replicates: &[f64], tolerance: f64) {
    let share = |test: &dyn Fn(f64) -> bool| {
        replicates.iter().filter(|&&x| test(x)).count() as f64 / replicates.len() as f64
    };
    // Medians are few distinct values: the end itself holds what lies between the two shares.
    for (end, outside, at_end) in [
        ("lower", share(&|x| x < lo), share(&|x| x <= lo)),
        ("upper", share(&|x| x > hi), share(&|x| x >= hi)),
    ] {
        assert!(
            outside < 0.025 + tolerance && at_end > 0.025 - tolerance,
            "{name}: {:.2}% lie outside the {end} end and {:.2}% at it or outside",
            outside * 100.0,
            at_end * 100.0,
        );
    }
}

const RESAMPLES: usize = 20_000;

/// 4.5 standard errors of a share of 2.5%, of `RESAMPLES` and of toll's own `replicates`.
fn tolerance(replicates: f64) -> f64 {
    4.5 * (0.025 * 0.975 * (1.0 / RESAMPLES as f64 + 1.0 / replicates)).sqrt()
}

fn skewed(n: usize, rng: &mut Rng) -> Vec<f64> {
    (0..n).map(|_| 22.0 - 0.4 * (1.0 - rng.unit()).ln()).collect()
}

#[test]
fn the_interval_agrees_with_resampling() {
    for n in [8, 9, 15, 24, 39, 60, 61] {
        let mut rng = Rng::seeded(n as u64);
        let samples = skewed(n, &mut rng);
        let interval = stats::median_ci95(&samples).expect("two samples or more");
        let replicates: Vec<f64> =
            (0..RESAMPLES).map(|_| naive::median(&naive::resample(&samples, &mut rng))).collect();
        assert_leaves_out_the_tails(&format!("n = {n}"), interval, &replicates, tolerance(1e99));
    }
}

#[test]
fn differences_and_ratios_agree_with_resampling() {
    for (n, m) in [(20, 31), (41, 12)] {
        let mut rng = Rng::seeded(n as u64);
        let (a, b) = (skewed(n, &mut rng), skewed(m, &mut rng));
        let medians: Vec<(f64, f64)> = (0..RESAMPLES)
            .map(|_| {
                let (a, b) = (naive::resample(&a, &mut rng), naive::resample(&b, &mut rng));
                (naive::median(&a), naive::median(&b))
            })
            .collect();
        let difference = stats::difference_ci95(&a, &b, &mut rng).expect("finite");
        let differences: Vec<f64> = medians.iter().map(|(a, b)| a - b).collect();
        assert_leaves_out_the_tails("difference", difference, &differences, tolerance(1e4));
        let ratio = stats::ratio_ci95(&a, &b, &mut rng).expect("positive");
        let ratios: Vec<f64> = medians.iter().map(|(a, b)| a / b).collect();
        assert_leaves_out_the_tails("ratio", ratio, &ratios, tolerance(1e4));
    }
}

#[test]
fn paired_differences_and_ratios_agree_with_resampling_of_rounds() {
    for n in [20, 33] {
        let mut rng = Rng::seeded(n as u64);
        let drift = skewed(n, &mut rng);
        let rounds: Vec<(f64, f64)> =
            drift.iter().map(|d| (d + 4.0 + rng.unit() / 9.0, d + rng.unit() / 9.0)).collect();
        let (a, b): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
        let medians: Vec<(f64, f64)> = (0..RESAMPLES)
            .map(|_| {
                let drawn = (0..n).map(|_| rounds[rng.below(n as u64) as usize]);
                let (a, b): (Vec<f64>, Vec<f64>) = drawn.unzip();
                (naive::median(&a), naive::median(&b))
            })
            .collect();
        let difference = stats::paired_difference_ci95(&a, &b, &mut rng).expect("finite");
        let differences: Vec<f64> = medians.iter().map(|(a, b)| a - b).collect();
        assert_leaves_out_the_tails("difference", difference, &differences, tolerance(4e3));
        let ratio = stats::paired_ratio_ci95(&a, &b, &mut rng).expect("positive");
        let ratios: Vec<f64> = medians.iter().map(|(a, b)| a / b).collect();
        assert_leaves_out_the_tails("ratio", ratio, &ratios, tolerance(4e3));
        // What disturbs both must not widen what is between them.
        let [lo, hi] = stats::difference_ci95(&a, &b, &mut rng).expect("finite");
        assert!(difference[1] - difference[0] < (hi - lo) / 2.0);
    }
}

#[test]
fn a_hundred_thousand_samples_take_no_time() {
    let samples = skewed(100_000, &mut Rng::seeded(1));
    let begun = std::time::Instant::now();
    let interval = stats::median_ci95(&samples);
    // Some 10 ms optimised; drawing resamples would take minutes in a debugging build.
    assert!(begun.elapsed().as_secs_f64() < 2.0, "{:?}", begun.elapsed());
    let [lo, hi] = interval.expect("finite");
    // The median of 22 + Exp(0.4) is 22 + 0.4·ln 2; the interval is ±0.4·1.96/√n around it.
    let truth = 22.0 + 0.4 * std::f64::consts::LN_2;
    assert!(lo < truth && truth < hi, "[{lo}, {hi}] misses {truth}");
    assert!((hi - lo) / (0.8 * 1.96 / 1e5f64.sqrt()) < 1.1);
}
