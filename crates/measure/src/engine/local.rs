//! A bench in this very thread: the loops of `toll-loops`, timed by the stopwatch.

use super::bench::{Bench, Block};
use super::stopwatch::Stopwatch;
use std::cell::RefCell;
use std::rc::Rc;
use toll_loops::sys::Presence;
use toll_loops::{Field, Op, UNROLL};

/// The memory in which all local benches of a run miss.
pub type SharedField = Rc<RefCell<Field>>;

/// Calls before the clock is started: they bring code, data and predictions in. Never more than
/// are timed: where a call takes 20 µs, the warming would outlast the block.
pub(crate) const WARM_CALLS: u64 = 64;

/// One operation, repeated here.
pub struct Local<'a> {
    op: Op,
    among: Option<(SharedField, u32)>,
    stopwatch: &'a Stopwatch,
}

impl<'a> Local<'a> {
    /// In a loop that does nothing else.
    pub fn idle(op: Op, stopwatch: &'a Stopwatch) -> Self {
        Local { op, among: None, stopwatch }
    }

    /// Among `misses` cache misses a call.
    pub fn among(op: Op, field: SharedField, misses: u32, stopwatch: &'a Stopwatch) -> Self {
        Local { op, among: Some((field, misses)), stopwatch }
    }

    fn repeat(&mut self, calls: u64) {
        // SAFETY: the operations of a plan read clocks and counters that were tried before
        // (`clocks::subjects`); they may be called any number of times.
        unsafe {
            match &mut self.among {
                None => self.op.repeat(calls / UNROLL),
                Some((field, misses)) => {
                    self.op.repeat_among(&mut field.borrow_mut(), *misses, calls);
                }
            }
        }
    }
}

impl Bench for Local<'_> {
    fn run(&mut self, calls: u64) -> Result<Block, String> {
        let calls = calls.next_multiple_of(UNROLL);
        if let Some((field, _)) = &self.among {
            field.borrow_mut().warm_translations();
        }
        self.repeat(WARM_CALLS.min(calls));
        let before = Presence::now();
        let start = self.stopwatch.now();
        self.repeat(calls);
        let nanos = self.stopwatch.nanos_since(start);
        Ok(Block { nanos, calls, disturbed: Presence::now() != before })
    }
}
