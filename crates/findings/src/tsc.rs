//! Whether the TSC may be used here: one judgement that every check shares.

use crate::words::quote;
use toll_model::Run;
use toll_model::host::{EvidenceKind, HypervisorKind, TscEvidence, Verdict};

/// What the evidence comes to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Safety {
    /// Final: neither the kernel nor a program may use it, for these reasons, strongest first.
    Forbidden(Vec<String>),
    /// It may be used; what speaks against it nevertheless.
    Allowed(Vec<String>),
    /// It cannot be told whether the kernel offers it.
    Unknown(String),
}

/// Judges the TSC of `run`'s host: final evidence, a demotion, its absence from the available
/// clocksources, and this run's own fenced readings that ran backward across CPUs.
pub(crate) fn safety(run: &Run) -> Safety {
    let host = &run.host;
    let mut reasons = Vec::new();
    if let Some(Some(demotion)) = host.clocksource.demotion.known() {
        reasons.push(format!("the kernel demoted tsc: {}", quote(&demotion.line)));
    }
    // A demoted TSC is missing from the list too: one reason is enough.
    if reasons.is_empty() {
        reasons.extend(absent(run));
    }
    for evidence in host.tsc.evidence.iter().filter(|e| e.verdict == Verdict::Final) {
        let told = matches!(evidence.kind, EvidenceKind::Demotion | EvidenceKind::Available);
        if !told || reasons.is_empty() {
            reasons.push(evidence.fact.clone());
        }
    }
    reasons.extend(ran_backward(run));
    if !reasons.is_empty() {
        return Safety::Forbidden(reasons);
    }
    if let Some(why) = host.clocksource.available.reason() {
        return Safety::Unknown(format!("whether tsc is available can't be told: {why}"));
    }
    Safety::Allowed(against(run).map(|e| e.fact.clone()).collect())
}

/// The evidence against the TSC that is not final.
pub(crate) fn against(run: &Run) -> impl Iterator<Item = &TscEvidence> {
    run.host.tsc.evidence.iter().filter(|e| e.verdict == Verdict::Against)
}

/// The verdict of the first evidence of this kind.
pub(crate) fn verdict(run: &Run, kind: EvidenceKind) -> Option<Verdict> {
    run.host.tsc.evidence_of(kind).map(|e| e.verdict)
}

/// Says so if the kernel doesn't offer the TSC.
fn absent(run: &Run) -> Option<String> {
    let available = run.host.clocksource.available.known()?;
    (!available.iter().any(|name| is_tsc(name)))
        .then(|| format!("the kernel doesn't offer tsc ({})", available.join(" ")))
}

/// Says so if this run saw the counters of two CPUs run backward against each other.
fn ran_backward(run: &Run) -> Option<String> {
    let times: u64 = run
        .probes
        .core_offsets
        .iter()
        .filter_map(|pair| pair.outcome.known())
        .fold(0, |sum, seen| sum.saturating_add(seen.backward));
    (times > 0).then(|| {
        format!("fenced readings on two CPUs ran backward {times} times in this run (clock.cores-disagree)")
    })
}

/// Whether this clocksource is the TSC; `tsc-early` is what it is called until it is calibrated.
pub(crate) fn is_tsc(clocksource: &str) -> bool {
    matches!(clocksource, "tsc" | "tsc-early")
}

/// Whether the TSC was given up on purpose, and by whom: no fault is to be looked for then.
pub(crate) fn given_up_by_design(run: &Run) -> Option<String> {
    let host = &run.host;
    let demotion = host.clocksource.demotion.known().and_then(Option::as_ref);
    let reason = demotion.map(|d| d.reason.as_str());
    // Without the kernel log, its command line tells.
    let asked = host.kernel.known().is_some_and(|kernel| {
        kernel.parameters.iter().any(|p| matches!(p.as_str(), "tsc=unstable" | "notsc"))
    });
    if reason.is_some_and(|r| r.contains("boot parameter")) || reason.is_none() && asked {
        return Some("the administrator turned it off on the kernel command line".into());
    }
    // arch/x86/kernel/cpu/mshyperv.c marks it so wherever Hyper-V doesn't announce an invariant TSC.
    let on_hyperv = host.hypervisor.kind == HypervisorKind::HyperV;
    (reason.is_some_and(|r| r.contains("Hyper-V")) || (reason.is_none() && on_hyperv)).then(|| {
        "Linux does so on every Hyper-V that doesn't announce an invariant TSC, and uses Hyper-V's \
         reference TSC page instead"
            .into()
    })
}
