//! The handler of SIGSYS, and what it saw.

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicUsize, Ordering::SeqCst};
use toll_loops::sys::syscall;

/// A trapped system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Trap {
    /// Address of the instruction behind the `syscall`.
    pub(super) address: usize,
    /// Its number.
    pub(super) number: i64,
}

/// What Syscall User Dispatch asks before each system call: 0 lets it pass, 1 traps it.
pub(super) static SELECTOR: AtomicU8 = AtomicU8::new(0);
static HIT: AtomicBool = AtomicBool::new(false);
static ADDRESS: AtomicUsize = AtomicUsize::new(0);
static NUMBER: AtomicI64 = AtomicI64::new(0);
/// Whether the handler makes the trapped call itself: not under seccomp, where it would trap again.
static REISSUE: AtomicBool = AtomicBool::new(false);

/// The handler is in place; dropped, the one before is.
pub(super) struct Handler {
    before: libc::sigaction,
}

impl Handler {
    pub(super) fn install(reissue: bool) -> Result<Handler, String> {
        REISSUE.store(reissue, SeqCst);
        // SAFETY: a zeroed sigaction is one without flags and with an empty mask; the handler
        // touches nothing but atomics and its own arguments.
        unsafe {
            let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            let mut before = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            action.sa_sigaction = on_trap as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            if libc::sigaction(libc::SIGSYS, &action, &mut before) != 0 {
                return Err(format!("sigaction: {}", std::io::Error::last_os_error()));
            }
            Ok(Handler { before })
        }
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // SAFETY: puts back what was there.
        unsafe { libc::sigaction(libc::SIGSYS, &self.before, ptr::null_mut()) };
    }
}

/// Forgets what was seen.
pub(super) fn arm() {
    HIT.store(false, SeqCst);
}

/// What was seen since.
pub(super) fn seen() -> Option<Trap> {
    HIT.load(SeqCst).then(|| Trap { address: ADDRESS.load(SeqCst), number: NUMBER.load(SeqCst) })
}

/// `siginfo_t` of a SIGSYS, from `union __sifields` of include/uapi/asm-generic/siginfo.h.
#[repr(C)]
struct SigsysInfo {
    _signo_errno_code_padding: [i32; 4],
    call_address: usize,
    number: i32,
    _arch: u32,
}

extern "C" fn on_trap(_: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // From here on everything passes, the return from this handler first of all.
    SELECTOR.store(0, SeqCst);
    // SAFETY: the kernel passes both, and for a SIGSYS of its own `info` has this shape.
    unsafe {
        let info = &*info.cast::<SigsysInfo>();
        ADDRESS.store(info.call_address, SeqCst);
        NUMBER.store(i64::from(info.number), SeqCst);
        HIT.store(true, SeqCst);
        let registers = Registers(context.cast());
        let result = if REISSUE.load(SeqCst) {
            let [a, b, c] = registers.arguments();
            syscall(info.number as u64, a, b, c)
        } else {
            0
        };
        registers.set_result(result);
    }
}

/// The registers that the interrupted code will see again.
struct Registers(*mut libc::ucontext_t);

#[cfg(target_arch = "x86_64")]
impl Registers {
    unsafe fn arguments(&self) -> [u64; 3] {
        // SAFETY: the kernel's own context.
        let registers = unsafe { &(*self.0).uc_mcontext.gregs };
        [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX].map(|r| registers[r as usize] as u64)
    }

    unsafe fn set_result(&self, value: i64) {
        // SAFETY: the kernel's own context.
        unsafe { (*self.0).uc_mcontext.gregs[libc::REG_RAX as usize] = value };
    }
}

#[cfg(target_arch = "aarch64")]
impl Registers {
    unsafe fn arguments(&self) -> [u64; 3] {
        // SAFETY: the kernel's own context.
        let registers = unsafe { &(*self.0).uc_mcontext.regs };
        [registers[0], registers[1], registers[2]]
    }

    unsafe fn set_result(&self, value: i64) {
        // SAFETY: the kernel's own context.
        unsafe { (*self.0).uc_mcontext.regs[0] = value as u64 };
    }
}
