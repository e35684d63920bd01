//! Ctrl-C: the first one ends the measurement, the second one the program.

use crate::exit::Exit;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on SIGINT and SIGTERM set the flag that is returned; a second one ends the process at
/// once. To be called where something will look at the flag.
pub(crate) fn watch() -> &'static AtomicBool {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: `action` is a whole sigaction: zeroed is its empty state (no flags, empty mask),
        // and `on_signal` has the signature that `sa_sigaction` needs without SA_SIGINFO.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
            // Writes in progress go on as if nothing had happened.
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
    &STOP
}

/// Whether a signal has come.
pub(crate) fn came() -> bool {
    STOP.load(Ordering::Relaxed)
}

extern "C" fn on_signal(_: libc::c_int) {
    if STOP.swap(true, Ordering::Relaxed) {
        // SAFETY: _exit may be called from a signal handler; nothing of ours needs cleaning up.
        unsafe { libc::_exit(libc::c_int::from(Exit::Interrupted.code())) }
    }
}
