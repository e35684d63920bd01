//! Memory-bound company for a call: independent cache misses in flight.

use crate::op::Call;
use core::hint::black_box;

/// Bytes in a cache line, and the distance of two loads that can miss separately.
const LINE: usize = 64;

/// A stretch of memory, much larger than the last-level cache, from which random lines are read.
#[derive(Debug)]
pub struct Field {
    base: *const u8,
    /// Lines − 1; the number of lines is a power of two.
    mask: u64,
    /// State of the xorshift generator that picks lines (Marsaglia 2003, 13/7/17).
    state: u64,
}

impl Field {
    /// A field over `length` bytes at `base`, rounded down to a power of two.
    ///
    /// # Safety
    /// The memory must be readable as long as the field lives.
    pub unsafe fn new(base: *const u8, length: usize) -> Option<Field> {
        let lines = (length / LINE).checked_ilog2().map(|bits| 1u64 << bits)?;
        Some(Field { base, mask: lines - 1, state: 0x9e37_79b9_7f4a_7c15 })
    }

    /// As [`Field::new`], on fresh memory: writes to every page, so that reading finds memory of
    /// its own behind each and not the kernel's one page of zeroes.
    ///
    /// # Safety
    /// The memory must be writable, and readable as long as the field lives.
    pub unsafe fn touched(base: *mut u8, length: usize) -> Option<Field> {
        const PAGE: usize = 4096;
        for offset in (0..length).step_by(PAGE) {
            // SAFETY: within the memory that the caller vouches for.
            unsafe { base.add(offset).write_volatile(1) };
        }
        // SAFETY: as above.
        unsafe { Field::new(base, length) }
    }

    /// Reads once from every 2 MiB. Where the field lies in huge pages, their translations are so
    /// brought back after another process ran: a block is too short to pay for them by itself.
    pub fn warm_translations(&mut self) {
        const HUGE_PAGE_LINES: usize = (2 << 20) / LINE;
        let mut sum = 0u64;
        for line in (0..=self.mask as usize).step_by(HUGE_PAGE_LINES) {
            // SAFETY: `line` is at most `mask`, so the load lies within the field.
            sum = sum.wrapping_add(u64::from(unsafe { *self.base.add(line * LINE) }));
        }
        black_box(sum);
    }

    /// `iterations` times: `misses` independent loads, then `call`. See [`crate::Op::repeat_among`].
    ///
    /// # Safety
    /// `call` must be callable, any number of times.
    pub(crate) unsafe fn call_among(&mut self, misses: u32, call: Call, iterations: u64) {
        // SAFETY: the caller vouches for the call.
        unsafe {
            match misses {
                0 => self.run::<0>(call, iterations),
                1 => self.run::<1>(call, iterations),
                2 => self.run::<2>(call, iterations),
                4 => self.run::<4>(call, iterations),
                8 => self.run::<8>(call, iterations),
                16 => self.run::<16>(call, iterations),
                // Only these shapes exist: a loop with a variable count would be another loop.
                _ => {}
            }
        }
    }

    /// How many misses per call there is a loop for.
    pub const SHAPES: [u32; 6] = [0, 1, 2, 4, 8, 16];

    #[inline(never)]
    unsafe fn run<const MISSES: usize>(&mut self, call: Call, iterations: u64) {
        // SAFETY: the caller vouches for `call.function`.
        let function: extern "C" fn(u64, u64) -> i64 =
            unsafe { core::mem::transmute::<usize, _>(call.function) };
        let (mut state, mut sum) = (self.state, 0u64);
        for _ in 0..iterations {
            for _ in 0..MISSES {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let line = (state & self.mask) as usize;
                // SAFETY: `line` is at most `mask`, so the load lies within the field.
                sum = sum.wrapping_add(u64::from(unsafe { *self.base.add(line * LINE) }));
            }
            sum = sum.wrapping_add(function(call.a, call.b) as u64);
        }
        black_box(sum);
        self.state = state;
    }
}
