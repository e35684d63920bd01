//! Ways out that touch the program and not the machine: fewer readings, or coarser ones.

use crate::price::{Price, now};
use crate::words::times;
use toll_model::units::Nanos;
use toll_model::{Remedy, Run};

/// What a program can do about a clock that costs `price` and can't be made cheaper here.
pub(crate) fn remedies(run: &Run, clock: &str, price: &Price) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    remedies.extend(coarse(run, clock, price));
    remedies.push(Remedy {
        command: "in the program: read the clock once per request or batch and pass the value on"
            .into(),
        gain: format!("{} for each reading left out", Nanos(price.ns)),
        risk: "everything in the batch carries the same time".into(),
    });
    remedies
}

/// The kernel's coarse twin of `clock`, where it has one that is cheaper here.
fn coarse(run: &Run, clock: &str, price: &Price) -> Option<Remedy> {
    let twin = match clock {
        "CLOCK_REALTIME" => "CLOCK_REALTIME_COARSE",
        "CLOCK_MONOTONIC" => "CLOCK_MONOTONIC_COARSE",
        _ => return None,
    };
    let cost = now(run, twin).ok().filter(|cost| cost.ns * 1.5 < price.ns)?;
    let tick = run
        .probes
        .steps
        .iter()
        .find(|steps| steps.clock == twin)
        .and_then(|steps| steps.outcome.known()?.getres_ns)
        .filter(|tick| tick.is_finite())
        .map_or("some milliseconds".into(), |tick| Nanos(tick).to_string());
    Some(Remedy {
        command: format!("in the program: clock_gettime({twin}, …) where a tick of {tick} will do"),
        gain: format!(
            "from {} to {} a call, {} less, under any clocksource",
            Nanos(price.ns),
            Nanos(cost.ns),
            times(price.ns / cost.ns)
        ),
        risk: format!("readings less than {tick} apart are equal; useless for short durations"),
    })
}
