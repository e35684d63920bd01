//! The object that toll preloads into a program of the host, to measure inside the host's own
//! libc: the static binary carries a libc of its own, and a price measured there would be another.
//!
//! Freestanding: no standard library, no libgcc, no thread-local storage, no symbol version. It
//! loads under glibc of any age and under musl alike. Without `TOLL_PROBE` in its environment it
//! does nothing; with it, it answers requests before the program's `main` and then ends the
//! process, so that nothing of the program itself ever runs.

#![no_std]

mod environment;
mod probe;

use core::ffi::{c_char, c_int};

/// Run by the dynamic loader before `main`. glibc passes the program's arguments and environment;
/// musl passes nothing, so the environment is read from the kernel's own copy.
extern "C" fn on_load(_argc: c_int, _argv: *const *const c_char, _env: *const *const c_char) {
    if let Some((input, output)) = environment::probe_descriptors() {
        probe::serve(input, output);
        toll_loops::sys::exit_group(0);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn(c_int, *const *const c_char, *const *const c_char) = on_load;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    toll_loops::sys::exit_group(125)
}
