//! Syscall User Dispatch (Documentation/admin-guide/syscall-user-dispatch.rst of Linux): a byte of
//! this process tells the kernel whether a system call of this thread passes or becomes a SIGSYS.

use super::Call;
use super::trap::{self, Handler, SELECTOR, Trap};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::Ordering::SeqCst;

const PR_SET_SYSCALL_USER_DISPATCH: libc::c_int = 59;
const OFF: libc::c_ulong = 0;
const ON: libc::c_ulong = 1;

/// The selector and the handler are the process's: one proof at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Makes each call with system calls trapped.
///
/// In a thread of its own: whatever the thread does between is trapped too, so no other signal may
/// reach it.
pub(super) fn trap_each(calls: &[Call]) -> Result<Vec<Option<Trap>>, String> {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let _handler = Handler::install(true)?;
    let calls = calls.to_vec();
    std::thread::spawn(move || in_own_thread(&calls))
        .join()
        .unwrap_or_else(|_| Err("the trapping thread panicked".into()))
}

fn in_own_thread(calls: &[Call]) -> Result<Vec<Option<Trap>>, String> {
    block_all_signals_but_sigsys();
    // SAFETY: the selector is a static; the kernel reads it until dispatch is switched off below.
    let set = |mode: libc::c_ulong, selector: *mut u8| unsafe {
        libc::prctl(
            PR_SET_SYSCALL_USER_DISPATCH,
            mode,
            0 as libc::c_ulong,
            0 as libc::c_ulong,
            selector,
        )
    };
    SELECTOR.store(0, SeqCst);
    if set(ON, SELECTOR.as_ptr()) != 0 {
        let error = std::io::Error::last_os_error();
        return Err(format!("Syscall User Dispatch (Linux 5.11, x86-64) is not here: {error}"));
    }
    let mut into = [0i64; 2];
    let traps = calls
        .iter()
        .map(|call| {
            trap::arm();
            SELECTOR.store(1, SeqCst);
            call.make(&mut into);
            SELECTOR.store(0, SeqCst);
            trap::seen()
        })
        .collect();
    set(OFF, ptr::null_mut());
    Ok(traps)
}

fn block_all_signals_but_sigsys() {
    // SAFETY: a mask on the stack; only this thread's own mask changes, and the thread ends soon.
    unsafe {
        let mut mask = MaybeUninit::<libc::sigset_t>::zeroed().assume_init();
        libc::sigfillset(&mut mask);
        libc::sigdelset(&mut mask, libc::SIGSYS);
        libc::pthread_sigmask(libc::SIG_SETMASK, &mask, ptr::null_mut());
    }
}
