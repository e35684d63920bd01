//! From a run to findings: one file a check, each a pure function of the run.
//!
//! A check reads host facts, prices and probes, and comes to one of three things: findings, an
//! all-clear with the figures it rests on, or the reason why nothing can be said. No check reads a
//! file, a clock or the environment, so that a run file judged elsewhere comes out the same.
//!
//! A new check is one file in `checks/` and one line in [`checks()`].

mod advice;
mod after_demotion;
mod check;
mod checks;
mod demotion;
mod evaluate;
mod grade;
mod in_program;
mod origin;
mod price;
mod switching;
mod tsc;
mod vdso_proof;
mod watchers;
mod words;

pub use check::{Check, Outcome};
pub use checks::checks;
pub use evaluate::{UnknownCheck, evaluate};
