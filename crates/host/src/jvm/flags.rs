//! Which words of a JVM's command line are kept, and which of them is the program.
//!
//! A command line can hold secrets: only flags of a known name are kept, with values that are
//! plain numbers or words. Of agents and logs, which can cost time, the name alone is kept.

use crate::missing::clean;

/// `-XX` flags that bear on the cost of clocks, safepoints or memory.
/// Source: HotSpot's globals.hpp, gc_globals.hpp, c2_globals.hpp and globals_linux.hpp, 8 to 25.
const XX: &[&str] = &[
    "ActiveProcessorCount",
    "AllocatePrefetchDistance",
    "AllocatePrefetchInstr",
    "AllocatePrefetchLines",
    "AllocatePrefetchStyle",
    "AlwaysPreTouch",
    "BiasedLockingStartupDelay",
    "CompileThreshold",
    "ConcGCThreads",
    "ControlIntrinsic",
    "DebugNonSafepoints",
    "DisableExplicitGC",
    "DisableIntrinsic",
    "EagerJVMCI",
    "EnableJVMCI",
    "ExplicitGCInvokesConcurrent",
    "FlightRecorder",
    "G1HeapRegionSize",
    "GuaranteedSafepointInterval",
    "InitialRAMPercentage",
    "Inline",
    "InlineNatives",
    "LargePageSizeInBytes",
    "LoopStripMiningIter",
    "MaxGCPauseMillis",
    "MaxRAMPercentage",
    "MinTLABSize",
    "NativeMemoryTracking",
    "NewSize",
    "MaxNewSize",
    "ParallelGCThreads",
    "PerfDisableSharedMem",
    "PreserveFramePointer",
    "PrintGCApplicationStoppedTime",
    "PrintSafepointStatistics",
    "ResizeTLAB",
    "SafepointTimeout",
    "SafepointTimeoutDelay",
    "ShenandoahGCHeuristics",
    "ShenandoahGCMode",
    "SoftMaxHeapSize",
    "StackTraceInThrowable",
    "TLABSize",
    "TieredCompilation",
    "TieredStopAtLevel",
    "UseBiasedLocking",
    "UseCompactObjectHeaders",
    "UseCompressedOops",
    "UseConcMarkSweepGC",
    "UseContainerSupport",
    "UseCountedLoopSafepoints",
    "UseEpsilonGC",
    "UseFastUnorderedTimeStamps",
    "UseG1GC",
    "UseJVMCICompiler",
    "UseLargePages",
    "UseLinuxPosixThreadCPUClocks",
    "UseNUMA",
    "UseParallelGC",
    "UseParallelOldGC",
    "UsePerfData",
    "UseSerialGC",
    "UseShenandoahGC",
    "UseSystemMemoryBarrier",
    "UseTLAB",
    "UseTransparentHugePages",
    "UseZGC",
    "ZAllocationSpikeTolerance",
    "ZCollectionInterval",
    "ZGenerational",
    "ZUncommit",
    "ZeroTLAB",
];

/// Flags whose name is kept without what follows it: they change costs, but name files or hosts.
const NAME_ONLY: &[&str] = &[
    "-Xlog",
    "-Xloggc",
    "-XX:Flags",
    "-XX:StartFlightRecording",
    "-XX:VMOptionsFile",
    "-agentlib",
    "-agentpath",
    "-javaagent",
    "-verbose",
];

/// Short flags kept as they are.
const WHOLE: &[&str] =
    &["-Xint", "-Xcomp", "-Xmixed", "-Xbatch", "-server", "-client", "-Xnoclassgc"];

/// Short flags with a size behind them.
const SIZED: &[&str] = &["-Xmx", "-Xms", "-Xmn", "-Xss"];

/// Options whose value is the next word.
const TAKES_A_WORD: &[&str] = &[
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--limit-modules",
    "--patch-module",
    "--enable-native-access",
    "--illegal-native-access",
    "--sun-misc-unsafe-memory-access",
    "--source",
    "-d",
    "--describe-module",
];

/// What is kept of a word, if anything.
pub(super) fn kept(word: &str) -> Option<String> {
    // An argument file is named, not read: what it holds is not known.
    if let Some(path) = word.strip_prefix('@') {
        return Some(format!("@{}", file_name(path)));
    }
    if WHOLE.contains(&word) {
        return Some(word.to_owned());
    }
    if let Some(name) = NAME_ONLY.iter().find(|name| {
        word.strip_prefix(**name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '=']))
    }) {
        let rest = &word[name.len()..];
        return Some(match *name {
            "-agentlib" | "-javaagent" | "-agentpath" => format!("{name}:{}", agent(rest)),
            name if rest.is_empty() => name.to_owned(),
            name => format!("{name}{}…", &rest[..1]),
        });
    }
    if SIZED.iter().any(|name| word.strip_prefix(name).is_some_and(is_size)) {
        return Some(word.to_owned());
    }
    let flag = word.strip_prefix("-XX:")?;
    let switch = flag.strip_prefix(['+', '-']);
    let (name, value) = match (switch, flag.split_once('=')) {
        (Some(name), _) => (name, None),
        (None, Some((name, value))) => (name, Some(value)),
        (None, None) => (flag, None),
    };
    if !XX.contains(&name) {
        return None;
    }
    match value {
        Some(value) if !is_plain(value) => Some(format!("-XX:{name}=…")),
        _ => Some(word.to_owned()),
    }
}

