//! What speaks for and against the TSC, ranked, with the kernel's own words on a demotion.

use crate::after_demotion;
use crate::check::{Check, Outcome};
use crate::demotion::{self, Signs};
use crate::tsc::{Safety, against, given_up_by_design, is_tsc, safety};
use crate::words::{count, has_tsc, quote};
use toll_model::host::{EvidenceKind, HypervisorKind, Verdict};
use toll_model::{Finding, Level, Remedy, Run};

pub(super) struct TscEvidence;

impl Check for TscEvidence {
    fn id(&self) -> &'static str {
        "clock.tsc-evidence"
    }

    fn title(&self) -> &'static str {
        "whether the TSC can be trusted: ranked evidence, demotion quoted and judged"
    }

    fn run(&self, run: &Run) -> Outcome {
        if !has_tsc(&run.host) {
            return Outcome::Ok("this architecture has no TSC; its counter is the kernel's".into());
        }
        match safety(run) {
            Safety::Forbidden(reasons) => self.forbidden(run, &reasons),
            Safety::Allowed(_) | Safety::Unknown(_) => match against(run).next() {
                Some(_) => self.doubted(run),
                None => nothing_against(run),
            },
        }
    }
}

impl TscEvidence {
    fn forbidden(&self, run: &Run, reasons: &[String]) -> Outcome {
        let design = given_up_by_design(run);
        let in_force = run.host.clocksource.current.is_known_and(|c| is_tsc(c));
        let level = match (&design, in_force) {
            (_, true) => Level::Error,
            (Some(_), _) => Level::Info,
            (None, _) => Level::Warn,
        };
        let demotion = run.host.clocksource.demotion.known().and_then(Option::as_ref);
        let signs = demotion.map(|d| demotion::signs(run, d)).unwrap_or_default();
        // The first reason is in the summary.
        let mut because: Vec<_> = reasons.iter().skip(1).cloned().collect();
        because.extend(design.clone());
        if design.is_none() {
            because.extend(demotion::links(&signs));
        }
        let verdict = if in_force { ", yet it is in force" } else { "" };
        Outcome::found(Finding {
            id: self.id().into(),
            level,
            summary: format!(
                "the TSC must not be used here, by the kernel or by a program that reads it itself{verdict}: {}",
                reasons.first().map_or("", String::as_str)
            ),
            because,
            evidence: ranked(run)
                .into_iter()
                .chain(demotion.into_iter().flat_map(|d| &d.watchdog).map(quote))
                .collect(),
            remedies: if design.is_some() {
                newer_hyperv(run).into_iter().collect()
            } else {
                remedies(run, demotion.is_some(), &signs)
            },
        })
    }

    fn doubted(&self, run: &Run) -> Outcome {
        let in_force = run.host.clocksource.current.is_known_and(|c| is_tsc(c));
        let by_kernel = against(run).any(|e| e.kind == EvidenceKind::KernelLog);
        let level = if by_kernel && in_force { Level::Warn } else { Level::Info };
        let because: Vec<_> = against(run).map(|e| e.fact.clone()).collect();
        let state = if in_force { "in force" } else { "allowed" };
        Outcome::found(Finding {
            id: self.id().into(),
            level,
            summary: format!(
                "the TSC is {state}, with {} against it: {}",
                count(because.len() as u64, "piece") + " of evidence",
                because[0]
            ),
            because,
            evidence: ranked(run),
            remedies: vec![Remedy {
                command:
                    "watch the kernel log (dmesg | grep -i tsc) and the clock's drift under NTP \
                          before programs rely on it"
                        .into(),
                gain: "a TSC that is off is found before it matters".into(),
                risk: "none".into(),
            }],
        })
    }
}

/// The all-clear, or that nothing could be read.
fn nothing_against(run: &Run) -> Outcome {
    let evidence = &run.host.tsc.evidence;
    let speaking: Vec<_> = evidence.iter().filter(|e| e.verdict == Verdict::For).collect();
    let unread: Vec<_> =
        [run.host.clocksource.available.reason(), run.host.clocksource.demotion.reason()]
            .into_iter()
            .flatten()
            .collect();
    let not_read = match unread.as_slice() {
        [] => String::new(),
        some => format!("; not read: {}", some.join("; ")),
    };
    match speaking.as_slice() {
        [] => Outcome::Unavailable(format!("nothing speaks for or against the TSC{not_read}")),
        [first, rest @ ..] => {
            let more =
                if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
            Outcome::Ok(format!("nothing against the TSC; for it: {}{more}{not_read}", first.fact))
        }
    }
}

/// Every piece of evidence, strongest first, and what could not be read.
fn ranked(run: &Run) -> Vec<String> {
    let mut lines: Vec<_> = run
        .host
        .tsc
        .evidence
        .iter()
        .enumerate()
        .map(|(i, e)| format!("{}. {}: {}", i + 1, word(e.verdict), e.fact))
        .collect();
    lines.extend(
        run.host.clocksource.demotion.reason().map(|why| format!("kernel log not read: {why}")),
    );
    lines
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Final => "against, final",
        Verdict::Against => "against",
        Verdict::For => "for",
        Verdict::Open => "open",
    }
}

/// On a Hyper-V that doesn't announce an invariant TSC, a newer one is the way to tsc.
fn newer_hyperv(run: &Run) -> Option<Remedy> {
    (run.host.hypervisor.kind == HypervisorKind::HyperV).then(|| Remedy {
        command:
            "move to a Hyper-V of Windows Server 2022 or later on hardware that scales the TSC"
                .into(),
        gain: "Linux then takes tsc by itself (“Clocks and Timers”, Linux kernel documentation)"
            .into(),
        risk: "none known of the clock; what any move risks".into(),
    })
}

/// What to try: against a false alarm, or to learn why tsc is not there.
fn remedies(run: &Run, demoted: bool, signs: &Signs) -> Vec<Remedy> {
    if demoted {
        return after_demotion::remedies(run, signs);
    }
    vec![Remedy {
        command: "sudo dmesg | grep -iE 'tsc|clocksource'".into(),
        gain: "the kernel's own words on why; toll quotes and judges them when it can read them"
            .into(),
        risk: "none".into(),
    }]
}
