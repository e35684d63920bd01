//! Reading the hardware counter (TSC, CNTVCT), calibrating it, and the clock built on it
