//! What this machine is, read from /proc, /sys, CPUID and the kernel log; changes nothing
