//! What spoils a measurement here: steal, a shared core, quota, too few CPUs, frequency, emulation.

use crate::check::{Check, Outcome};
use crate::words::list;
use toll_model::host::Steal;
use toll_model::{Finding, Level, Quality, Remedy, Run};

/// Steal from here on moves medians, percent.
const STEAL_PERCENT: f64 = 1.0;
/// Steal from here on makes any figure doubtful, percent.
const MUCH_STEAL_PERCENT: f64 = 5.0;

pub(super) struct MachineNoise;

/// One thing that spoils figures.
struct Spoiler {
    level: Level,
    /// A few words, with the figure.
    short: String,
    because: String,
    remedy: Option<Remedy>,
}

impl Check for MachineNoise {
    fn id(&self) -> &'static str {
        "machine.noise"
    }

    fn title(&self) -> &'static str {
        "what spoils a measurement here: steal, quota, one CPU, governor, emulation"
    }

    fn run(&self, run: &Run) -> Outcome {
        let spoilers: Vec<_> = [noisy, shared_core, steal, quota, one_cpu, governor, emulation]
            .into_iter()
            .filter_map(|look| look(run))
            .collect();
        let Some(level) = spoilers.iter().map(|s| s.level).max() else {
            return all_clear(run);
        };
        let short: Vec<_> = spoilers.iter().map(|s| s.short.as_str()).collect();
        let weight = if level == Level::Info { "bears on" } else { "spoils" };
        Outcome::found(Finding {
            id: self.id().into(),
            level,
            summary: format!("{weight} measurements here: {}", list(&short)),
            because: spoilers.iter().map(|s| s.because.clone()).collect(),
            evidence: evidence(run),
            remedies: spoilers.into_iter().filter_map(|s| s.remedy).collect(),
        })
    }
}

fn all_clear(run: &Run) -> Outcome {
    let host = &run.host;
    let read = [
        host.steal.known().map(|_| "steal"),
        host.container.cpu_quota.known().map(|_| "CPU quota"),
        host.cpu.allowed.known().map(|_| "CPUs allowed"),
        host.cpu.governors.known().map(|_| "governor"),
        run.quality.as_ref().map(|_| "known answer"),
    ];
    let read: Vec<_> = read.into_iter().flatten().collect();
    if read.is_empty() {
        return Outcome::Unavailable("neither steal nor quota nor CPUs could be read".into());
    }
    Outcome::Ok(format!("nothing seen that spoils a measurement (looked at {})", list(&read)))
}

fn noisy(run: &Run) -> Option<Spoiler> {
    let quality = run.quality.as_ref().filter(|q| q.noisy)?;
    let because = match quality.reasons.as_slice() {
        [] => "the run calls itself noisy".into(),
        reasons => reasons.join("; "),
    };
    Some(Spoiler {
        level: Level::Warn,
        short: "this run was noisy".into(),
        because,
        // An emulator stays one, however idle.
        remedy: (!run.host.hypervisor.emulated).then(|| Remedy {
            command: "measure again while the machine is idle, with a longer --duration".into(),
            gain: "figures that can be trusted as they stand".into(),
            risk: "none".into(),
        }),
    })
}

/// Another hardware thread on the core: the known answer cannot show it (see
/// `Quality::instructions_per_cycle`).
fn shared_core(run: &Run) -> Option<Spoiler> {
    let reached = run.quality.as_ref()?.instructions_per_cycle?;
    let shared = reached > 0.0 && reached < Quality::OWN_CORE && !run.host.hypervisor.emulated;
    shared.then(|| Spoiler {
        level: Level::Info,
        short: format!("a core shared with another hardware thread ({reached:.1} additions a cycle)"),
        because: format!(
            "independent additions reached {reached:.1} a cycle, where a core of its own gives {:.0} or more unless it is a narrow one (Atom, Bulldozer): prices here are higher than on an idle core",
            Quality::OWN_CORE
        ),
        remedy: Some(Remedy {
            command: "keep the core's other hardware thread idle while measuring; in a guest, an instance with cores of its own".into(),
            gain: "the price of the clock without the neighbour's share".into(),
            risk: "none; if production shares its cores too, today's prices are the true ones".into(),
        }),
    })
}

/// Steal during the run, else since boot.
fn steal_percent(run: &Run) -> Option<(f64, &'static str)> {
    let during = run.quality.as_ref().and_then(|q| q.steal_percent);
    let since_boot = || run.host.steal.known().and_then(Steal::percent_since_boot);
    during
        .map(|percent| (percent, "during the run"))
        .or_else(|| Some((since_boot()?, "since boot")))
        .filter(|(percent, _)| percent.is_finite() && *percent >= 0.0)
}

