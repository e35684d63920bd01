//! What makes every system call dearer: who watches it, and what the empty one costs.

use crate::check::{Check, Outcome};
use crate::price::{self, Price};
use crate::watchers::Seen;
use crate::words::{emulated, list};
use toll_model::units::Nanos;
use toll_model::{Finding, Level, Remedy, Run};

/// The most that an empty system call costs on a machine where nothing watches it, ns: 50 to 100
/// were published in 2014 (Zemtsov, “The slow currentTimeMillis”), 166 were measured on a Zen 4
/// guest with its mitigations on. Compared with as a usual price, it is no bound of any machine.
const USUAL_NS: f64 = 200.0;

/// Mitigations that lie on the way into the kernel or out of it.
const ON_THE_WAY: [&str; 9] = [
    "meltdown",
    "spectre_v2",
    "retbleed",
    "spec_rstack_overflow",
    "mds",
    "tsx_async_abort",
    "mmio_stale_data",
    "reg_file_data_sampling",
    "tsa",
];

pub(super) struct DearSyscalls;

impl Check for DearSyscalls {
    fn id(&self) -> &'static str {
        "crossing.dear-syscalls"
    }

    fn title(&self) -> &'static str {
        "system calls made dear: ptrace, audit, tracepoints, seccomp, LSM, mitigations"
    }

    fn run(&self, run: &Run) -> Outcome {
        let price = price::crossing(run);
        let seen = Seen::of(&run.host.syscall_tracing);
        if let Err(why) = &price
            && seen.on.is_empty()
            && seen.read == 0
        {
            return Outcome::Unavailable(format!("{why}; {}", seen.unread.join("; ")));
        }
        let graded = price.as_ref().ok().filter(|_| !run.host.hypervisor.emulated);
        let by_price = graded.map_or(Level::Info, |p| Level::of_ratio(p.ns, USUAL_NS));
        let level = seen.on.iter().map(|on| on.level).max();
        match level {
            Some(level) => {
                // A watcher that every container has is graded by what it costs.
                Outcome::found(self.watched(run, &price, &seen, level.max(by_price)))
            }
            None if by_price > Level::Info => {
                Outcome::found(self.dear_without_watcher(run, &price, &seen))
            }
            None => Outcome::Ok(format!(
                "{}; nothing was seen to watch it{}",
                cost(run, &price),
                seen.gaps()
            )),
        }
    }
}

impl DearSyscalls {
    fn watched(
        &self,
        run: &Run,
        price: &Result<Price, String>,
        seen: &Seen,
        level: Level,
    ) -> Finding {
        let names: Vec<_> = seen.on.iter().map(|on| on.name.as_str()).collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        let gain = match price {
            Ok(p) => {
                format!("can't be told without trying; the empty call costs {} now", Nanos(p.ns))
            }
            Err(_) => "can't be told: the empty system call has no price here".into(),
        };
        Finding {
            id: self.id().into(),
            level,
            summary: format!("{}; {} {verb} on", cost(run, price), list(&names)),
            because: seen.on.iter().map(|on| on.because.clone()).collect(),
            evidence: evidence(run, price, seen),
            remedies: seen
                .on
                .iter()
                .filter_map(|on| {
                    let (command, risk) = on.remedy?;
                    Some(Remedy { command: command.into(), gain: gain.clone(), risk: risk.into() })
                })
                .collect(),
        }
    }

    /// Dear, and nothing is seen to be on: mitigations, or what could not be read.
    fn dear_without_watcher(
        &self,
        run: &Run,
        price: &Result<Price, String>,
        seen: &Seen,
    ) -> Finding {
        let mitigations = mitigations(run);
        let mut because = Vec::new();
        if !mitigations.is_empty() {
            let names: Vec<_> = mitigations.iter().map(|(name, _)| name.as_str()).collect();
            because.push(format!("mitigations on the way in and out: {}", list(&names)));
        }
        because.extend(seen.unread.iter().cloned());
        Finding {
            id: self.id().into(),
            level: Level::Info,
            summary: format!(
                "{}, more than the {} that is usual, and nothing is seen to watch it",
                cost(run, price),
                Nanos(USUAL_NS)
            ),
            because,
            evidence: evidence(run, price, seen),
            remedies: Vec::new(),
        }
    }
}

fn cost(run: &Run, price: &Result<Price, String>) -> String {
    match price {
        Ok(p) => format!("an empty system call costs {}{}", p.shown(), emulated(run)),
        Err(why) => format!("what a system call costs is not known ({why})"),
    }
}

fn evidence(run: &Run, price: &Result<Price, String>, seen: &Seen) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(price.as_ref().ok().map(Price::evidence));
    lines.extend(seen.notes.iter().cloned());
    lines.extend(mitigations(run).into_iter().map(|(name, words)| format!("{name}: {words}")));
    lines.extend(run.host.mitigations.reason().map(|why| format!("mitigations not read: {why}")));
    lines.extend(seen.unread.iter().cloned());
    lines
}

/// Mitigations that are on and lie on the way, with the kernel's words.
fn mitigations(run: &Run) -> Vec<(String, String)> {
    let Some(all) = run.host.mitigations.known() else { return Vec::new() };
    all.iter()
        .filter(|(name, words)| {
            ON_THE_WAY.contains(&name.as_str()) && words.starts_with("Mitigation")
        })
        .map(|(name, words)| (name.clone(), words.clone()))
        .collect()
}
