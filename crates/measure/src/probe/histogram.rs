//! Counts by size, eight ranges to each doubling: any number of steps in a few hundred words.

use std::collections::BTreeMap;
use toll_model::probe::Bin;

/// Ranges to each doubling: a range's ends are 12.5% apart at the most.
const PER_OCTAVE: u32 = 8;

/// Steps of a clock in ns, of either sign.
#[derive(Default)]
pub(super) struct Histogram(BTreeMap<i64, u64>);

impl Histogram {
    pub(super) fn add(&mut self, step: i64) {
        *self.0.entry(start_of(step)).or_default() += 1;
    }

    /// The ranges that hold anything, ascending.
    pub(super) fn bins(&self) -> Vec<Bin> {
        let bin = |(&from, &count): (&i64, &u64)| Bin {
            from_ns: from as f64,
            to_ns: end_of(from) as f64,
            count,
        };
        self.0.iter().map(bin).collect()
    }

    /// The middle of the range in which the median of the steps above zero lies.
    pub(super) fn median_above_zero(&self) -> Option<f64> {
        let above = || self.0.iter().filter(|(from, _)| **from > 0);
        let half = above().map(|(_, count)| count).sum::<u64>().div_ceil(2);
        let mut passed = 0;
        above().find_map(|(&from, count)| {
            passed += count;
            let last = end_of(from) - 1;
            (passed >= half).then_some(f64::midpoint(from as f64, last as f64))
        })
    }
}

/// Width of the ranges in the doubling that `size` lies in.
fn width(size: u64) -> u64 {
    let octave = 1 << size.max(1).ilog2();
    (octave / u64::from(PER_OCTAVE)).max(1)
}

/// Start of the range that holds `step`. Ranges below zero mirror those above.
fn start_of(step: i64) -> i64 {
    let size = step.unsigned_abs();
    let start = (size / width(size) * width(size)) as i64;
    match step {
        0.. => start,
        // Mirrored, the range (−end, −start] becomes [−end + 1, −start + 1).
        _ => 1 - start - width(size) as i64,
    }
}

/// End of the range that starts at `from`, excluded.
fn end_of(from: i64) -> i64 {
    if from >= 0 {
        from + width(from.unsigned_abs()) as i64
    } else {
        // Its first member has the largest size, its last one the start of that size's range.
        let size = from.unsigned_abs();
        1 - (size / width(size) * width(size)) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_step_lies_in_its_own_range(step in -100_000i64..100_000) {
            let mut histogram = Histogram::default();
            histogram.add(step);
            let bins = histogram.bins();
            prop_assert_eq!(bins.len(), 1);
            let Bin { from_ns, to_ns, count } = bins[0];
            prop_assert!(from_ns <= step as f64 && (step as f64) < to_ns, "{step}: {bins:?}");
            prop_assert_eq!(count, 1);
            prop_assert!(to_ns - from_ns <= (step.abs() as f64 / 8.0).max(1.0), "{step}: {bins:?}");
        }
    }

    #[test]
    fn small_steps_have_ranges_of_their_own() {
        let mut histogram = Histogram::default();
        for step in [0, 1, 7, 7, 15, -3] {
            histogram.add(step);
        }
        let froms: Vec<f64> = histogram.bins().iter().map(|bin| bin.from_ns).collect();
        assert_eq!(froms, [-3.0, 0.0, 1.0, 7.0, 15.0]);
        assert_eq!(histogram.median_above_zero(), Some(7.0));
    }
}
