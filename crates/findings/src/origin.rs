//! Why this clocksource is in force: links of a cause chain, each a fact that was read.

use crate::tsc::{given_up_by_design, is_tsc};
use crate::words::quote;
use toll_model::Run;

/// Where the kernel says which clocksource is in force, and where it takes another.
pub(crate) const CURRENT: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// Why `current` is in force and not tsc, nearest cause first.
pub(crate) fn links(run: &Run, current: &str) -> Vec<String> {
    let clocksource = &run.host.clocksource;
    if let Some(Some(demotion)) = clocksource.demotion.known() {
        let mut links = vec![format!("the kernel demoted tsc: {}", quote(&demotion.line))];
        links.extend(given_up_by_design(run));
        return links;
    }
    if let Some(Some(requested)) = clocksource.requested.known() {
        let given = format!("clocksource={requested} is on the kernel command line");
        return vec![if requested == current {
            format!("{given}: the administrator's choice")
        } else {
            format!("{given}, but {current} was chosen since")
        }];
    }
    let Some(available) = clocksource.available.known() else {
        return Vec::new();
    };
    let place = |wanted: &dyn Fn(&str) -> bool| available.iter().position(|name| wanted(name));
    match (place(&is_tsc), place(&|name| name == current)) {
        (None, _) => {
            let why = match clocksource.demotion.reason() {
                Some(why) => format!("; why can't be told: {why}"),
                None => "; the kernel log holds no line that says why".into(),
            };
            vec![format!("the kernel doesn't offer tsc ({}){why}", available.join(" "))]
        }
        // The kernel lists them by rating, best first.
        (Some(tsc), Some(now)) if tsc < now => vec![format!(
            "{current} was chosen after boot: the kernel itself rates tsc above it (available, best \
             first: {})",
            available.join(" ")
        )],
        (Some(_), Some(_)) => vec![format!(
            "the kernel rates {current} above tsc on this machine (available, best first: {}){}",
            available.join(" "),
            nobody_else(run)
        )],
        (Some(_), None) => Vec::new(),
    }
}

/// That neither a demotion nor the administrator is behind it, as far as that was read.
fn nobody_else(run: &Run) -> &'static str {
    let clocksource = &run.host.clocksource;
    match (clocksource.demotion.known(), clocksource.requested.known()) {
        (Some(None), Some(None)) => "; no demotion, no clocksource= on the command line",
        (Some(None), _) => "; no demotion",
        (_, Some(None)) => "; no clocksource= on the command line",
        _ => "",
    }
}

/// The files that [`links`] rests on, with their values.
pub(crate) fn evidence(run: &Run) -> Vec<String> {
    let clocksource = &run.host.clocksource;
    let mut lines = Vec::new();
    if let Some(current) = clocksource.current.known() {
        lines.push(format!("{CURRENT}: {current}"));
    }
    match (clocksource.available.known(), clocksource.available.reason()) {
        (Some(names), _) => lines.push(format!("available_clocksource: {}", names.join(" "))),
        (None, why) => lines.push(format!("available_clocksource: {}", why.unwrap_or("unknown"))),
    }
    if let Some(why) = clocksource.demotion.reason() {
        lines.push(format!("kernel log not read: {why}"));
    }
    lines
}
