//! Clocks that leave the vDSO for a system call, proved by trapping system calls.

use crate::check::{Check, Outcome};
use crate::price::{self, CPU_TIME, PRECISE};
use crate::tsc::{Safety, is_tsc, safety};
use crate::vdso_proof::{self, Proof};
use crate::words::{count, emulated, list, times};
use crate::{grade, in_program, switching};
use toll_model::units::Nanos;
use toll_model::{Finding, Level, Path, Remedy, Run, Shape, Subject};

/// Clocksources that a vDSO can read: arch/x86/include/asm/vdso/clocksource.h and
/// drivers/clocksource/arm_arch_timer.c, Linux kernel.
const READ_IN_VDSO: [&str; 5] =
    ["tsc", "tsc-early", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];

pub(super) struct LeavesVdso;

impl Check for LeavesVdso {
    fn id(&self) -> &'static str {
        "clock.leaves-vdso"
    }

    fn title(&self) -> &'static str {
        "clocks that leave the vDSO for a system call, proved by trapping it"
    }

    fn run(&self, run: &Run) -> Outcome {
        let probes = &run.probes.vdso_fallbacks;
        let (mut left, mut stayed, mut unproven) = (Vec::new(), Vec::new(), Vec::new());
        for probe in probes.iter().filter(|p| !CPU_TIME.contains(&p.clock.as_str())) {
            match vdso_proof::of(run, &probe.clock) {
                Proof::Left(told) => left.push((probe.clock.as_str(), told)),
                Proof::Stayed(_) => stayed.push(probe.clock.as_str()),
                Proof::None(why) => unproven.push(why),
            }
        }
        if left.is_empty() && no_vdso(run).is_some() {
            return Outcome::found(self.without_vdso(run));
        }
        match (left.is_empty(), stayed.is_empty()) {
            (false, _) => Outcome::found(self.leaving(run, &left, &stayed)),
            (true, false) => Outcome::Ok(format!(
                "{} stay in the vDSO: {}{}",
                count(stayed.len() as u64, "clock"),
                stayed.join(", "),
                cpu_time(run)
            )),
            (true, true) => {
                let why = match unproven.first() {
                    Some(why) => why.clone(),
                    None => "no clock was called with system calls trapped".into(),
                };
                Outcome::Unavailable(format!("{why}{}", hint(run)))
            }
        }
    }
}

impl LeavesVdso {
    fn leaving(&self, run: &Run, left: &[(&str, String)], stayed: &[&str]) -> Finding {
        let (clock, level, priced) = worst(run, left);
        let names: Vec<_> = left.iter().map(|(name, _)| *name).collect();
        let verb = if names.len() == 1 { "leaves" } else { "leave" };
        let mut because = vec![left[0].1.clone()];
        because.extend(causes(run, &names, stayed));
        let trapped: Vec<_> = names.iter().map(|name| vdso_proof::place(run, name)).collect();
        let mut evidence = vec![format!("trapped: {}", trapped.join(", "))];
        if !stayed.is_empty() {
            evidence.push(format!("trapped nothing: {}", stayed.join(", ")));
        }
        evidence
            .extend(names.iter().filter_map(|name| Some(price::now(run, name).ok()?.evidence())));
        evidence.extend(cpu_time_line(run));
        Finding {
            id: self.id().into(),
            level,
            summary: format!("{} {verb} the vDSO: {priced}{}", list(&names), emulated(run)),
            because,
            evidence,
            remedies: remedies(run, clock),
        }
    }

    /// The kernel maps no vDSO, so that every reading is a system call.
    fn without_vdso(&self, run: &Run) -> Finding {
        let all: Vec<_> = PRECISE.iter().map(|clock| (*clock, String::new())).collect();
        let (clock, level, priced) = worst(run, &all);
        let (parameter, why) = no_vdso(run).unwrap_or_default();
        let mut evidence: Vec<_> = PRECISE
            .iter()
            .filter_map(|clock| Some(price::now(run, clock).ok()?.evidence()))
            .collect();
        let unproven = run.probes.vdso_fallbacks.iter().find_map(|p| p.outcome.reason());
        evidence.extend(unproven.map(|why| format!("no call of the vDSO to trap: {why}")));
        Finding {
            id: self.id().into(),
            level: level.max(Level::Warn),
            summary: format!("no vDSO, every clock is a system call: {priced}{}", emulated(run)),
            because: vec![why, format!("{parameter} is on the kernel command line")],
            evidence,
            remedies: remedies(run, clock),
        }
    }
}

/// The parameter that turned the vDSO off and what is missing since, if it is off.
fn no_vdso(run: &Run) -> Option<(String, String)> {
    let parameter = run.host.vdso.disabled_by.clone()?;
    let why = match run.host.vdso.symbols.known() {
        Some(symbols) if !symbols.is_empty() => return None,
        Some(_) => "the vDSO exports nothing".into(),
        None => run.host.vdso.symbols.reason().unwrap_or("no vDSO is mapped").into(),
    };
    Some((parameter, why))
}

