//! The statistics once more, as plainly as can be: no shortcut, no shared code.

use toll_model::stats::Rng;

/// The middle of a sorted copy.
pub(crate) fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    let n = sorted.len();
    if n % 2 == 1 { sorted[n / 2] } else { sorted[n / 2 - 1].midpoint(sorted[n / 2]) }
}

/// The medians of all nⁿ resamples, in order.
pub(crate) fn all_resampled_medians(samples: &[f64]) -> Vec<f64> {
    let n = samples.len();
    let resamples = n.pow(n as u32);
    let mut medians: Vec<f64> = (0..resamples)
        .map(|number| {
            let digits = (0..n as u32).map(|place| number / n.pow(place) % n);
            median(&digits.map(|digit| samples[digit]).collect::<Vec<_>>())
        })
        .collect();
    medians.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    medians
}

/// The smallest v with 2.5% of `sorted` at or below it, and the mirror image.
pub(crate) fn middle_95(sorted: &[f64]) -> [f64; 2] {
    let needed = (sorted.len() as f64 * 0.025).ceil() as usize;
    [sorted[needed - 1], sorted[sorted.len() - needed]]
}

/// As many samples, each drawn from all.
pub(crate) fn resample(samples: &[f64], rng: &mut Rng) -> Vec<f64> {
    (0..samples.len()).map(|_| samples[rng.below(samples.len() as u64) as usize]).collect()
}

/// Pairs in which `a` is the larger, ties counted half.
pub(crate) fn u_of(a: &[f64], b: &[f64]) -> f64 {
    let wins = |x: f64, y: f64| if x > y { 1.0 } else { f64::from(u8::from(x == y)) / 2.0 };
    a.iter().map(|&x| b.iter().map(|&y| wins(x, y)).sum::<f64>()).sum()
}

/// The share of all splits of the pooled samples whose U is as far from the middle as this one's.
pub(crate) fn p_over_all_splits(a: &[f64], b: &[f64]) -> f64 {
    let pooled = [a, b].concat();
    let middle = (a.len() * b.len()) as f64 / 2.0;
    let distance = (u_of(a, b) - middle).abs();
    let (mut far, mut all) = (0u32, 0u32);
    for split in 0..1u32 << pooled.len() {
        if split.count_ones() as usize == a.len() {
            let side = |wanted: u32| -> Vec<f64> {
                let chosen = (0..pooled.len()).filter(|&i| split >> i & 1 == wanted);
                chosen.map(|i| pooled[i]).collect()
            };
            all += 1;
            far += u32::from((u_of(&side(1), &side(0)) - middle).abs() >= distance);
        }
    }
    f64::from(far) / f64::from(all)
}
