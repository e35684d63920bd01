//! A team of threads or processes that all do the same for the length of a slice.

use super::table::{SEATS, Seat, Table, wait, wake};
use crate::clocks::{Clock, PathTo, native_op};
use crate::engine::{Block, Stopwatch};
use crate::error::MeasureError;
use crate::sys::{self, CpuSet};
use std::hint::spin_loop;
use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use toll_loops::sys::Presence;
use toll_loops::{Op, UNROLL};

/// What the members are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Threads,
    Processes,
}

/// The part of a slice that may pass between two looks at the stopwatch: so many looks are under a
/// thousandth of it.
const LOOKS: u64 = 64;

/// A member that is this late does not come any more.
const LATE: Duration = Duration::from_secs(10);

/// The team, waiting for orders.
pub(super) struct Team {
    table: &'static Table,
    stopwatch: Stopwatch,
    /// Slice, in the stopwatch's unit.
    slice: u64,
    cpus: usize,
    threads: Vec<JoinHandle<()>>,
    children: Vec<libc::pid_t>,
}

/// What every member knows.
struct Briefing {
    table: &'static Table,
    stopwatch: Stopwatch,
}

/// So many times longer is a slice in which members take turns: each must get several.
const LONGER: u64 = 10;

impl Team {
    /// Starts `number` members, one after the other on `cpus`, round and round.
    ///
    /// A thread makes its own operations out of `clocks` (the first three of `ops` need no making),
    /// so that no two write the time to the same place; a process has its own memory.
    pub(super) fn start(
        kind: Kind,
        number: u32,
        cpus: &[u32],
        ops: &[Op],
        clocks: &[(Clock, PathTo)],
        stopwatch: Stopwatch,
        slice: Duration,
    ) -> Result<Team, MeasureError> {
        let failed = |what: &str, error: io::Error| {
            MeasureError::Stopwatch(format!("a team of {number}: {what}: {error}"))
        };
        let table = Table::new().ok_or_else(|| failed("mmap", io::Error::last_os_error()))?;
        let ticks = slice.as_nanos() as f64 / stopwatch.nanos(1_000_000) * 1e6;
        let briefing = || Briefing { table, stopwatch };
        let (mut threads, mut children) = (Vec::new(), Vec::new());
        for seat in 0..(number as usize).min(SEATS) {
            let cpu = cpus[seat % cpus.len()];
            match kind {
                Kind::Threads => {
                    let (briefing, clocks, ready) =
                        (briefing(), clocks.to_vec(), ops[..3].to_vec());
                    let member = std::thread::Builder::new().spawn(move || {
                        let own = clocks.iter().filter_map(|&(c, p)| native_op(c, p).ok());
                        let ops: Vec<Op> = ready.into_iter().chain(own).collect();
                        briefing.serve(seat, cpu, &ops);
                    });
                    threads.push(member.map_err(|error| failed("thread", error))?);
                }
                Kind::Processes => {
                    let briefing = briefing();
                    // SAFETY: the child touches only memory that is there, makes system calls
                    // and ends by `_exit`: it allocates nothing and runs no destructors.
                    match unsafe { libc::fork() } {
                        -1 => return Err(failed("fork", io::Error::last_os_error())),
                        0 => {
                            die_with_parent();
                            briefing.serve(seat, cpu, ops);
                            // SAFETY: ends the child.
                            unsafe { libc::_exit(0) }
                        }
                        child => children.push(child),
                    }
                }
            }
        }
        let slice = ticks as u64;
        let team = Team { table, stopwatch, slice, cpus: cpus.len(), threads, children };
        team.check_seats(number as usize, cpus)?;
        Ok(team)
    }

    /// Whether everybody sits on the CPU meant for them.
    fn check_seats(&self, number: usize, cpus: &[u32]) -> Result<(), MeasureError> {
        let deadline = Instant::now() + LATE;
        for seat in 0..number.min(SEATS) {
            let refused = &self.table.seats[seat].refused;
            let mut word = refused.load(Acquire);
            while word == NOT_SEATED && Instant::now() < deadline {
                std::thread::sleep(Duration::from_micros(200));
                word = refused.load(Acquire);
            }
            if word != SEATED {
                let cpu = cpus[seat % cpus.len()];
                let why = match word {
                    NOT_SEATED => "its member did not start".into(),
                    errno => io::Error::from_raw_os_error(errno as i32).to_string(),
                };
                let usable = sys::affinity().map(|set| set.list()).unwrap_or_default();
                let usable = toll_host::cpu_list::format(&usable);
                return Err(MeasureError::Cpu { cpu, why, usable });
            }
        }
        Ok(())
    }