/// The dearest of the clocks that left, its level, and its price in words.
fn worst<'a>(run: &Run, left: &[(&'a str, String)]) -> (&'a str, Level, String) {
    let mut worst = None;
    for (clock, _) in left {
        let Ok(now) = price::now(run, clock) else { continue };
        let possible =
            if is_coarse(clock) { None } else { price::under_tsc(run, clock, &now).ok() };
        let level = match &possible {
            Some(tsc) => grade::of_saving(now.ns, tsc.ns),
            None => Level::Warn,
        };
        let told = match possible {
            Some(tsc) if tsc.ns < now.ns => format!(
                "{clock} costs {}, {} what the vDSO's algorithm takes on the TSC here ({})",
                now.shown(),
                times(now.ns / tsc.ns),
                Nanos(tsc.ns)
            ),
            _ => format!("{clock} costs {}", now.shown()),
        };
        if worst.as_ref().is_none_or(|(_, known, _)| level > *known) {
            worst = Some((*clock, level, told));
        }
    }
    worst.unwrap_or((
        left.first().map_or("", |(clock, _)| clock),
        Level::Warn,
        "what that costs was not measured".into(),
    ))
}

fn is_coarse(clock: &str) -> bool {
    clock.ends_with("_COARSE") || clock == "time"
}

/// Why they left.
fn causes(run: &Run, left: &[&str], stayed: &[&str]) -> Vec<String> {
    if let Some(parameter) = &run.host.vdso.disabled_by {
        return vec![format!("{parameter} is on the kernel command line")];
    }
    let precise_only = left.iter().all(|clock| !is_coarse(clock));
    let coarse_stays = stayed.iter().any(|clock| is_coarse(clock));
    let current = run.host.clocksource.current.known();
    match current {
        Some(current) if precise_only && coarse_stays => {
            let mut links = vec![format!(
                "the vDSO itself works, for the coarse clocks stay in it: it can't read the \
                 clocksource in force, {current}"
            )];
            links.extend(crate::origin::links(run, current));
            links
        }
        Some(current) => vec![format!(
            "coarse clocks, which need no clocksource, were not seen to stay: the cause may be the \
             vDSO itself as well as the clocksource, {current}"
        )],
        None => Vec::new(),
    }
}

/// The switch to tsc, where another clocksource is what keeps `clock` out of the vDSO.
fn switch(run: &Run, clock: &str) -> Option<Remedy> {
    let other = run.host.clocksource.current.is_known_and(|current| !is_tsc(current));
    let Safety::Allowed(doubts) = safety(run) else { return None };
    if !other || is_coarse(clock) || run.host.vdso.disabled_by.is_some() {
        return None;
    }
    let now = price::now(run, clock).ok()?;
    let tsc = price::under_tsc(run, clock, &now).ok()?;
    (now.ns - tsc.ns >= grade::NOTHING_IN_PRACTICE_NS).then(|| {
        let gain = format!("{clock} from {} to {} idle (predicted)", Nanos(now.ns), tsc.shown());
        switching::to_tsc(run, &gain, &doubts)
    })
}

fn remedies(run: &Run, clock: &str) -> Vec<Remedy> {
    let mut remedies: Vec<_> = switch(run, clock).into_iter().collect();
    if let Some(parameter) = &run.host.vdso.disabled_by {
        let current = run.host.clocksource.current.known().map_or("", String::as_str);
        let gain = match (price::now(run, clock), price::twin(run)) {
            _ if !READ_IN_VDSO.contains(&current) && !current.is_empty() => format!(
                "the coarse clocks cost a few ns again; precise ones stay a system call under \
                 {current}, which the vDSO can't read"
            ),
            (Ok(now), Ok(twin)) if twin.ns < now.ns => format!(
                "{clock} from {} to about {} (the vDSO's algorithm, measured here)",
                Nanos(now.ns),
                Nanos(twin.ns)
            ),
            _ => "can't be told: a price is missing".into(),
        };
        remedies.push(Remedy {
            command: format!("take {parameter} off the kernel command line and reboot"),
            gain,
            risk: "somebody put it there, for a debugger or an old libc: ask why first".into(),
        });
    }
    if let Ok(now) = price::now(run, clock) {
        remedies.extend(in_program::remedies(run, clock, &now));
    }
    remedies
}

/// The CPU-time clocks, which are system calls everywhere: said, never held against the machine.
fn cpu_time_line(run: &Run) -> Option<String> {
    let prices: Vec<_> = CPU_TIME
        .iter()
        .filter_map(|clock| Some(format!("{clock} {}", Nanos(price::now(run, clock).ok()?.ns))))
        .collect();
    (!prices.is_empty())
        .then(|| format!("always a system call, on every machine: {}", list(&prices)))
}

fn cpu_time(run: &Run) -> String {
    cpu_time_line(run).map(|line| format!("; {line}")).unwrap_or_default()
}

/// The ratio of libc to system call: a hint where there is no proof.
fn hint(run: &Run) -> String {
    let Ok((clock, now)) = price::headline(run) else { return String::new() };
    match price::of(run, &Subject::clock(clock, Path::Syscall, Shape::ONE)) {
        Ok(call) => format!(
            "; a hint only: {clock} costs {} through libc and {} as a system call",
            Nanos(now.ns),
            Nanos(call.ns)
        ),
        Err(_) => String::new(),
    }
}
