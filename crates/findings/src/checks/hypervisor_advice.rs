//! What is advised for this hypervisor, by whom, and whether today's figures bear it out.

use crate::advice::{self, Advice};
use crate::check::{Check, Outcome};
use crate::price;
use crate::switching;
use crate::tsc::{Safety, is_tsc, safety};
use crate::words::{figure, has_tsc, times, unknown};
use crate::{grade, origin};
use toll_model::units::Nanos;
use toll_model::{Finding, Level, Run};

pub(super) struct HypervisorAdvice;

impl Check for HypervisorAdvice {
    fn id(&self) -> &'static str {
        "clock.hypervisor-advice"
    }

    fn title(&self) -> &'static str {
        "what is advised for this hypervisor, and whether figures bear it out"
    }

    fn run(&self, run: &Run) -> Outcome {
        let clocksource = &run.host.clocksource;
        let Some(current) = clocksource.current.known() else {
            return Outcome::Unavailable(unknown("the clocksource in force", &clocksource.current));
        };
        if !has_tsc(&run.host) {
            return Outcome::Ok(format!("no advice is needed: {current} is all that is used here"));
        }
        let Some(advice) = advice::of(run) else {
            let what = if run.host.hypervisor.emulated { "an emulator" } else { "this hypervisor" };
            return Outcome::Ok(format!(
                "no advice is published for {what} ({}): the figures decide",
                told_by(run)
            ));
        };
        let wanted = |name: &str| {
            advice.wants.contains(&name) || is_tsc(name) && advice.wants.contains(&"tsc")
        };
        if wanted(current) {
            return Outcome::Ok(format!(
                "{current} is in force; the advice on {} is {}; {}; source: {}",
                advice.on,
                advice.says,
                figures(run, current).told,
                advice.source
            ));
        }
        Outcome::found(self.otherwise(run, current, advice))
    }
}

impl HypervisorAdvice {
    /// Another clocksource is in force than the one advised. Advice is no measurement: its level
    /// stays info, what the figures are worth is graded by `clock.slow-clocksource`.
    fn otherwise(&self, run: &Run, current: &str, advice: Advice) -> Finding {
        let best = advice.wants[0];
        let available = run.host.clocksource.available.known();
        let offered = available.is_none_or(|names| names.iter().any(|name| name == best));
        let Figures { told: figures, for_a_switch } = figures(run, current);
        let mut because = vec![
            format!("this is {} ({})", advice.on, told_by(run)),
            format!("the advice there is {} ({})", advice.says, advice.source),
        ];
        let mut remedies = Vec::new();
        let verdict = match safety(run) {
            Safety::Forbidden(reasons) if best == "tsc" => {
                because.extend(reasons.into_iter().map(|r| format!("it can't be followed: {r}")));
                "it can't be followed here".into()
            }
            Safety::Unknown(why) if best == "tsc" => {
                because.push(why);
                "whether it can be followed is not known".into()
            }
            _ if !offered => {
                because.push(format!("the kernel doesn't offer {best}"));
                "it can't be followed here".into()
            }
            Safety::Allowed(doubts) if best == "tsc" && for_a_switch => {
                remedies.push(switching::to_tsc(run, &figures, &doubts));
                format!("today's figures bear it out, {figures}")
            }
            _ => format!("today's figures don't ask for it, {figures}"),
        };
        let summary =
            format!("{best} is advised on {}, {current} is in force: {verdict}", advice.on);
        let mut evidence = Vec::new();
        if !summary.contains(&figures) {
            evidence.push(figures);
        }
        evidence.extend(origin::evidence(run));
        Finding { id: self.id().into(), level: Level::Info, summary, because, evidence, remedies }
    }
}

/// What told the hypervisor.
fn told_by(run: &Run) -> String {
    match run.host.hypervisor.evidence.as_slice() {
        [] => "told by nothing".into(),
        some => some.join("; "),
    }
}

/// What today's figures say.
struct Figures {
    /// In words, with the figures.
    told: String,
    /// They speak for a switch to the TSC.
    for_a_switch: bool,
}

/// Today's figures of the TSC against `current`.
fn figures(run: &Run, current: &str) -> Figures {
    let alone = |told| Figures { told, for_a_switch: false };
    let (clock, now) = match price::headline(run) {
        Ok(found) => found,
        Err(why) => return alone(format!("no figure of today: {why}")),
    };
    if is_tsc(current) {
        return alone(format!("today {clock} costs {}", now.shown()));
    }
    let tsc = match price::under_tsc(run, clock, &now) {
        Ok(tsc) => tsc,
        Err(why) => {
            return alone(format!(
                "today {clock} costs {}; under tsc not predicted: {why}",
                now.shown()
            ));
        }
    };
    let saving = now.ns - tsc.ns;
    let resolved = saving > 0.0 && !now.touches(&tsc);
    let for_a_switch = resolved && saving >= grade::NOTHING_IN_PRACTICE_NS;
    let verdict = match (resolved, for_a_switch) {
        (false, _) => "no difference today".into(),
        (true, false) => format!("{} today, nothing in practice", Nanos(saving)),
        (true, true) => format!("{} less today", times(now.ns / tsc.ns)),
    };
    let told = format!(
        "{clock} {} under {current}, {} under tsc (predicted): {verdict}",
        Nanos(now.ns),
        figure(tsc.ns, tsc.ci95)
    );
    Figures { told, for_a_switch }
}
