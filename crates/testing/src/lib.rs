//! What tests share: recorded and composed machines, and skips that can be seen.
//!
//! A test that needs what not every machine has says so in its first line:
//!
//! ```
//! # mod tests {
//! use toll_testing::{Need, needs};
//! // #[test]
//! fn a_fact_of_the_kernel_log() {
//!     needs!(Need::Root);
//!     // …
//! }
//! # }
//! ```

mod elf;
mod fixtures;
pub mod skip;

pub use elf::elf_stub;
pub use fixtures::{fixture_host, fixture_hosts};
pub use skip::Need;
