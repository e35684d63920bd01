//! From a run to findings: one file a check, each a pure function
