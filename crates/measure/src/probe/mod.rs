//! What a price does not show: who answers a call, how a clock steps, whether CPUs agree.

mod cores;
mod fallback;
mod histogram;
mod latency;
mod steps;
mod warp;

pub use cores::{core_offsets, order};
pub use fallback::fallbacks;
pub(crate) use fallback::proofs;
pub use latency::latencies;
pub use steps::{steps, steps_in_full};
