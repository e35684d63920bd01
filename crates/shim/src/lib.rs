//! Freestanding.
#![no_std]
