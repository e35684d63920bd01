//! Runs the blocks that toll asks for, on libc's own functions, and times them.

use core::ffi::{c_int, c_long, c_void};
use toll_loops::remote::{Function, Reply, Request};
use toll_loops::sys::{self, Presence};
use toll_loops::{Call, Field, Op, UNROLL};

/// `struct timespec` and `struct timeval` on 64-bit Linux: two longs.
type Time = [c_long; 2];

// Resolved by the dynamic loader to the libc that the program itself would call. The addresses are
// taken, so the loop calls libc's function itself and not a stub in between.
unsafe extern "C" {
    fn clock_gettime(clock: c_int, into: *mut Time) -> c_int;
    fn gettimeofday(into: *mut Time, zone: *mut c_void) -> c_int;
    fn time(into: *mut c_long) -> c_long;
}

/// `CLOCK_MONOTONIC_RAW`, the stopwatch where the counter is none.
const MONOTONIC_RAW: c_int = 4;

/// Answers requests until the other side closes the pipe.
///
/// The first reply comes unasked, so that toll knows the object was loaded at all.
pub(crate) fn serve(input: i32, output: i32) {
    let mut field = Lazy::Untried;
    if !(Reply { status: Reply::HELLO, ..Reply::default() }).send(output) {
        return;
    }
    while let Some(request) = Request::receive(input) {
        if !answer(&request, &mut field).send(output) {
            return;
        }
    }
}

/// The field of misses, mapped when first asked for.
enum Lazy {
    Untried,
    Missing,
    There(Field),
}

fn answer(request: &Request, field: &mut Lazy) -> Reply {
    let mut into: Time = [0; 2];
    let Some(op) = operation(request, &mut into) else {
        return Reply { status: Reply::NO_FUNCTION, ..Reply::default() };
    };
    if !works(request, &mut into) {
        return Reply { status: Reply::CALL_FAILED, ..Reply::default() };
    }
    if request.misses == Request::IDLE {
        let rounds = request.calls.div_ceil(UNROLL);
        // SAFETY: libc's functions may be called any number of times with these arguments; `into`
        // outlives the calls.
        let run = |calls: u64| unsafe { op.repeat(calls.div_ceil(UNROLL)) };
        run(request.warm);
        return timed(request, || run(rounds * UNROLL));
    }
    if matches!(field, Lazy::Untried) {
        *field = map_field(request.field_bytes).map_or(Lazy::Missing, Lazy::There);
    }
    let Lazy::There(field) = field else {
        return Reply { status: Reply::NO_MEMORY, ..Reply::default() };
    };
    field.warm_translations();
    // SAFETY: as above.
    let mut run = |calls| unsafe { op.repeat_among(field, request.misses, calls) };
    run(request.warm);
    timed(request, || run(request.calls))
}

fn operation(request: &Request, into: &mut Time) -> Option<Op> {
    let (function, a, b) = match request.function {
        f if f == Function::Empty as u32 => return Some(Op::EmptyCall),
        f if f == Function::ClockGettime as u32 => (
            clock_gettime as *const () as usize,
            u64::from(request.clock),
            into.as_mut_ptr() as u64,
        ),
        f if f == Function::Gettimeofday as u32 => {
            (gettimeofday as *const () as usize, into.as_mut_ptr() as u64, 0)
        }
        f if f == Function::Time as u32 => (time as *const () as usize, 0, 0),
        _ => return None,
    };
    Some(Op::Call(Call { function, a, b }))
}

/// Whether the function does its work: the price of a call that fails is no price.
fn works(request: &Request, into: &mut Time) -> bool {
    // SAFETY: libc's functions, called as their prototypes say.
    unsafe {
        match request.function {
            f if f == Function::ClockGettime as u32 => {
                clock_gettime(request.clock as c_int, into) == 0
            }
            f if f == Function::Gettimeofday as u32 => {
                gettimeofday(into, core::ptr::null_mut()) == 0
            }
            _ => true,
        }
    }
}

fn timed(request: &Request, run: impl FnOnce()) -> Reply {
    let now = || {
        if request.by_counter == 1 { toll_clock::ordered() } else { monotonic_raw() }
    };
    let before = Presence::now();
    let start = now();
    run();
    let elapsed = now().wrapping_sub(start);
    let after = Presence::now();
    Reply {
        status: 0,
        elapsed,
        switches: after.switches.wrapping_sub(before.switches),
        moved: u64::from(after.cpu != before.cpu),
    }
}

fn monotonic_raw() -> u64 {
    let mut into: Time = [0; 2];
    // SAFETY: libc writes a timespec into `into`.
    unsafe { clock_gettime(MONOTONIC_RAW, &mut into) };
    (into[0] as u64).wrapping_mul(1_000_000_000).wrapping_add(into[1] as u64)
}

/// Maps and touches memory for the field, and asks for huge pages as toll's own field does.
fn map_field(bytes: u64) -> Option<Field> {
    let base = sys::map_anonymous(bytes)?;
    // SAFETY: the mapping is as long as `bytes` and lives until the process ends.
    unsafe { Field::touched(base, bytes as usize) }
}
