//! A bounded, uniform sample of a stream that counts what it saw.

use super::rng::Rng;

/// Keeps at most `capacity` samples of a stream of any length, each with the same chance
/// (algorithm R of Vitter, "Random Sampling with a Reservoir", 1985), and gives them back in the
/// order in which they came.
#[derive(Clone, Debug)]
pub struct Reservoir {
    kept: Vec<(u64, f64)>,
    capacity: usize,
    seen: u64,
    rng: Rng,
}

impl Reservoir {
    /// A reservoir for `capacity` samples; what it keeps follows from `rng`.
    pub fn new(capacity: usize, rng: Rng) -> Self {
        Reservoir { kept: Vec::new(), capacity, seen: 0, rng }
    }

    /// Takes one sample into account.
    pub fn push(&mut self, sample: f64) {
        let item = (self.seen, sample);
        self.seen += 1;
        if self.kept.len() < self.capacity {
            self.kept.push(item);
        } else {
            let place = self.rng.below(self.seen);
            if let Some(slot) = self.kept.get_mut(place as usize) {
                *slot = item;
            }
        }
    }

    /// How many samples came, kept or not.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How many came, if not all were kept: what `sampled_from` of a measurement says.
    pub fn sampled_from(&self) -> Option<u64> {
        (self.seen > self.kept.len() as u64).then_some(self.seen)
    }

    /// The kept samples in the order in which they came.
    pub fn samples(&self) -> Vec<f64> {
        let mut kept = self.kept.clone();
        kept.sort_unstable_by_key(|&(at, _)| at);
        kept.into_iter().map(|(_, sample)| sample).collect()
    }
}

impl Extend<f64> for Reservoir {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, samples: I) {
        samples.into_iter().for_each(|sample| self.push(sample));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(capacity: usize, samples: u32, seed: u64) -> Reservoir {
        let mut reservoir = Reservoir::new(capacity, Rng::seeded(seed));
        reservoir.extend((0..samples).map(f64::from));
        reservoir
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let reservoir = filled(10, 10, 1);
        assert_eq!(reservoir.samples(), (0..10).map(f64::from).collect::<Vec<_>>());
        assert_eq!((reservoir.seen(), reservoir.sampled_from()), (10, None));
    }

    #[test]
    fn a_long_stream_is_counted_and_its_order_kept() {
        let reservoir = filled(10, 1_000, 1);
        assert_eq!((reservoir.samples().len(), reservoir.seen()), (10, 1_000));
        assert_eq!(reservoir.sampled_from(), Some(1_000));
        assert!(reservoir.samples().is_sorted());
    }

    #[test]
    fn early_and_late_samples_have_the_same_chance() {
        let mut counts = [0u32; 40];
        for seed in 0..8_000 {
            for sample in filled(10, 40, seed).samples() {
                counts[sample as usize] += 1;
            }
        }
        // Each is kept with chance ¼. χ² with 39 degrees of freedom passes 72.1 once in a thousand;
        // keeping exactly ten makes the counts less spread than that, by 1 − ¼.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 2e3).powi(2) / 2e3).sum();
        assert!(chi2 / 0.75 < 72.1, "{counts:?}");
    }

    #[test]
    fn a_reservoir_without_room_only_counts() {
        let reservoir = filled(0, 3, 1);
        assert!(reservoir.samples().is_empty());
        assert_eq!(reservoir.sampled_from(), Some(3));
    }
}
