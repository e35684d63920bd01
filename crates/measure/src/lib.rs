//! What tolls cost on this machine: engine, clocks, proofs
