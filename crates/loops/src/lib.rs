//! The loops that are timed: unrolled sixteen times, written in assembly so that no compiler
//! decides what is measured, and shared by toll's own process and the probe that it preloads into
//! a program of the host.
//!
//! A price is always the difference of two loops of the same shape: one with the operation, one
//! without. [`Op::baseline`] names the second for each first.

#![no_std]

#[cfg_attr(target_arch = "x86_64", path = "arch/x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "arch/aarch64.rs")]
mod arch;
mod misses;
mod op;
pub mod remote;
pub mod sys;

pub use misses::Field;
pub use op::{Call, Counter, Op};

/// Calls in the body of every loop.
pub const UNROLL: u64 = 16;

/// Where the compiled loops begin, for tests and for `toll explain`.
pub fn entry_points() -> [(&'static str, usize); 3] {
    [
        ("call", arch::call as *const () as usize),
        ("syscall", arch::syscall as *const () as usize),
        ("counter", arch::counter as *const () as usize),
    ]
}
