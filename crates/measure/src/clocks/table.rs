//! The table under construction: what is timed, what could not be, and in which order it is shown.

use crate::engine::{Bench, Entry, Rounds, difference, measurement};
use toll_model::{Measurement, ServedBy, Subject, stats};

/// Entries for the engine and the rows they will become.
#[derive(Default)]
pub(crate) struct Table<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    slots: Vec<Slot>,
}

/// One row to be.
enum Slot {
    /// What an entry gives.
    Entry(usize),
    /// What could not be timed.
    Missing(Box<Measurement>),
    /// What one entry costs above another, their baselines taken off both.
    Difference { subject: Subject, longer: usize, shorter: usize },
}

impl<'a> Table<'a> {
    /// Adds a loop that is only subtracted from others.
    pub(crate) fn baseline(&mut self, bench: impl Bench + 'a) -> usize {
        self.entries.push(Entry::baseline(bench));
        self.entries.len() - 1
    }

    /// Adds a row: a bench, or the reason why there is none. Its index, if it is timed.
    pub(crate) fn row<B: Bench + 'a>(
        &mut self,
        subject: Subject,
        baseline: Option<usize>,
        bench: Result<B, String>,
    ) -> Option<usize> {
        match bench {
            Ok(bench) => {
                self.entries.push(Entry::row(subject, baseline, bench));
                let index = self.entries.len() - 1;
                self.slots.push(Slot::Entry(index));
                Some(index)
            }
            Err(why) => {
                self.missing(subject, why);
                None
            }
        }
    }

    /// Makes a row of a loop that others subtract, or that tells how the machine ran.
    pub(crate) fn show(&mut self, index: usize, subject: Subject, note: &str) {
        self.entries[index].subject = Some(subject);
        self.entries[index].notes.push(note.into());
        self.slots.push(Slot::Entry(index));
    }

    /// Adds a row that says why it has no figure.
    pub(crate) fn missing(&mut self, subject: Subject, why: impl Into<String>) {
        self.slots.push(Slot::Missing(Box::new(Measurement::unavailable(subject, why))));
    }

    /// Adds the difference of two rows, where both are timed.
    pub(crate) fn difference(
        &mut self,
        subject: Subject,
        longer: Option<usize>,
        shorter: Option<usize>,
    ) {
        match (longer, shorter) {
            (Some(longer), Some(shorter)) => {
                self.slots.push(Slot::Difference { subject, longer, shorter });
            }
            _ => self.missing(subject, "one of the two rows could not be measured"),
        }
    }

    /// Says who answers an entry's calls.
    pub(crate) fn served(&mut self, index: Option<usize>, by: Option<ServedBy>) {
        if let Some(index) = index {
            self.entries[index].served_by = by;
        }
    }

    /// Adds a note to an entry's row.
    pub(crate) fn note(&mut self, index: Option<usize>, note: impl Into<String>) {
        if let Some(index) = index {
            self.entries[index].notes.push(note.into());
        }
    }

    /// The rows, in the order in which they were added.
    pub(crate) fn rows(self, rounds: &Rounds) -> Vec<Measurement> {
        let entries = &self.entries;
        let baseline = |index: usize| {
            let costs = entries[index].baseline.map(|b| rounds.raw[b].costs()).unwrap_or_default();
            stats::median(&costs).unwrap_or(0.0)
        };
        self.slots
            .into_iter()
            .filter_map(|slot| match slot {
                Slot::Entry(index) => measurement(entries, index, rounds),
                Slot::Missing(row) => Some(*row),
                Slot::Difference { subject, longer, shorter } => Some(difference(
                    subject,
                    &rounds.raw[longer],
                    &rounds.raw[shorter],
                    baseline(longer) - baseline(shorter),
                )),
            })
            .collect()
    }
}
