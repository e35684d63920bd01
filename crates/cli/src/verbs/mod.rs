//! One file a verb.

pub(crate) mod check;
pub(crate) mod generate;
pub(crate) mod measure_clocks;
