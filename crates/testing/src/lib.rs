//! What tests share: fixtures, and visible skips
