//! Edges of each check's judgement, on runs built by hand.

mod clocksource;
mod crossings;
mod machine;
mod probes;
mod tsc;
