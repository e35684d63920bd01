//! What can stop a measurement that the user asked for by name. Everything else is a row of the
//! run with the reason why it has no figure.

/// Cause and remedy, as one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// A name that is no clock.
    #[error("no clock is called {name:?}; {nearest}")]
    UnknownClock {
        /// What was given.
        name: String,
        /// `did you mean "…"?`, or the list.
        nearest: String,
    },
    /// A CPU that cannot be used.
    #[error("CPU {cpu} cannot be used: {why}; choose one of {usable}")]
    Cpu {
        /// What was given.
        cpu: u32,
        /// Offline, not allowed, or what the kernel said.
        why: String,
        /// The CPUs that can.
        usable: String,
    },
    /// A JVM named by the user did not do its work.
    #[error("{launcher}: {why}")]
    Jvm {
        /// The launcher as started.
        launcher: String,
        /// What it did, and what helps.
        why: String,
    },
    /// There is nothing to time blocks with.
    #[error("no stopwatch: {0}")]
    Stopwatch(String),
}
