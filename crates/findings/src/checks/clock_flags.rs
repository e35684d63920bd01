//! Flags and preloaded libraries of running JVMs that change what a clock costs.
//!
//! Facts, with JDK 17.0.15 and 25 on a Cascade Lake guest (nanoTime 23–27 ns by default): interpreted
//! (`-Xint`, `-XX:-UseCompiler`, `-XX:TieredStopAtLevel=0`) 54–67 ns; without the intrinsic
//! (`-XX:-InlineNatives`, `-XX:DisableIntrinsic=_nanoTime`) 34–43 ns; thread CPU time without the
//! kernel's clocks (`-XX:-UseLinuxPosixThreadCPUClocks`) 6.9 µs instead of 0.26 µs.
//! `TieredStopAtLevel` 1 to 3, `UseFastUnorderedTimeStamps` and `UseSystemMemoryBarrier` changed
//! neither nanoTime nor currentTimeMillis, so they are not held against a JVM.

use crate::check::{Check, Outcome};
use crate::tsc::{Safety, safety};
use crate::words::{count, unknown};
use toll_model::host::{Jvm, JvmProcess};
use toll_model::{Finding, Level, Remedy, Run};

/// What a flag does to the price of a clock.
struct Effect {
    level: Level,
    says: &'static str,
    gain: &'static str,
    risk: &'static str,
}

const INTERPRETED: Effect = Effect {
    level: Level::Warn,
    says: "every reading goes through the interpreter and a native stub (some 30 ns more on the \
           machine it was tried on; all other code suffers far more)",
    gain: "the clock read as an intrinsic of compiled code",
    risk: "the flag may be there for a reason: a debugger, a broken compilation",
};

const NO_INTRINSIC: Effect = Effect {
    level: Level::Info,
    says: "compiled code calls a native stub with a thread transition instead of the intrinsic \
           (some 12 ns more on the machine it was tried on)",
    gain: "the clock read as an intrinsic of compiled code",
    risk: "a diagnostic flag: it was set on purpose",
};

const CPU_CLOCKS: Effect = Effect {
    level: Level::Warn,
    says: "the CPU time of a thread is read from /proc instead of the kernel's clock (6.9 µs \
           instead of 0.26 µs on the machine it was tried on); nanoTime is not concerned",
    gain: "thread CPU times, as profilers and ThreadMXBean read them, at the price of a system call",
    risk: "none known; the flag is gone in JDK 25",
};

const UNORDERED_STAMPS: Effect = Effect {
    level: Level::Info,
    says: "the JVM stamps its own events (JFR) with the bare TSC; nanoTime and currentTimeMillis \
           are not concerned",
    gain: "event times that rest on the kernel's clock",
    risk: "recordings get a little dearer",
};

const FAKED: Effect = Effect {
    level: Level::Warn,
    says: "the preloaded library stands in front of libc's clock calls and answers them itself",
    gain: "the clock read straight from the vDSO",
    risk: "the program sees the real time again",
};

pub(super) struct ClockFlags;

impl Check for ClockFlags {
    fn id(&self) -> &'static str {
        "java.clock-flags"
    }

    fn title(&self) -> &'static str {
        "flags and preloads of running JVMs that change what a clock costs"
    }

    fn run(&self, run: &Run) -> Outcome {
        let Some(jvms) = run.host.jvms.known() else {
            return Outcome::Unavailable(unknown("the list of JVMs", &run.host.jvms));
        };
        let processes: Vec<_> =
            jvms.iter().flat_map(|jvm| jvm.processes.iter().map(move |p| (jvm, p))).collect();
        if processes.is_empty() {
            return Outcome::Ok("no JVM is running".into());
        }
        let found: Vec<_> =
            processes.iter().filter_map(|(jvm, process)| self.judge(run, jvm, process)).collect();
        if !found.is_empty() {
            return Outcome::Found(found);
        }
        Outcome::Ok(format!(
            "{}, none with a flag or a preload that changes what a clock costs",
            count(processes.len() as u64, "running JVM")
        ))
    }
}

