//! Whether the TSC can be trusted here: every piece of evidence, strongest first.
//!
//! The order is that of [`EvidenceKind`]. A demotion by the kernel, or the absence of `tsc` from
//! the clocksources that may be chosen, is final; the rest is weighed by whoever reads it.

mod adjust;
mod frequency;
mod hypervisor;

use crate::clocksource::lost_beginning;
use crate::cpu_info::Info;
use crate::cpuid::{self, Leaves};
use crate::kernel::parameter;
use crate::kernel_log::{KernelLog, is_delay, is_trouble};
use crate::missing::Missing;
use crate::roots::Roots;
use toll_model::Fact;
use toll_model::host::{Clocksource, EvidenceKind as Kind, Kernel, Tsc, TscEvidence, Verdict};

/// What the evidence is drawn from.
pub(crate) struct Sources<'a> {
    pub(crate) roots: &'a Roots,
    pub(crate) kernel: &'a Fact<Kernel>,
    pub(crate) clocksource: &'a Clocksource,
    pub(crate) parameters: &'a Result<Vec<String>, Missing>,
    pub(crate) log: &'a Result<KernelLog, Missing>,
    pub(crate) leaves: &'a Result<Leaves, String>,
    pub(crate) info: &'a Result<Info, Missing>,
}

/// At most this many lines of the log are quoted as evidence.
const QUOTED: usize = 6;

/// The evidence. Machines without a TSC have none.
pub(crate) fn read(sources: &Sources<'_>) -> Tsc {
    if !sources
        .kernel
        .known()
        .is_none_or(|kernel| matches!(kernel.arch.as_str(), "x86_64" | "i686"))
    {
        return Tsc { evidence: Vec::new(), khz: Fact::unavailable("only x86 has a TSC") };
    }
    let mut evidence = vec![demotion(sources), available(sources.clocksource)];
    evidence.extend(log_lines(sources.log));
    evidence.push(invariant(sources.leaves, sources.info));
    evidence.extend(adjust::read(sources.roots, sources.leaves));
    evidence.extend(hypervisor::read(sources.leaves, sources.info));
    evidence.push(process_may_read(sources.roots));
    evidence.extend(command_line(sources.parameters));
    let (khz, found) = frequency::read(sources.roots, sources.log, sources.leaves);
    evidence.push(found);
    evidence.sort_by_key(|piece| piece.kind);
    Tsc { evidence, khz }
}

fn piece(kind: Kind, verdict: Verdict, fact: impl Into<String>) -> TscEvidence {
    TscEvidence { kind, verdict, fact: fact.into() }
}

fn demotion(sources: &Sources<'_>) -> TscEvidence {
    let (verdict, fact) = match &sources.clocksource.demotion {
        Fact::Known(Some(found)) => {
            let at = found.line.at_seconds.map(|at| format!(" at boot + {at:.2} s"));
            let quoted = format!("kernel log{}: {}", at.unwrap_or_default(), found.line.message);
            (Verdict::Final, quoted)
        }
        Fact::Known(None) => (Verdict::For, "no demotion in the kernel log since boot".into()),
        Fact::Unavailable(why) => (Verdict::Open, why.unavailable.clone()),
    };
    piece(Kind::Demotion, verdict, fact)
}

fn available(clocksource: &Clocksource) -> TscEvidence {
    let (verdict, fact) = match &clocksource.available {
        Fact::Known(names) if names.iter().any(|name| name == "tsc") => {
            (Verdict::For, format!("tsc in available_clocksource ({})", names.join(" ")))
        }
        Fact::Known(names) => {
            (Verdict::Final, format!("tsc not in available_clocksource ({})", names.join(" ")))
        }
        Fact::Unavailable(why) => (Verdict::Open, why.unavailable.clone()),
    };
    piece(Kind::Available, verdict, fact)
}

