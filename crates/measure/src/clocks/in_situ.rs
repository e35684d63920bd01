//! The price in situ: the same readings among independent cache misses, as in a program that is
//! bound by memory. A fenced reading also waits for what the CPU had in flight.

use super::clock::{Clock, PosixClock};
use super::idle::who_answers;
use super::libc_probe::InLibc;
use super::table::Table;
use super::{Field, Plan, Ways, native};
use crate::engine::{Local, SharedField, Stopwatch};
use toll_loops::Op;
use toll_model::{Path, ServedBy, Shape, Subject};

#[cfg(target_arch = "x86_64")]
const FENCE: &str = "lfence";
#[cfg(not(target_arch = "x86_64"))]
const FENCE: &str = "isb";

pub(super) fn add<'a>(
    table: &mut Table<'a>,
    plan: &Plan<'_>,
    ways: &Ways<'a>,
    field: &Field,
    stopwatch: &'a Stopwatch,
) {
    for &misses in &plan.in_situ.misses {
        let shape = Shape::Misses(misses);
        let bare = Subject::native("engine", "misses", Path::User, shape);
        let memory = match &field.memory {
            Ok(memory) => memory,
            Err(why) => {
                table.missing(bare, why);
                continue;
            }
        };
        let here = |op| Local::among(op, memory.clone(), misses, stopwatch);
        let baseline = table.row(bare, None, Ok(here(Op::EmptyCall)));
        table.note(baseline, format!("ns per iteration of {misses} misses, without a clock"));
        let fence = Subject::native("engine", FENCE, Path::UserOrdered, shape);
        let index = table.row(fence, baseline, Ok(here(Op::Fence)));
        table.note(index, "what the fence alone waits for");
        let among = Among { memory, misses, baseline, stopwatch };
        let libc = ways.libc.as_ref().ok().filter(|_| plan.in_situ.every_path).map(|probe| {
            let empty =
                InLibc { probe: probe.clone(), clock: None, misses: Some(misses), stopwatch };
            let index = table.baseline(empty);
            let subject = Subject::native("engine", "misses", Path::Libc, shape);
            table.show(index, subject, "the bare loop in the process where libc is measured");
            index
        });
        for &clock in &plan.in_situ.clocks {
            among.add_clock(table, clock, ways, libc, plan.in_situ.every_path);
        }
        if plan.in_situ.clocks.iter().any(|clock| clock.is_high_resolution()) {
            let name = Clock::Posix(PosixClock::Monotonic).name();
            let bench = native::Twin::new(Some((memory.clone(), misses)), stopwatch);
            let index = table.row(Subject::clock(name, Path::Twin, shape), baseline, bench);
            table.served(index, Some(ServedBy::User));
        }
    }
}

/// One shape of misses in this process.
struct Among<'f, 'a> {
    memory: &'f SharedField,
    misses: u32,
    baseline: Option<usize>,
    stopwatch: &'a Stopwatch,
}

impl<'a> Among<'_, 'a> {
    fn add_clock(
        &self,
        table: &mut Table<'a>,
        clock: Clock,
        ways: &Ways<'a>,
        libc_baseline: Option<usize>,
        every_path: bool,
    ) {
        let of = |path| Subject::clock(clock.name(), path, Shape::Misses(self.misses));
        let here = |op| Local::among(op, self.memory.clone(), self.misses, self.stopwatch);
        if clock.symbol().is_none() {
            let path = if clock == Clock::Counter { Path::User } else { Path::UserOrdered };
            let index = table.row(of(path), self.baseline, native::counter(clock).map(here));
            table.served(index, Some(ServedBy::User));
            return;
        }
        let answers = who_answers(clock, ways.fallbacks);
        let vdso = native::vdso(clock, ways.vdso).map(here);
        let vdso = table.row(of(Path::Vdso), self.baseline, vdso);
        table.served(vdso, answers);
        if !every_path {
            return;
        }
        let bench = ways.libc.as_ref().map_err(Clone::clone).map(|probe| InLibc {
            probe: probe.clone(),
            clock: Some(clock),
            misses: Some(self.misses),
            stopwatch: self.stopwatch,
        });
        let libc = table.row(of(Path::Libc), libc_baseline, bench);
        table.served(libc, answers);
        table.note(libc, "in its own process and memory: hold it against engine/misses/libc");
        let syscall = native::by_syscall(clock).map(here);
        let syscall = table.row(of(Path::Syscall), self.baseline, syscall);
        table.served(syscall, Some(ServedBy::Kernel));
    }
}
