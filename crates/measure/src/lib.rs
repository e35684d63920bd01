//! What tolls cost on this machine.
//!
//! [`engine`] times blocks of anything and knows nothing of clocks; [`clocks`] says what to time;
//! [`probe`] observes what a price does not show: who answers a call, how a clock steps, whether
//! CPUs agree; [`scaling`] lets many pay at once.

pub mod clocks;
pub mod engine;
mod error;
pub mod probe;
pub mod scaling;
mod sys;
mod vdso;

pub use error::MeasureError;
