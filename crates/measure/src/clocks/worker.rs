//! A child process that runs blocks on request: started with its pipes, never waited for without
//! a limit, and ended with its owner.

use crate::sys;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running child and the pipes to it.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    to: Option<File>,
    from: File,
}

/// A pipe; both ends are closed on exec.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two descriptors, which are owned from here on.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// Lets the child that `command` starts keep these descriptors, under the same numbers.
pub(crate) fn inherit(command: &mut Command, kept: Vec<RawFd>) {
    // SAFETY: fcntl is safe to call between fork and exec.
    unsafe {
        command.pre_exec(move || {
            for &fd in &kept {
                if libc::fcntl(fd, libc::F_SETFD, 0) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
}

impl Worker {
    /// Starts `command` with pipes of its own beside standard input and output, which are closed.
    pub(crate) fn beside(
        mut command: Command,
        names: impl Fn(RawFd, RawFd) -> String,
        variable: &str,
    ) -> io::Result<Worker> {
        let (request_end, to) = pipe()?;
        let (from, reply_end) = pipe()?;
        command.env(variable, names(request_end.as_raw_fd(), reply_end.as_raw_fd()));
        inherit(&mut command, vec![request_end.as_raw_fd(), reply_end.as_raw_fd()]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn()?;
        Ok(Worker { child, to: Some(to.into()), from: from.into() })
    }

    /// Starts `command` and talks to its standard input and output.
    pub(crate) fn on_standard_streams(mut command: Command) -> io::Result<Worker> {
        let (request_end, to) = pipe()?;
        let (from, reply_end) = pipe()?;
        command.stdin(request_end).stdout(reply_end).stderr(Stdio::null());
        let child = command.spawn()?;
        Ok(Worker { child, to: Some(to.into()), from: from.into() })
    }

    /// Moves all threads that the child has now to one CPU.
    pub(crate) fn pin_all_threads(&self, cpu: u32) {
        let set = sys::CpuSet::of(&[cpu]);
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        for thread in threads.into_iter().flatten().flatten() {
            if let Some(id) = thread.file_name().to_str().and_then(|name| name.parse().ok()) {
                // A thread that ended meanwhile needs no place.
                let _ = sys::set_affinity_of(id, &set);
            }
        }
    }

    /// Sends all of `bytes`.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        let to = self.to.as_mut().ok_or("already ended")?;
        to.write_all(bytes).map_err(|_| self.how_it_ended())
    }

    /// Receives exactly as many bytes as `into` holds, within `limit`.
    pub(crate) fn receive(&mut self, into: &mut [u8], limit: Duration) -> Result<(), String> {
        let deadline = Instant::now() + limit;
        let mut have = 0;
        while have < into.len() {
            have += self.some(&mut into[have..], deadline, limit)?;
        }
        Ok(())
    }

    /// Receives a line without its end, within `limit`. A line of over 64 KiB is no answer.
    pub(crate) fn receive_line(&mut self, limit: Duration) -> Result<String, String> {
        let deadline = Instant::now() + limit;
        let mut line = Vec::new();
        let mut byte = [0u8; 1];
        loop {
            self.some(&mut byte, deadline, limit)?;
            match byte[0] {
                b'\n' => return Ok(String::from_utf8_lossy(&line).into_owned()),
                _ if line.len() > 65_536 => return Err("it answered without end".into()),
                b => line.push(b),
            }
        }
    }

    fn some(
        &mut self,
        into: &mut [u8],
        deadline: Instant,
        limit: Duration,
    ) -> Result<usize, String> {
        let left = deadline.saturating_duration_since(Instant::now());
        if !readable(self.from.as_raw_fd(), left) {
            let _ = self.child.kill();
            return Err(format!("no answer within {} s; it was ended", limit.as_secs_f64()));
        }
        match self.from.read(into) {
            Ok(0) => Err(self.how_it_ended()),
            Ok(n) => Ok(n),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Why the other side of the pipe is gone.
    fn how_it_ended(&mut self) -> String {
        match wait_briefly(&mut self.child) {
            Some(status) => format!("it ended with {status}"),
            None => "it closed its pipe but goes on; it was ended".into(),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The end of its input is the word to go.
        self.to = None;
        if wait_briefly(&mut self.child).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn wait_briefly(child: &mut Child) -> Option<std::process::ExitStatus> {
    let deadline = Instant::now() + Duration::from_millis(500);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            _ => return None,
        }
    }
}

/// Waits until `fd` can be read or has ended; `false` when `limit` is over.
fn readable(fd: RawFd, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let millis = left.as_millis().min(i32::MAX as u128) as i32;
        // SAFETY: one pollfd, as said.
        match unsafe { libc::poll(&mut poll, 1, millis) } {
            1.. => return true,
            0 => return false,
            _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            _ => return false,
        }
    }
}
