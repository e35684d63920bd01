//! How far the measurement has come, on standard error and only on a terminal.
//!
//! It is drawn when the measurement reports and never by a thread of its own: that would take CPU
//! time from what is being measured.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const STEPS: u64 = 1_000;

/// A bar that goes away when it is dropped.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar on the terminal behind standard error; nothing if there is none or it is not wanted.
    pub(crate) fn new(wanted: bool) -> Self {
        let target =
            if wanted { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3}%  {wide_msg}") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        Bar(bar)
    }

    /// `done` of 1, busy with `what`.
    pub(crate) fn at(&self, done: f64, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.set_position((done.clamp(0.0, 1.0) * STEPS as f64) as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
