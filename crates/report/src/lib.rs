//! What people read: text made from a run. Nothing here prints, measures or judges.
//!
//! Two views, each a list of parts in the order of its file's `render` function:
//! [`check`] (who this host is, what its clocks cost, what is wrong and why) and [`clocks`] (every
//! figure of `toll measure clocks`). [`plain`] is the tab-separated form for scripts.

mod behaviour;
pub mod check;
pub mod clocks;
pub mod host_lines;
pub mod plain;
pub mod view;

mod check_lines;
mod counters;
mod figure;
mod findings;
mod footnotes;
mod idle_table;
mod in_situ_table;
mod java_table;
mod names;
mod next;
mod notes;
mod price_table;
mod quality;
mod rows;
mod scaling_table;
mod served;
mod table;
mod text;

pub use view::{Styles, View};