fn steal(run: &Run) -> Option<Spoiler> {
    let (percent, when) = steal_percent(run).filter(|(percent, _)| *percent >= STEAL_PERCENT)?;
    Some(Spoiler {
        level: if percent >= MUCH_STEAL_PERCENT { Level::Warn } else { Level::Info },
        short: format!("{percent:.1}% steal {when}"),
        because: format!("the hypervisor gave {percent:.1}% of CPU time to others {when}"),
        remedy: (!run.host.hypervisor.emulated).then(|| Remedy {
            command:
                "measure on an instance with CPUs of its own, or when its neighbours are quiet"
                    .into(),
            gain: "no block that another guest has stretched".into(),
            risk: "the price of such an instance".into(),
        }),
    })
}

fn quota(run: &Run) -> Option<Spoiler> {
    let container = &run.host.container;
    let cpus = container.cpu_quota.known().copied().flatten().filter(|q| q.is_finite())?;
    let throttled = container.throttled.known().copied().filter(|n| *n > 0);
    let often = match throttled {
        Some(n) => format!(", throttled {n} times so far"),
        None => String::new(),
    };
    Some(Spoiler {
        level: if throttled.is_some() { Level::Warn } else { Level::Info },
        short: format!("a quota of {cpus:.2} CPUs{often}"),
        because: format!(
            "the cgroup may use {cpus:.2} CPUs{often}: at its end a thread stands still for the rest of the period"
        ),
        remedy: Some(Remedy {
            command: "measure without a CPU limit (Kubernetes: no resources.limits.cpu)".into(),
            gain: "no block that the scheduler has cut".into(),
            risk: "the process may then use every CPU of the node".into(),
        }),
    })
}

fn one_cpu(run: &Run) -> Option<Spoiler> {
    let cpus = run.host.cpu.allowed.known().filter(|cpus| cpus.len() == 1)?;
    Some(Spoiler {
        level: Level::Info,
        short: "one CPU only".into(),
        because: format!(
            "this process may use CPU {} alone: whatever else runs there takes its turns from the \
             measurement, and pairs of CPUs can't be compared",
            cpus[0]
        ),
        remedy: None,
    })
}

fn governor(run: &Run) -> Option<Spoiler> {
    let governors = run.host.cpu.governors.known()?;
    let other: Vec<_> = governors
        .iter()
        .filter(|(name, cpus)| name.as_str() != "performance" && **cpus > 0)
        .map(|(name, cpus)| format!("{name} on {cpus} CPUs"))
        .collect();
    (!other.is_empty()).then(|| Spoiler {
        level: Level::Info,
        short: format!("governor {}", list(&other)),
        because: format!(
            "the frequency governor is {}: the clock rate follows the load, and figures with it",
            list(&other)
        ),
        remedy: Some(Remedy {
            command: "sudo cpupower frequency-set -g performance (while measuring)".into(),
            gain: "figures at one clock rate".into(),
            risk: "more power and heat; set it back afterwards".into(),
        }),
    })
}

fn emulation(run: &Run) -> Option<Spoiler> {
    run.host.hypervisor.emulated.then(|| Spoiler {
        level: Level::Warn,
        short: "an emulated machine".into(),
        because: "the processor is emulated in software: figures show function, not speed".into(),
        remedy: Some(Remedy {
            command:
                "measure on the hardware itself, or in a guest that runs on it (QEMU: -accel kvm)"
                    .into(),
            gain: "figures of a machine and not of an emulator".into(),
            risk: "none".into(),
        }),
    })
}

fn evidence(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(quality) = &run.quality {
        lines.extend(
            quality.known_answer.map(|ratio| format!("known answer: {ratio:.3} (2.00 ± 0.02)")),
        );
    }
    lines.extend(steal_percent(run).map(|(percent, when)| format!("steal {when}: {percent:.2}%")));
    let container = &run.host.container;
    let unread = [
        ("steal", run.host.steal.reason()),
        ("CPU quota", container.cpu_quota.reason()),
        ("throttling", container.throttled.reason()),
        ("governor", run.host.cpu.governors.reason()),
    ];
    lines.extend(
        unread.into_iter().filter_map(|(what, why)| Some(format!("{what} not read: {}", why?))),
    );
    lines
}
