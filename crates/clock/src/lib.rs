//! toll-clock: the hardware counter of this machine, read, ordered and calibrated.
//!
//! `no_std`: the same code runs in toll, in the preloaded object and in a user's program.

#![no_std]

#[cfg_attr(target_arch = "x86_64", path = "arch/x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "arch/aarch64.rs")]
mod arch;
mod calibration;

pub use arch::{NAME, ordered, ordered_by_fence, ordered_by_rdtscp, unordered};
pub use calibration::{Bracket, Calibration};