fn log_lines(log: &Result<KernelLog, Missing>) -> Vec<TscEvidence> {
    let open = |why: String| vec![piece(Kind::KernelLog, Verdict::Open, why)];
    let log = match log {
        Ok(log) => log,
        Err(missing) => return open(missing.to_string()),
    };
    let mut found: Vec<TscEvidence> = log
        .clocks
        .iter()
        .filter(|line| is_trouble(&line.message))
        .take(QUOTED)
        .map(|line| piece(Kind::KernelLog, Verdict::Against, line.message.clone()))
        .collect();
    // These say how the frequency was found or how busy the machine was, not that the TSC is bad.
    found.extend(
        log.clocks
            .iter()
            .filter(|line| {
                line.message.contains("Fast TSC calibration failed") || is_delay(&line.message)
            })
            .take(2)
            .map(|line| piece(Kind::KernelLog, Verdict::Open, line.message.clone())),
    );
    match found.is_empty() {
        false => found,
        true if log.reaches_boot => vec![piece(
            Kind::KernelLog,
            Verdict::For,
            "no warp, skew or TSC_ADJUST trouble in the kernel log since boot",
        )],
        true => open(lost_beginning(log)),
    }
}

/// CPUID where it can be asked; else the two flags that the kernel makes of it.
fn invariant(leaves: &Result<Leaves, String>, info: &Result<Info, Missing>) -> TscEvidence {
    let flags = || {
        let info = info.as_ref().ok()?;
        Some(info.has_flag("constant_tsc")? && info.has_flag("nonstop_tsc")?)
    };
    let (verdict, fact) = match leaves.as_ref().map(cpuid::invariant_tsc) {
        Ok(Some(true)) => {
            (Verdict::For, "CPUID 0x80000007 EDX[8] = 1: one rate in all states".to_owned())
        }
        Ok(_) => (
            Verdict::Against,
            "CPUID 0x80000007 EDX[8] = 0: no promise of one rate in all states".to_owned(),
        ),
        Err(why) => match flags() {
            Some(true) => (Verdict::For, "CPU flags constant_tsc and nonstop_tsc".to_owned()),
            Some(false) => {
                (Verdict::Against, "CPU flags lack constant_tsc or nonstop_tsc".to_owned())
            }
            None => (Verdict::Open, why.clone()),
        },
    };
    piece(Kind::Invariant, verdict, fact)
}

/// `prctl(PR_GET_TSC)`: a process whose TSC was taken away dies of SIGSEGV at its first rdtsc.
/// Source: PR_GET_TSC(2const).
fn process_may_read(roots: &Roots) -> TscEvidence {
    let kind = Kind::ProcessMayRead;
    if !roots.system_calls {
        return piece(kind, Verdict::Open, "prctl(PR_GET_TSC): not asked on a recorded machine");
    }
    const PR_TSC_ENABLE: ::libc::c_int = 1;
    let mut state: ::libc::c_int = 0;
    // SAFETY: PR_GET_TSC writes one int through its argument, which points to one.
    let result = unsafe { ::libc::prctl(::libc::PR_GET_TSC, &raw mut state) };
    match (result, state) {
        (0, PR_TSC_ENABLE) => {
            piece(kind, Verdict::For, "prctl(PR_GET_TSC): this process may read it")
        }
        (0, _) => piece(
            kind,
            Verdict::Final,
            "prctl(PR_GET_TSC) = PR_TSC_SIGSEGV: rdtsc is forbidden to this process",
        ),
        _ => {
            let error = std::io::Error::last_os_error();
            piece(kind, Verdict::Open, format!("prctl(PR_GET_TSC): {error}"))
        }
    }
}

/// `tsc=`, `notsc`. Source: Documentation/admin-guide/kernel-parameters.txt.
fn command_line(parameters: &Result<Vec<String>, Missing>) -> Option<TscEvidence> {
    let given = parameters.as_ref().ok()?;
    let (verdict, fact) = match parameter(given, "tsc") {
        Some("unstable") => (Verdict::Against, "tsc=unstable on the kernel command line"),
        Some("reliable") => (
            Verdict::Open,
            "tsc=reliable on the kernel command line: its watchdog is off by the administrator's word",
        ),
        Some("nowatchdog") => (
            Verdict::Open,
            "tsc=nowatchdog on the kernel command line: nothing checks it at run time",
        ),
        Some("recalibrate" | "directsync" | "watchdog" | "noirqtime") | None => {
            parameter(given, "notsc")?;
            (Verdict::Against, "notsc on the kernel command line")
        }
        Some(other) => {
            let fact = format!("tsc={other} on the kernel command line");
            return Some(piece(Kind::CommandLine, Verdict::Open, fact));
        }
    };
    Some(piece(Kind::CommandLine, verdict, fact))
}
