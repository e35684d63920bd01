//! Who answers a clock: what trapping system calls during one call of the vDSO showed.

use toll_model::Run;
use toll_model::probe::FallbackOutcome;

/// What the trap showed for one clock.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Proof {
    /// It left the vDSO for a system call; says where.
    Left(String),
    /// It was answered in the vDSO.
    Stayed(String),
    /// There is no proof, because of this.
    None(String),
}

/// The proof for `clock`.
pub(crate) fn of(run: &Run, clock: &str) -> Proof {
    let Some(fallback) = run.probes.vdso_fallbacks.iter().find(|f| f.clock == clock) else {
        return Proof::None(format!("{clock} was not called with system calls trapped"));
    };
    match (fallback.outcome.known(), fallback.outcome.reason()) {
        (Some(seen), _) if seen.trapped => Proof::Left(trapped(clock, seen)),
        (Some(seen), _) => Proof::Stayed(format!(
            "{clock} is answered in the vDSO ({} trapped nothing)",
            method(seen)
        )),
        (None, why) => Proof::None(format!("{clock}: {}", why.unwrap_or("no outcome"))),
    }
}

/// Where `clock` was trapped, for a list: `CLOCK_TAI at vdso+0xb11`.
pub(crate) fn place(run: &Run, clock: &str) -> String {
    let seen = run.probes.vdso_fallbacks.iter().find(|f| f.clock == clock);
    match seen.and_then(|f| f.outcome.known()?.vdso_offset) {
        Some(offset) => format!("{clock} at vdso+{offset:#x}"),
        None => clock.into(),
    }
}

fn trapped(clock: &str, seen: &FallbackOutcome) -> String {
    let place = match seen.vdso_offset {
        Some(offset) => format!("at vdso+{offset:#x}"),
        None => "outside the vDSO".into(),
    };
    let number = seen.syscall.map(|n| format!(", system call {n}")).unwrap_or_default();
    format!("{clock} leaves the vDSO for the kernel (trapped {place} by {}{number})", method(seen))
}

fn method(seen: &FallbackOutcome) -> &str {
    match seen.method.as_str() {
        "syscall-user-dispatch" => "Syscall User Dispatch",
        other => other,
    }
}
