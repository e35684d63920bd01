//! The loops for arm64. CNTVCT_EL0 stands where x86-64 has the TSC; `isb` is its fence.
//!
//! The loop's own state lives in registers that the AAPCS64 lets a callee keep (x20 to x23).

use core::arch::asm;

/// `rounds` × 16 times: `f(a, b)`.
///
/// # Safety
/// `f` must be the address of a function that follows the C ABI and may be called with `a` and `b`
/// as its first two arguments, any number of times.
#[inline(never)]
pub(crate) unsafe fn call(f: usize, a: u64, b: u64, rounds: u64) {
    if rounds == 0 {
        return;
    }
    // SAFETY: the caller vouches for `f`; registers that a C function may change are declared.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            ".rept 16",
            "mov x0, x21",
            "mov x1, x22",
            "blr x20",
            ".endr",
            "subs x23, x23, #1",
            "b.ne 2b",
            inout("x20") f => _,
            inout("x21") a => _,
            inout("x22") b => _,
            inout("x23") rounds => _,
            clobber_abi("C"),
        );
    }
}

/// `rounds` × 16 times: the system call `number` with arguments `a` and `b`.
///
/// # Safety
/// The system call must be harmless with these arguments, any number of times.
#[inline(never)]
pub(crate) unsafe fn syscall(number: u64, a: u64, b: u64, rounds: u64) {
    if rounds == 0 {
        return;
    }
    // SAFETY: the caller vouches for the call; the kernel changes only x0.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            ".rept 16",
            "mov x8, x20",
            "mov x0, x21",
            "mov x1, x22",
            "svc #0",
            ".endr",
            "subs x23, x23, #1",
            "b.ne 2b",
            inout("x20") number => _,
            inout("x21") a => _,
            inout("x22") b => _,
            inout("x23") rounds => _,
            out("x8") _, out("x0") _, out("x1") _,
            options(nostack),
        );
    }
}

/// The shape of [`syscall`] without the instruction that gives it its price.
#[inline(never)]
pub(crate) fn syscall_shape(number: u64, a: u64, b: u64, rounds: u64) {
    if rounds == 0 {
        return;
    }
    // SAFETY: moves between registers that are declared.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            ".rept 16",
            "mov x8, x20",
            "mov x0, x21",
            "mov x1, x22",
            ".endr",
            "subs x23, x23, #1",
            "b.ne 2b",
            inout("x20") number => _,
            inout("x21") a => _,
            inout("x22") b => _,
            inout("x23") rounds => _,
            out("x8") _, out("x0") _, out("x1") _,
            options(nostack, nomem),
        );
    }
}

macro_rules! loop_of {
    ($(#[$doc:meta])* $name:ident, $($instruction:literal),*) => {
        $(#[$doc])*
        #[inline(never)]
        pub(crate) fn $name(rounds: u64) {
            if rounds == 0 {
                return;
            }
            // SAFETY: touches nothing but registers that are declared.
            unsafe {
                asm!(
                    ".p2align 5",
                    "2:",
                    ".rept 16",
                    $($instruction,)*
                    ".endr",
                    "subs {n}, {n}, #1",
                    "b.ne 2b",
                    n = inout(reg) rounds => _,
                    out("x9") _, out("x10") _, out("x11") _, out("x12") _,
                    options(nostack, nomem),
                );
            }
        }
    };
}

loop_of!(
    /// 16 readings of the virtual counter without order.
    counter, "mrs x9, cntvct_el0"
);
loop_of!(
    /// 16 readings, each behind an `isb`.
    counter_fenced, "isb", "mrs x9, cntvct_el0"
);
loop_of!(
    /// arm64 has one ordered reading; this is [`counter_fenced`] again.
    counter_rdtscp, "isb", "mrs x9, cntvct_el0"
);
loop_of!(
    /// The shape of the counter loops without the reading.
    counter_shape, "mov x9, #0"
);
loop_of!(
    /// 16 multiplications, each waiting for the one before it.
    multiply_16, "mul x9, x9, x9"
);
loop_of!(
    /// 32 of them: must take twice as long as [`multiply_16`].
    multiply_32, "mul x9, x9, x9", "mul x9, x9, x9"
);
loop_of!(
    /// 64 additions, of which four at a time wait for nothing: what the core can issue in a cycle
    /// bounds them.
    wide, "add x9, x9, #1", "add x10, x10, #1", "add x11, x11, #1", "add x12, x12, #1"
);

fn cntvct() -> i64 {
    let ticks: i64;
    // SAFETY: reads a counter that Linux opens to user space.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

/// One unordered reading, as a function of the shape that [`call`] calls.
pub(crate) extern "C" fn read_counter(_: u64, _: u64) -> i64 {
    cntvct()
}

/// arm64 has one ordered reading; this is [`read_counter_fenced`] again.
pub(crate) extern "C" fn read_counter_rdtscp(a: u64, b: u64) -> i64 {
    read_counter_fenced(a, b)
}

/// One reading behind an `isb`, likewise.
pub(crate) extern "C" fn read_counter_fenced(_: u64, _: u64) -> i64 {
    fence(0, 0);
    cntvct()
}

/// The fence alone.
pub(crate) extern "C" fn fence(_: u64, _: u64) -> i64 {
    // SAFETY: ISB orders instructions and has no other effect.
    unsafe { asm!("isb", options(nostack)) };
    0
}

/// A system call with six arguments.
///
/// # Safety
/// As the system call asks for.
pub(crate) unsafe fn raw_syscall_6(number: u64, args: [u64; 6]) -> i64 {
    let result;
    // SAFETY: the caller vouches for the call; the kernel changes only what is declared.
    unsafe {
        asm!(
            "svc #0",
            in("x8") number,
            inout("x0") args[0] as i64 => result,
            in("x1") args[1], in("x2") args[2], in("x3") args[3], in("x4") args[4], in("x5") args[5],
            options(nostack),
        );
    }
    result
}

/// A system call with up to three arguments.
///
/// # Safety
/// As the system call asks for.
pub(crate) unsafe fn raw_syscall(number: u64, a: u64, b: u64, c: u64) -> i64 {
    // SAFETY: passed on.
    unsafe { raw_syscall_6(number, [a, b, c, 0, 0, 0]) }
}
