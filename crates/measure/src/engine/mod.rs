//! The measuring engine: blocks of repeated calls, interleaved in random order, until the
//! intervals are narrow or time is up.
//!
//! The engine knows neither clocks nor operating system. What it times is a [`Bench`]; what tells
//! it how long it has been at work is a closure. So a simulated machine, whose prices are known,
//! can stand in for the real one in tests.

mod bench;
mod known_answer;
mod local;
mod pin;
mod result;
mod schedule;
#[cfg(test)]
mod simulated;
mod stopwatch;

pub use bench::{Bench, Block, Entry};
pub use known_answer::{KnownAnswer, TOLERANCE};
pub(crate) use local::WARM_CALLS;
pub use local::{Local, SharedField};
pub use pin::{Pinned, pin_to};
pub use result::{difference, measurement};
pub use schedule::{Limits, Progress, Raw, Rounds, run_rounds};
pub use stopwatch::Stopwatch;
