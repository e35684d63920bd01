//! The nouns of toll. Everything that measures fills a [`Run`], everything that shows reads one.
//!
//! This crate knows no operating system and reads no file: host facts, measurements and findings
//! are plain data here, and the arithmetic over samples ([`stats`]) is pure.

pub mod fact;
pub mod finding;
pub mod host;
pub mod measurement;
pub mod names;
pub mod probe;
pub mod run;
pub mod scaling;
pub mod stats;
pub mod subject;
pub mod units;

pub use fact::Fact;
pub use finding::{CheckResult, CheckStatus, Finding, Level, Remedy};
pub use host::Host;
pub use measurement::{Measurement, ServedBy, Stopped};
pub use probe::Probes;
pub use run::{Quality, Run, RunError, SCHEMA, Tool};
pub use scaling::{Scaling, ScalingPoint, ScalingVerdict, UslFit};
pub use subject::{Path, Shape, Subject};
pub use units::{Hertz, Nanos, Ticks};