impl ClockFlags {
    fn judge(&self, run: &Run, jvm: &Jvm, process: &JvmProcess) -> Option<Finding> {
        let mut effects: Vec<_> = process
            .flags
            .iter()
            .filter_map(|flag| Some((flag.as_str(), effect_of(run, flag)?)))
            .collect();
        let preload = process.preload.as_deref();
        effects.extend(preload.and_then(|library| Some((library, effect_of_preload(library)?))));
        let worst = effects.iter().map(|(_, effect)| effect.level).max()?;
        let named: Vec<_> = effects.iter().map(|(name, _)| *name).collect();
        Some(Finding {
            id: self.id().into(),
            level: worst,
            summary: format!(
                "JVM {} ({}) runs with {}, which changes what its clocks cost",
                process.pid,
                process.program,
                named.join(" ")
            ),
            because: effects.iter().map(|(name, e)| format!("{name}: {}", e.says)).collect(),
            evidence: vec![
                format!("{}, process {}", jvm.runtime(), process.pid),
                format!("flags that bear on clocks: {}", process.flags.join(" ")),
            ]
            .into_iter()
            .chain(preload.map(|library| format!("LD_PRELOAD: {library}")))
            .collect(),
            remedies: effects
                .iter()
                .map(|(name, effect)| Remedy {
                    command: format!("start it without {name}"),
                    gain: effect.gain.into(),
                    risk: effect.risk.into(),
                })
                .collect(),
        })
    }
}

/// What a flag does, if it does anything to a clock.
fn effect_of(run: &Run, flag: &str) -> Option<Effect> {
    match flag {
        "-Xint" | "-XX:-UseCompiler" | "-XX:TieredStopAtLevel=0" => Some(INTERPRETED),
        "-XX:-InlineNatives" => Some(NO_INTRINSIC),
        "-XX:-UseLinuxPosixThreadCPUClocks" => Some(CPU_CLOCKS),
        // Harmless on a sound TSC; on one that the kernel gave up, event times are off.
        "-XX:+UseFastUnorderedTimeStamps" => {
            matches!(safety(run), Safety::Forbidden(_)).then_some(UNORDERED_STAMPS)
        }
        _ => disables_a_clock(flag).then_some(NO_INTRINSIC),
    }
}

/// `-XX:DisableIntrinsic=_nanoTime,…` or `-XX:ControlIntrinsic=-_nanoTime,…`.
fn disables_a_clock(flag: &str) -> bool {
    let clock = |name: &str| matches!(name, "_nanoTime" | "_currentTimeMillis");
    // HotSpot takes commas, and lines in a flags file.
    let names = |list: &str| list.split([',', '\n', ' ']).map(str::to_owned).collect::<Vec<_>>();
    if let Some(list) = flag.strip_prefix("-XX:DisableIntrinsic=") {
        return names(list).iter().any(|name| clock(name));
    }
    flag.strip_prefix("-XX:ControlIntrinsic=").is_some_and(|list| {
        names(list).iter().any(|name| name.strip_prefix('-').is_some_and(clock))
    })
}

fn effect_of_preload(library: &str) -> Option<Effect> {
    let fakes = ["faketime", "datefudge"];
    fakes.iter().any(|name| library.contains(name)).then_some(FAKED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use toll_model::{Host, Tool};

    #[test]
    fn only_flags_that_change_a_clock_count() {
        let run = Run::new(Tool::default(), Host::default());
        for (flag, level) in [
            ("-Xint", Some(Level::Warn)),
            ("-XX:TieredStopAtLevel=0", Some(Level::Warn)),
            ("-XX:TieredStopAtLevel=1", None),
            ("-XX:-InlineNatives", Some(Level::Info)),
            ("-XX:+InlineNatives", None),
            ("-XX:DisableIntrinsic=_dsin,_nanoTime", Some(Level::Info)),
            ("-XX:DisableIntrinsic=_dsin", None),
            ("-XX:ControlIntrinsic=-_currentTimeMillis", Some(Level::Info)),
            ("-XX:ControlIntrinsic=+_nanoTime", None),
            ("-XX:-UseLinuxPosixThreadCPUClocks", Some(Level::Warn)),
            ("-XX:+UseSystemMemoryBarrier", None),
            ("-XX:+UseFastUnorderedTimeStamps", None),
            ("-Xmx2g", None),
        ] {
            assert_eq!(effect_of(&run, flag).map(|e| e.level), level, "{flag}");
        }
    }

    #[test]
    fn bare_time_stamps_count_only_on_a_tsc_that_was_given_up() {
        let mut run = Run::new(Tool::default(), Host::default());
        run.host.clocksource.available = toll_model::Fact::Known(vec!["hpet".into()]);
        assert!(effect_of(&run, "-XX:+UseFastUnorderedTimeStamps").is_some());
    }

    #[test]
    fn only_preloads_that_fake_time_count() {
        assert!(effect_of_preload("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1").is_some());
        assert!(effect_of_preload("/usr/lib/libjemalloc.so.2").is_none());
    }
}
