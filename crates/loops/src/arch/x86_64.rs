//! The loops for x86-64.
//!
//! Arguments are loaded again before every call, since the callee may change their registers; the
//! loop's own state lives in registers that the System V ABI lets a callee keep (r12 to r15).

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
            "mov rdi, r13",
            "mov rsi, r14",
            "call r12",
            ".endr",
            "dec r15",
            "jnz 2b",
            inout("r12") f => _,
            inout("r13") a => _,
            inout("r14") b => _,
            inout("r15") rounds => _,
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
    // SAFETY: the caller vouches for the call; the kernel changes only rax, rcx and r11.
    unsafe {
        asm!(
            ".p2align 5",
            "2:",
            ".rept 16",
            "mov rax, r12",
            "mov rdi, r13",
            "mov rsi, r14",
            "syscall",
            ".endr",
            "dec r15",
            "jnz 2b",
            inout("r12") number => _,
            inout("r13") a => _,
            inout("r14") b => _,
            inout("r15") rounds => _,
            out("rax") _, out("rcx") _, out("r11") _, out("rdi") _, out("rsi") _,
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
            "mov rax, r12",
            "mov rdi, r13",
            "mov rsi, r14",
            ".endr",
            "dec r15",
            "jnz 2b",
            inout("r12") number => _,
            inout("r13") a => _,
            inout("r14") b => _,
            inout("r15") rounds => _,
            out("rax") _, out("rdi") _, out("rsi") _,
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
                    "dec {n}",
                    "jnz 2b",
                    n = inout(reg) rounds => _,
                    out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _,
                    options(nostack, nomem),
                );
            }
        }
    };
}

loop_of!(
    /// 16 readings of the TSC without order, each made one 64-bit value as a program needs it.
    counter, "rdtsc", "shl rdx, 32", "or rax, rdx"
);
loop_of!(
    /// 16 times `rdtscp`.
    counter_rdtscp, "rdtscp", "shl rdx, 32", "or rax, rdx"
);
loop_of!(
    /// 16 times `lfence; rdtsc`.
    counter_fenced, "lfence", "rdtsc", "shl rdx, 32", "or rax, rdx"
);
loop_of!(
    /// The shape of the counter loops without the reading.
    counter_shape, "shl rdx, 32", "or rax, rdx"
);
loop_of!(
    /// 16 multiplications, each waiting for the one before it.
    multiply_16, "imul rax, rax"
);
loop_of!(
    /// 32 of them: must take twice as long as [`multiply_16`].
    multiply_32, "imul rax, rax", "imul rax, rax"
);
loop_of!(
    /// 64 additions, of which four at a time wait for nothing: what the core can issue in a cycle
    /// bounds them.
    wide, "add rax, 1", "add rcx, 1", "add rdx, 1", "add rsi, 1"
);

/// One unordered reading, as a function of the shape that [`call`] calls.
pub(crate) extern "C" fn read_counter(_: u64, _: u64) -> i64 {
    // SAFETY: RDTSC reads a counter; toll checks beforehand that this process may.
    unsafe { core::arch::x86_64::_rdtsc() as i64 }
}

/// One `rdtscp`, likewise.
pub(crate) extern "C" fn read_counter_rdtscp(_: u64, _: u64) -> i64 {
    let mut aux = 0;
    // SAFETY: as above; `aux` is a place for the CPU's number.
    unsafe { core::arch::x86_64::__rdtscp(&mut aux) as i64 }
}

/// One `lfence; rdtsc`, likewise.
pub(crate) extern "C" fn read_counter_fenced(_: u64, _: u64) -> i64 {
    // SAFETY: as above.
    unsafe {
        core::arch::x86_64::_mm_lfence();
        core::arch::x86_64::_rdtsc() as i64
    }
}

/// The fence alone.
pub(crate) extern "C" fn fence(_: u64, _: u64) -> i64 {
    // SAFETY: LFENCE orders instructions and has no other effect.
    unsafe { core::arch::x86_64::_mm_lfence() };
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
            "syscall",
            inout("rax") number as i64 => result,
            in("rdi") args[0], in("rsi") args[1], in("rdx") args[2],
            in("r10") args[3], in("r8") args[4], in("r9") args[5],
            out("rcx") _, out("r11") _,
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
