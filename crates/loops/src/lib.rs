//! The unrolled loops that are timed, shared by the measuring engine and the preloaded probe
