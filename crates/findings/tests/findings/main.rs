//! The checks on machines that were recorded or composed, on runs built by hand, and on runs that
//! hold anything.

mod arbitrary;
mod fixtures;
mod grading;
mod support;