    /// Lets `number` members do the operation for one slice. The block holds the mean of the members:
    /// its cost per call is that of one of them, and `number` over that is the rate of all.
    pub(super) fn slice(&mut self, op: usize, number: u32) -> Result<Block, String> {
        let Table { orders, meeting, seats } = self.table;
        orders.number.store(number, Relaxed);
        orders.op.store(op as u32, Relaxed);
        let turns = number as usize > self.cpus;
        orders.slice.store(if turns { self.slice * LONGER } else { self.slice }, Relaxed);
        meeting.arrived.store(0, Relaxed);
        meeting.done.store(0, Relaxed);
        self.table.call();
        let deadline = Instant::now() + LATE;
        loop {
            match meeting.done.load(Acquire) {
                done if done >= number => break,
                done => wait(&meeting.done, done, Duration::from_millis(100)),
            }
            if Instant::now() > deadline {
                return Err(format!("of {number} members some did not come back in time"));
            }
        }
        let seats = &seats[..number as usize];
        let of = |field: fn(&Seat) -> &AtomicU64| seats.iter().map(move |s| field(s).load(Relaxed));
        if of(|s| &s.calls).any(|calls| calls == 0) {
            return Err("the operation is not to be had in a member".into());
        }
        let calls = of(|s| &s.calls).sum::<u64>() / u64::from(number);
        let nanos = if turns {
            // All calls over the time in which anybody worked: they did not work at once.
            let began = of(|s| &s.span[0]).min().unwrap_or(0);
            of(|s| &s.span[1]).max().unwrap_or(0).saturating_sub(began) as f64
        } else {
            // They did: the sum of their own rates, free of who came a little later.
            let rate = |(calls, elapsed)| calls as f64 / self.stopwatch.nanos(elapsed);
            let rates = of(|s| &s.calls).zip(of(|s| &s.elapsed)).map(rate).sum::<f64>();
            calls as f64 * f64::from(number) / rates
        };
        // Those who take turns are switched out by the nature of things.
        let disturbed = !turns && of(|s| &s.disturbed).any(|times| times > 0);
        Ok(Block { nanos, calls, disturbed })
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.table.orders.over.store(1, Release);
        self.table.call();
        for thread in self.threads.drain(..) {
            // A member that panicked has said so.
            let _ = thread.join();
        }
        for &child in &self.children {
            // SAFETY: a child of this process that was not waited for yet; it has been told to go,
            // and nothing that it does takes long.
            unsafe {
                let mut status = 0;
                let deadline = Instant::now() + Duration::from_secs(1);
                while libc::waitpid(child, &mut status, libc::WNOHANG) == 0 {
                    if Instant::now() > deadline {
                        libc::kill(child, libc::SIGKILL);
                        libc::waitpid(child, &mut status, 0);
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
}

/// Values of `Seat::refused` before and after a member took its seat.
const NOT_SEATED: u32 = 0;
const SEATED: u32 = u32::MAX;

impl Briefing {
    /// What a member does until it is dismissed.
    fn serve(&self, number: usize, cpu: u32, ops: &[Op]) {
        let Table { orders, meeting, seats } = self.table;
        let seat = &seats[number];
        let mut epoch = orders.epoch.load(Acquire);
        match sys::set_affinity(&CpuSet::of(&[cpu])) {
            Ok(()) => seat.refused.store(SEATED, Release),
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(libc::EINVAL);
                seat.refused.store(errno as u32, Release);
                return;
            }
        }
        loop {
            while orders.epoch.load(Acquire) == epoch {
                wait(&orders.epoch, epoch, Duration::from_secs(1));
            }
            epoch = orders.epoch.load(Acquire);
            if orders.over.load(Acquire) != 0 {
                return;
            }
            let all = orders.number.load(Relaxed);
            if number >= all as usize {
                continue;
            }
            let op = ops.get(orders.op.load(Relaxed) as usize);
            if op.is_some() {
                meeting.arrived.fetch_add(1, AcqRel);
                self.meet(all);
            }
            let began = sys::monotonic_raw();
            let (calls, elapsed, disturbed) = op.map_or((0, 0, 0), |&op| self.work(op));
            seat.calls.store(calls, Relaxed);
            seat.elapsed.store(elapsed, Relaxed);
            seat.disturbed.store(disturbed, Relaxed);
            seat.span[0].store(began, Relaxed);
            seat.span[1].store(sys::monotonic_raw(), Relaxed);
            if meeting.done.fetch_add(1, AcqRel) + 1 >= all {
                wake(&meeting.done);
            }
        }
    }

    /// Waits until everybody is there; gives way where they must take turns to arrive.
    fn meet(&self, all: u32) {
        let (mut looks, began) = (0u32, Instant::now());
        while self.table.meeting.arrived.load(Acquire) < all {
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(1024) {
                std::thread::yield_now();
                // Who waits this long waits for somebody who is gone.
                if began.elapsed() > LATE {
                    return;
                }
            }
            spin_loop();
        }
    }

    fn work(&self, op: Op) -> (u64, u64, u64) {
        let slice = self.table.orders.slice.load(Relaxed);
        let before = Presence::now();
        let start = self.stopwatch.now();
        // Once round the loop first: a clock may cost 20 µs.
        let (mut calls, mut rounds, mut last) = (0, 1, 0);
        let elapsed = loop {
            // SAFETY: the operations of a plan were tried before (`native_op`).
            unsafe { op.repeat(rounds) };
            calls += rounds * UNROLL;
            let elapsed = self.stopwatch.now().wrapping_sub(start);
            if elapsed >= slice {
                break elapsed;
            }
            if elapsed - last < slice / LOOKS {
                rounds *= 2;
            }
            last = elapsed;
        };
        let after = Presence::now();
        let disturbed = (after.switches - before.switches) + u64::from(after.cpu != before.cpu);
        (calls, elapsed, disturbed)
    }
}

/// A child that outlives its parent would read clocks for ever.
fn die_with_parent() {
    // SAFETY: sets a property of the calling process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}
