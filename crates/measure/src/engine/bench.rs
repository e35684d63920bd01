//! One thing that can be timed.

use toll_model::{ServedBy, Subject};

/// One block of calls, timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// How long all of them took, ns.
    pub nanos: f64,
    /// How many there were.
    pub calls: u64,
    /// The thread was switched out or changed CPU meanwhile: the time is not the calls' own.
    pub disturbed: bool,
}

/// Something that can be repeated and timed.
pub trait Bench {
    /// Makes about `calls` calls (the block says how many it were) and times them.
    ///
    /// # Errors
    /// The reason why this bench cannot be timed, now or ever again.
    fn run(&mut self, calls: u64) -> Result<Block, String>;
}

/// A bench and what its row will say.
pub struct Entry<'a> {
    /// What is timed.
    pub bench: Box<dyn Bench + 'a>,
    /// What the row is of; `None` for a loop that is only subtracted from others.
    pub subject: Option<Subject>,
    /// Index of the entry whose cost per call is subtracted from this one's.
    pub baseline: Option<usize>,
    /// Who answers, where that was proved.
    pub served_by: Option<ServedBy>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

impl<'a> Entry<'a> {
    /// A row.
    pub fn row(subject: Subject, baseline: Option<usize>, bench: impl Bench + 'a) -> Self {
        Entry {
            bench: Box::new(bench),
            subject: Some(subject),
            baseline,
            served_by: None,
            notes: Vec::new(),
        }
    }

    /// A loop that is only subtracted.
    pub fn baseline(bench: impl Bench + 'a) -> Self {
        Entry {
            bench: Box::new(bench),
            subject: None,
            baseline: None,
            served_by: None,
            notes: Vec::new(),
        }
    }
}
