//! Prices inside the host's own libc: a freestanding object, preloaded into a trivial program of
//! the host, runs the blocks there.
//!
//! Nothing is written to disk: the object lives in a memfd that the child inherits.

use super::clock::Clock;
use super::worker::{Worker, inherit};
use crate::engine::{Bench, Block, Stopwatch};
use std::cell::RefCell;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use toll_loops::remote::{Function, Reply, Request, VARIABLE};
use toll_model::host::Libc;

/// How long the child may take to load the object, and to run one block.
const LOADING: Duration = Duration::from_secs(2);
const BLOCK: Duration = Duration::from_secs(5);

/// The child in which libc is measured.
#[derive(Debug)]
pub(crate) struct LibcProbe {
    worker: Worker,
    field_bytes: u64,
}

/// Several benches share one child.
pub(crate) type SharedProbe = Rc<RefCell<LibcProbe>>;

impl LibcProbe {
    /// Starts `libc.program` with `object` preloaded. It inherits the caller's CPU.
    pub(crate) fn start(object: &[u8], libc: &Libc, field_bytes: u64) -> Result<Self, String> {
        let memory = in_memory(object).map_err(|e| format!("memfd_create: {e}"))?;
        let mut command = Command::new(&libc.program);
        // glibc and musl both open the path in the child, where the number is the same.
        command.env("LD_PRELOAD", format!("/proc/self/fd/{}", memory.as_raw_fd()));
        inherit(&mut command, vec![memory.as_raw_fd()]);
        let names = |input, output| format!("{input},{output}");
        let worker = Worker::beside(command, names, VARIABLE)
            .map_err(|e| format!("{} cannot be started: {e}", libc.program))?;
        let mut probe = LibcProbe { worker, field_bytes };
        match probe.reply(LOADING) {
            Ok(reply) if reply.status == Reply::HELLO => Ok(probe),
            Ok(_) => Err(format!("the object preloaded into {} answers nonsense", libc.program)),
            Err(why) => {
                Err(format!("the object could not be preloaded into {}: {why}", libc.program))
            }
        }
    }

    fn reply(&mut self, limit: Duration) -> Result<Reply, String> {
        let mut bytes = [0; size_of::<Reply>()];
        self.worker.receive(&mut bytes, limit)?;
        Ok(Reply::from_bytes(bytes))
    }
}

/// One function of libc, idle or among misses; `None` for the empty one.
pub(crate) struct InLibc<'a> {
    pub(crate) probe: SharedProbe,
    pub(crate) clock: Option<Clock>,
    pub(crate) misses: Option<u32>,
    pub(crate) stopwatch: &'a Stopwatch,
}

impl Bench for InLibc<'_> {
    fn run(&mut self, calls: u64) -> Result<Block, String> {
        let calls = calls.next_multiple_of(toll_loops::UNROLL);
        let (function, id) =
            self.clock.map_or(Some((Function::Empty, 0)), Clock::function).ok_or("not in libc")?;
        let probe = &mut *self.probe.borrow_mut();
        let request = Request {
            function: function as u32,
            clock: id,
            misses: self.misses.unwrap_or(Request::IDLE),
            by_counter: u32::from(self.stopwatch.calibration().is_some()),
            field_bytes: probe.field_bytes,
            warm: crate::engine::WARM_CALLS.min(calls),
            calls,
        };
        probe.worker.send(&request.to_bytes())?;
        let reply = probe.reply(BLOCK)?;
        match reply.status {
            0 => Ok(Block {
                nanos: self.stopwatch.nanos(reply.elapsed),
                calls,
                disturbed: reply.switches > 0 || reply.moved != 0,
            }),
            Reply::NO_FUNCTION => Err("this libc has no such function".into()),
            Reply::NO_MEMORY => Err("no memory to miss in".into()),
            Reply::CALL_FAILED => Err("libc's function returns an error for this clock".into()),
            other => Err(format!("the probe answers nonsense ({other})")),
        }
    }
}

fn in_memory(object: &[u8]) -> std::io::Result<OwnedFd> {
    // SAFETY: a name that ends in NUL; the descriptor is owned from here on.
    let fd = unsafe {
        let fd = libc::memfd_create(c"libtoll_shim.so".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(std::io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(fd)
    };
    let mut file = std::fs::File::from(fd);
    file.write_all(object)?;
    Ok(file.into())
}
