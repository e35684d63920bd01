//! What a loop repeats, and which loop is subtracted from it.

use crate::arch;
use crate::misses::Field;

/// A C function of two machine words and its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Call {
    /// Address of the function.
    pub function: usize,
    /// First argument.
    pub a: u64,
    /// Second argument.
    pub b: u64,
}

/// Ways to read the hardware counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// `rdtsc`; `mrs cntvct_el0`.
    Unordered,
    /// `rdtscp`; on arm64 the same as `Fenced`.
    Rdtscp,
    /// `lfence; rdtsc`; `isb; mrs cntvct_el0`.
    Fenced,
}

/// One operation that can be repeated in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Call a function through a pointer.
    Call(Call),
    /// Call a function that returns at once: the baseline of `Call`.
    EmptyCall,
    /// Enter the kernel with this number and two arguments.
    Syscall {
        /// The system call's number.
        number: u64,
        /// First argument.
        a: u64,
        /// Second argument.
        b: u64,
    },
    /// The moves around a system call: the baseline of `Syscall`.
    SyscallShape,
    /// Read the counter inline.
    Counter(Counter),
    /// The moves around a reading: the baseline of `Counter`.
    CounterShape,
    /// The fence that an ordered reading needs, as a function; timed among misses.
    Fence,
    /// Sixteen dependent multiplications a round.
    Multiply16,
    /// Thirty-two: twice `Multiply16`, the known answer.
    Multiply32,
    /// Sixteen times four independent additions a round: fills the core.
    Wide,
}

impl Op {
    /// The loop of the same shape that does nothing, if this one has a price of its own.
    pub fn baseline(self) -> Option<Op> {
        match self {
            Op::Call(_) | Op::Fence => Some(Op::EmptyCall),
            Op::Syscall { .. } => Some(Op::SyscallShape),
            Op::Counter(_) => Some(Op::CounterShape),
            Op::EmptyCall
            | Op::SyscallShape
            | Op::CounterShape
            | Op::Multiply16
            | Op::Multiply32
            | Op::Wide => None,
        }
    }

    /// Repeats the operation `rounds` × [`crate::UNROLL`] times.
    ///
    /// # Safety
    /// A function or system call named by the operation must be callable with its arguments, any
    /// number of times; a counter must be readable by this process.
    pub unsafe fn repeat(self, rounds: u64) {
        // SAFETY: the caller vouches for what is called.
        unsafe {
            match self {
                Op::Call(Call { function, a, b }) => arch::call(function, a, b, rounds),
                Op::EmptyCall => arch::call(empty as *const () as usize, 0, 0, rounds),
                Op::Fence => arch::call(arch::fence as *const () as usize, 0, 0, rounds),
                Op::Syscall { number, a, b } => arch::syscall(number, a, b, rounds),
                Op::SyscallShape => arch::syscall_shape(0, 0, 0, rounds),
                Op::Counter(Counter::Unordered) => arch::counter(rounds),
                Op::Counter(Counter::Rdtscp) => arch::counter_rdtscp(rounds),
                Op::Counter(Counter::Fenced) => arch::counter_fenced(rounds),
                Op::CounterShape => arch::counter_shape(rounds),
                Op::Multiply16 => arch::multiply_16(rounds),
                Op::Multiply32 => arch::multiply_32(rounds),
                Op::Wide => arch::wide(rounds),
            }
        }
    }

    /// Does the operation once, as a call through a pointer whatever it is: then an empty call has
    /// the same shape.
    ///
    /// # Safety
    /// As for [`Op::repeat`].
    #[inline(always)]
    pub unsafe fn once(self) {
        let mut arguments = [0; 3];
        let Call { function, a, b } = self.as_call(&mut arguments);
        // SAFETY: the caller vouches for what is called; `arguments` outlives the call.
        unsafe {
            core::mem::transmute::<usize, extern "C" fn(u64, u64) -> i64>(function)(a, b);
        }
    }

    /// Repeats the operation `iterations` times, each after starting `misses` independent loads
    /// from `field`. Every operation is a call through a pointer here, so that
    /// [`Op::EmptyCall`] is the baseline of all.
    ///
    /// # Safety
    /// As for [`Op::repeat`].
    pub unsafe fn repeat_among(self, field: &mut Field, misses: u32, iterations: u64) {
        let mut arguments = [0; 3];
        let call = self.as_call(&mut arguments);
        // SAFETY: the caller vouches for what is called; `arguments` outlives the loop.
        unsafe { field.call_among(misses, call, iterations) }
    }

    /// The operation as a call through a pointer; `arguments` holds what two words cannot.
    fn as_call(self, arguments: &mut [u64; 3]) -> Call {
        let of = |function: extern "C" fn(u64, u64) -> i64| Call {
            function: function as *const () as usize,
            a: 0,
            b: 0,
        };
        match self {
            Op::Call(call) => call,
            Op::Counter(Counter::Unordered) => of(arch::read_counter),
            Op::Counter(Counter::Rdtscp) => of(arch::read_counter_rdtscp),
            Op::Counter(Counter::Fenced) => of(arch::read_counter_fenced),
            Op::Fence => of(arch::fence),
            Op::Syscall { number, a, b } => {
                *arguments = [number, a, b];
                Call {
                    function: syscall_function as *const () as usize,
                    a: arguments.as_ptr() as u64,
                    b: 0,
                }
            }
            Op::EmptyCall
            | Op::SyscallShape
            | Op::CounterShape
            | Op::Multiply16
            | Op::Multiply32
            | Op::Wide => of(empty),
        }
    }
}

/// Returns at once.
extern "C" fn empty(_: u64, _: u64) -> i64 {
    0
}

/// A system call as a function of a pointer to its number and two arguments.
extern "C" fn syscall_function(arguments: *const [u64; 3], _: u64) -> i64 {
    // SAFETY: only reached through `Op::repeat_among`, which passes a living array and whose
    // caller vouches for the system call.
    unsafe {
        let [number, a, b] = *arguments;
        arch::raw_syscall(number, a, b, 0)
    }
}