/// The name of an agent, without its folder and its options.
fn agent(rest: &str) -> String {
    let path = rest.trim_start_matches(':').split('=').next().unwrap_or_default();
    file_name(path)
}

fn file_name(path: &str) -> String {
    clean(path.rsplit('/').next().unwrap_or_default(), 80)
}

fn is_size(text: &str) -> bool {
    let digits = text.trim_end_matches(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']);
    !digits.is_empty() && text.len() < 24 && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_plain(value: &str) -> bool {
    value.len() <= 80 && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.,+-%".contains(&b))
}

/// The words of an option variable: spaces part them, quotes keep them together.
/// Source: the JVM's handling of JAVA_TOOL_OPTIONS, `Arguments::parse_options_buffer`.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c.is_whitespace() => words.push(String::new()),
            (_, c) => {
                if let Some(last) = words.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A `java` command line taken apart: the options before the program, and the program.
pub(super) fn command_line(arguments: &[String]) -> (Vec<String>, Option<String>) {
    let mut options = Vec::new();
    let mut rest = arguments.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-jar" => return (options, rest.next().map(|jar| file_name(jar))),
            "-m" | "--module" => return (options, rest.next().map(|module| clean(module, 120))),
            option if TAKES_A_WORD.contains(&option) => {
                rest.next();
            }
            option if option.starts_with("--module=") => {
                return (options, Some(clean(&option["--module=".len()..], 120)));
            }
            option if option.starts_with(['-', '@']) => options.push(word.clone()),
            program => return (options, Some(clean(program, 120))),
        }
    }
    (options, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(text: &str) -> (Vec<String>, Option<String>) {
        command_line(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_program_is_found_behind_its_options() {
        let program = |text: &str| line(text).1;
        assert_eq!(program("java -Xmx1g -cp a.jar:b.jar Main secret").as_deref(), Some("Main"));
        assert_eq!(
            program("java -Da=b -jar /srv/app.jar --password x").as_deref(),
            Some("app.jar")
        );
        assert_eq!(program("java -p mods -m app/app.Main").as_deref(), Some("app/app.Main"));
        assert_eq!(program("java --module=app/app.Main").as_deref(), Some("app/app.Main"));
        assert_eq!(program("java -version"), None);
        assert_eq!(program("java"), None);
    }

    #[test]
    fn flags_that_cost_are_kept_and_secrets_are_not() {
        let all = "-XX:+UseG1GC -XX:GuaranteedSafepointInterval=1000 -Xmx2g -Xint -Dpassword=x \
                   -XX:OnOutOfMemoryError=curl -javaagent:/opt/apm/agent.jar=token=x \
                   -agentlib:jdwp=address=10.0.0.1:5005 -Xlog:gc:/var/log/gc.log @/etc/app/args \
                   -XX:DisableIntrinsic=_currentTimeMillis,_nanoTime -XX:TLABSize=$(x) -verbose:gc";
        let kept: Vec<String> = all.split(' ').filter_map(kept).collect();
        assert_eq!(
            kept,
            [
                "-XX:+UseG1GC",
                "-XX:GuaranteedSafepointInterval=1000",
                "-Xmx2g",
                "-Xint",
                "-javaagent:agent.jar",
                "-agentlib:jdwp",
                "-Xlog:…",
                "@args",
                "-XX:DisableIntrinsic=_currentTimeMillis,_nanoTime",
                "-XX:TLABSize=…",
                "-verbose:…",
            ]
        );
    }

    #[test]
    fn option_variables_keep_quoted_spaces() {
        assert_eq!(words(" -Xint '-Da=b c'\t-Xmx1g"), ["-Xint", "-Da=b c", "-Xmx1g"]);
    }

    proptest! {
        #[test]
        fn no_word_makes_it_panic(word in ".{0,40}", text in "[-@:=+XX'\"… a-z]{0,60}") {
            let _ = kept(&word);
            let _: Vec<String> = words(&text).iter().filter_map(|word| kept(word)).collect();
            let _ = command_line(&words(&text));
        }
    }
}
