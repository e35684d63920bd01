//! The proof for kernels without Syscall User Dispatch: a child puts a seccomp filter on itself
//! that makes the clock's system calls a SIGSYS (SECCOMP_RET_TRAP, seccomp(2)).

use super::Call;
use super::trap::{self, Handler, Trap};
use crate::clocks::pipe;
use std::io::{self, Read};
use std::os::fd::AsRawFd;

/// The filter's actions and classic BPF opcodes (include/uapi/linux/{seccomp,bpf_common}.h).
const TRAP: u32 = 0x0003_0000;
const ALLOW: u32 = 0x7fff_0000;
const LOAD_WORD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;

/// One trap as it travels through the pipe; a number of −1 says that there was none.
const RECORD: usize = 16;

/// Makes each call in a child with the clocks' system calls trapped.
pub(super) fn trap_each(calls: &[Call]) -> Result<Vec<Option<Trap>>, String> {
    let (from, to) = pipe().map_err(|e| format!("pipe: {e}"))?;
    let program = filter();
    // SAFETY: the child only makes system calls and touches memory that was there before, as a
    // child of a threaded process must; it ends by `_exit`.
    match unsafe { libc::fork() } {
        -1 => Err(format!("fork: {}", io::Error::last_os_error())),
        0 => {
            let done = in_child(calls, &program, to.as_raw_fd());
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(i32::from(!done)) }
        }
        child => {
            drop(to);
            let mut answer = Vec::new();
            let mut limited = std::fs::File::from(from).take((calls.len() * RECORD) as u64);
            let read = limited.read_to_end(&mut answer);
            let mut status = 0;
            // SAFETY: waits for the child forked above.
            unsafe { libc::waitpid(child, &mut status, 0) };
            read.map_err(|e| e.to_string())?;
            decode(&answer, calls.len())
                .ok_or_else(|| "seccomp is not to be had in a child (no_new_privs, filter)".into())
        }
    }
}

fn decode(answer: &[u8], calls: usize) -> Option<Vec<Option<Trap>>> {
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).ok();
    let traps = answer.chunks_exact(RECORD).map(|record| {
        let (number, address) = (word(&record[..8])? as i64, word(&record[8..])? as usize);
        Some((number >= 0).then_some(Trap { address, number }))
    });
    traps.collect::<Option<Vec<_>>>().filter(|traps| traps.len() == calls)
}

/// Trap the clocks' calls, allow all others. Only the number is looked at: the child makes no
/// calls of another architecture.
fn filter() -> Vec<libc::sock_filter> {
    let clocks = [
        libc::SYS_clock_gettime,
        libc::SYS_gettimeofday,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_time,
    ];
    let statement = |code, k| libc::sock_filter { code, jt: 0, jf: 0, k };
    // The number is the first word of struct seccomp_data.
    let mut program = vec![statement(LOAD_WORD, 0)];
    for (index, &number) in clocks.iter().enumerate() {
        // On a match over the remaining tests and the ALLOW to the TRAP.
        let jt = (clocks.len() - index) as u8;
        program.push(libc::sock_filter { code: JUMP_IF_EQUAL, jt, jf: 0, k: number as u32 });
    }
    program.push(statement(RETURN, ALLOW));
    program.push(statement(RETURN, TRAP));
    program
}

/// In the child: `false` where the filter is refused.
fn in_child(calls: &[Call], program: &[libc::sock_filter], to: i32) -> bool {
    let Ok(_handler) = Handler::install(false) else { return false };
    let filter =
        libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    let zero: libc::c_ulong = 0;
    let one: libc::c_ulong = 1;
    // SAFETY: the filter lives until the child ends; both calls bind this child alone.
    let refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, one, zero, zero, zero) != 0
            || libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER as libc::c_ulong,
                &filter as *const libc::sock_fprog,
                zero,
                zero,
            ) != 0
    };
    if refused {
        return false;
    }
    let mut into = [0i64; 2];
    for call in calls {
        trap::arm();
        call.make(&mut into);
        let trap = trap::seen().unwrap_or(Trap { address: 0, number: -1 });
        let mut record = [0u8; RECORD];
        record[..8].copy_from_slice(&trap.number.to_ne_bytes());
        record[8..].copy_from_slice(&(trap.address as u64).to_ne_bytes());
        if toll_loops::sys::write(to, &record) != RECORD as i64 {
            return false;
        }
    }
    true
}
