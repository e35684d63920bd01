//! What a price does not show: who answers a call, how a clock steps, whether CPUs agree.

mod cores;
mod fallback;
mod steps;

pub use cores::core_offsets;
pub use fallback::fallbacks;
pub(crate) use fallback::proofs;
pub use steps::steps;
