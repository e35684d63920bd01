//! Statistics over samples: order statistics, the interval of a median, comparisons, a reservoir.
//!
//! Everything here is pure and deterministic; what draws random numbers takes an [`Rng`] with a
//! seed. One rule for odd input holds throughout:
//!
//! - No samples: `None`. A NaN among them: `None`, for a NaN is no sample and has no rank.
//! - One sample has a median but no interval: a single figure says nothing about its spread.
//! - Infinities are ordered like numbers; a result that would need ∞ − ∞ is `None`.
//! - `-0.0` counts as `0.0`.

mod estimate;
mod interval;
mod mann_whitney;
mod normal;
mod order;
mod replicates;
mod reservoir;
mod rng;

pub use estimate::{Estimate, combine};
pub use interval::median_ci95;
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use order::{Summary, median, percentile};
pub use replicates::{difference_ci95, paired_difference_ci95, paired_ratio_ci95, ratio_ci95};
pub use reservoir::Reservoir;
pub use rng::Rng;
