//! Agreement with numpy and scipy, by a committed table (see `dev/reference-statistics.py`).

use serde::Deserialize;
use toll_model::stats::{self, Rng};

#[derive(Deserialize)]
struct Table {
    one_sample: Vec<OneSample>,
    mann_whitney: Vec<TwoSamples>,
    bootstraps: Vec<Bootstrap>,
}

#[derive(Deserialize)]
struct OneSample {
    name: String,
    samples: Vec<f64>,
    median: f64,
    percentiles: Vec<(f64, f64)>,
    median_ci95: Option<[f64; 2]>,
}

#[derive(Deserialize)]
struct TwoSamples {
    name: String,
    a: Vec<f64>,
    b: Vec<f64>,
    u: f64,
    p: f64,
}

#[derive(Deserialize)]
struct Bootstrap {
    name: String,
    a: Vec<f64>,
    b: Vec<f64>,
    statistic: String,
    paired: bool,
    ci95: [f64; 2],
}

fn table() -> Table {
    serde_json::from_str(include_str!("reference-statistics.json")).expect("the committed table")
}

fn assert_close(what: &str, ours: f64, theirs: f64, tolerance: f64) {
    let scale = theirs.abs().max(1e-300);
    assert!((ours - theirs).abs() <= tolerance * scale, "{what}: {ours:e}, reference {theirs:e}");
}

#[test]
fn medians_and_percentiles_are_those_of_numpy() {
    for case in table().one_sample {
        let median = stats::median(&case.samples).expect("not empty");
        assert_close(&case.name, median, case.median, 1e-15);
        for (p, theirs) in case.percentiles {
            let ours = stats::percentile(&case.samples, p).expect("not empty");
            assert_close(&format!("{}, {p}%", case.name), ours, theirs, 1e-13);
        }
    }
}

#[test]
fn intervals_are_those_of_the_ideal_bootstrap() {
    let cases = table().one_sample;
    assert!(cases.iter().filter(|case| case.median_ci95.is_some()).count() > 10);
    for case in cases {
        let ours = stats::median_ci95(&case.samples);
        // Both ends are samples or midpoints of two, so they agree but for a last digit or differ
        // by a whole step.
        for (ours, theirs) in ours.into_iter().flatten().zip(case.median_ci95.into_iter().flatten())
        {
            assert_close(&case.name, ours, theirs, 1e-14);
        }
        assert_eq!(ours.is_some(), case.median_ci95.is_some(), "{}", case.name);
    }
}

#[test]
fn mann_whitney_is_that_of_scipy() {
    for case in table().mann_whitney {
        let test = stats::mann_whitney(&case.a, &case.b).expect("not empty");
        assert_eq!(test.u, case.u, "{}", case.name);
        assert_eq!(test.exact, !case.name.contains("limit") && !case.name.contains("far"));
        assert_close(&case.name, test.p, case.p, 1e-10);
    }
}

#[test]
fn differences_and_ratios_are_those_of_scipys_bootstrap() {
    for case in table().bootstraps {
        let (a, b, rng) = (&case.a, &case.b, &mut Rng::seeded(1));
        let ours = match (case.statistic.as_str(), case.paired) {
            ("difference", false) => stats::difference_ci95(a, b, rng),
            ("ratio", false) => stats::ratio_ci95(a, b, rng),
            ("difference", true) => stats::paired_difference_ci95(a, b, rng),
            ("ratio", true) => stats::paired_ratio_ci95(a, b, rng),
            (other, _) => panic!("{other}?"),
        }
        .expect("finite and positive");
        // A 2.5% quantile of N replicates of near normal shape has the standard error
        // √(0.025·0.975/N)/0.0584 standard deviations, of which an interval is 3.92 wide: 0.7% of
        // the width at 10 000, 1.1% at 4 000. Four of the latter, and medians come in steps.
        let tolerance = 0.05 * (case.ci95[1] - case.ci95[0]);
        for (ours, theirs) in ours.into_iter().zip(case.ci95) {
            assert!((ours - theirs).abs() < tolerance, "{}: {ours}, scipy {theirs}", case.name);
        }
    }
}
