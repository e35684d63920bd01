//! The idle prices: each clock in a loop that does nothing else.

use super::clock::{Clock, PosixClock};
use super::libc_probe::InLibc;
use super::table::Table;
use super::{Plan, Ways, native};
use crate::engine::{Local, Stopwatch};
use toll_loops::Op;
use toll_model::probe::VdsoFallback;
use toll_model::{Path, ServedBy, Shape, Subject};

/// Indices of the loops that are subtracted.
struct Baselines {
    call: usize,
    syscall: usize,
    counter: usize,
    libc: Option<usize>,
}

pub(super) fn add<'a>(
    table: &mut Table<'a>,
    plan: &Plan<'_>,
    ways: &Ways<'a>,
    stopwatch: &'a Stopwatch,
) {
    let mut baseline = |op| table.baseline(Local::idle(op, stopwatch));
    let call = baseline(Op::EmptyCall);
    let syscall = baseline(Op::SyscallShape);
    let counter = baseline(Op::CounterShape);
    let libc = ways.libc.as_ref().ok().map(|probe| {
        let empty = InLibc { probe: probe.clone(), clock: None, misses: None, stopwatch };
        table.baseline(empty)
    });
    let baselines = Baselines { call, syscall, counter, libc };
    for &clock in &plan.clocks {
        if clock.symbol().is_some() {
            add_clock(table, clock, ways, &baselines, stopwatch);
        } else {
            let path = if clock == Clock::Counter { Path::User } else { Path::UserOrdered };
            let subject = Subject::clock(clock.name(), path, Shape::ONE);
            let bench = native::counter(clock).map(|op| Local::idle(op, stopwatch));
            let index = table.row(subject, Some(baselines.counter), bench);
            table.served(index, Some(ServedBy::User));
        }
    }
    if plan.clocks.iter().any(|clock| clock.is_high_resolution()) {
        let name = Clock::Posix(PosixClock::Monotonic).name();
        let subject = Subject::clock(name, Path::Twin, Shape::ONE);
        let bench = native::Twin::new(None, stopwatch);
        let index = table.row(subject, Some(baselines.call), bench);
        table.served(index, Some(ServedBy::User));
        table.note(index, "the vDSO's algorithm on the counter, rebuilt in this program");
    }
    let subject = Subject::native("crossing", "getppid", Path::Syscall, Shape::ONE);
    let bench = Ok(Local::idle(native::empty_syscall(), stopwatch));
    let index = table.row(subject, Some(baselines.syscall), bench);
    table.served(index, Some(ServedBy::Kernel));
}

fn add_clock<'a>(
    table: &mut Table<'a>,
    clock: Clock,
    ways: &Ways<'a>,
    baselines: &Baselines,
    stopwatch: &'a Stopwatch,
) {
    let of = |path| Subject::clock(clock.name(), path, Shape::ONE);
    let answers = who_answers(clock, ways.fallbacks);

    let bench = native::vdso(clock, ways.vdso).map(|op| Local::idle(op, stopwatch));
    let vdso = table.row(of(Path::Vdso), Some(baselines.call), bench);
    table.served(vdso, answers);

    let bench = ways.libc.as_ref().map_err(Clone::clone).map(|probe| InLibc {
        probe: probe.clone(),
        clock: Some(clock),
        misses: None,
        stopwatch,
    });
    let libc = table.row(of(Path::Libc), baselines.libc, bench);
    // libc asks the vDSO; that it got an answer there shows in the difference of the two rows.
    table.served(libc, answers);
    if let Some(found) = ways.host.libc.known() {
        let version = found.version.as_deref().unwrap_or("of unknown version");
        table.note(libc, format!("{} {version}, in {}", libc_name(found.kind), found.program));
    }

    let bench = native::by_syscall(clock).map(|op| Local::idle(op, stopwatch));
    let syscall = table.row(of(Path::Syscall), Some(baselines.syscall), bench);
    table.served(syscall, Some(ServedBy::Kernel));

    table.difference(of(Path::LibcMinusVdso), libc, vdso);
    table.difference(of(Path::SyscallMinusVdso), syscall, vdso);
}

fn libc_name(kind: toll_model::host::LibcKind) -> &'static str {
    match kind {
        toll_model::host::LibcKind::Glibc => "glibc",
        toll_model::host::LibcKind::Musl => "musl",
        toll_model::host::LibcKind::Other => "a libc",
    }
}

/// Who answers the vDSO's function, as the trap proved it.
pub(super) fn who_answers(clock: Clock, fallbacks: &[VdsoFallback]) -> Option<ServedBy> {
    let proof = fallbacks.iter().find(|f| f.clock == clock.name())?.outcome.known()?;
    Some(if proof.trapped { ServedBy::Kernel } else { ServedBy::Vdso })
}
