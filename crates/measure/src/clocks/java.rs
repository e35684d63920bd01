//! Prices inside a JVM: a small class runs the blocks, timed by its own `System.nanoTime`.

use super::table::Table;
use super::worker::Worker;
use super::{Plan, Progress};
use crate::engine::{Bench, Block};
use crate::error::MeasureError;
use std::cell::RefCell;
use std::io::Write;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use tempfile::NamedTempFile;
use toll_model::host::Jvm;
use toll_model::{Path, Shape, Subject};

/// The operations of the class, by the names of its protocol; the first is the empty loop.
const EMPTY: &str = "empty";
const OPERATIONS: [&str; 3] = ["currentTimeMillis", "nanoTime", "Instant.now"];
const CLASS: &str = "ClockProbe";

/// How long a JVM may take to start, to compile a loop, to run a block.
const STARTING: Duration = Duration::from_secs(5);
const WARMING: Duration = Duration::from_secs(5);
const BLOCK: Duration = Duration::from_secs(5);

/// Small and quiet, and none of it touches how a clock is read. `-Xbatch` makes a loop wait for its
/// own compilation: on a busy machine the compiler's threads come late, and a warm-up would end in
/// code that is not the last.
const FLAGS: [&str; 5] = ["-Xbatch", "-Xms16m", "-Xmx64m", "-XX:+UseSerialGC", "-XX:-UsePerfData"];

/// A JVM that is warm, or why there is none.
pub(super) struct Started {
    jvm: Jvm,
    probe: Result<SharedJvm, String>,
}

type SharedJvm = Rc<RefCell<RunningJvm>>;

struct RunningJvm {
    worker: Worker,
    /// Where the class was found; deleted with the JVM.
    _jar: Rc<NamedTempFile>,
}

/// Starts all JVMs of `plan` and lets them compile, side by side.
///
/// # Errors
/// [`MeasureError::Jvm`] for a JVM that the user named and that does not do its work.
pub(super) fn start_all(
    plan: &Plan<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Started>, MeasureError> {
    if plan.java.is_empty() {
        return Ok(Vec::new());
    }
    progress(Progress::Preparing("warming up Java"));
    let jar = plan
        .java_probe
        .ok_or_else(|| "this build carries no Java probe (build it with make and a JDK)".into())
        .and_then(|bytes| on_disk(bytes).map_err(|e| format!("a temporary file: {e}")));
    let mut started: Vec<Started> = plan
        .java
        .iter()
        .map(|jvm| Started { jvm: jvm.clone(), probe: jar.clone().and_then(|jar| start(jvm, jar)) })
        .collect();
    // All compile at once; each is waited for in turn.
    for operation in [EMPTY].into_iter().chain(OPERATIONS) {
        each(&mut started, |jvm| jvm.worker.send(format!("warm {operation}\n").as_bytes()));
    }
    for _ in 0..=OPERATIONS.len() {
        each(&mut started, |jvm| match jvm.worker.receive_line(WARMING)?.as_str() {
            "ok" => Ok(()),
            other => Err(complaint(other)),
        });
    }
    if plan.java_named
        && let Some(Started { jvm, probe: Err(why) }) = started.iter().find(|s| s.probe.is_err())
    {
        return Err(MeasureError::Jvm { launcher: jvm.launcher.clone(), why: why.clone() });
    }
    Ok(started)
}

fn each(started: &mut [Started], action: impl Fn(&mut RunningJvm) -> Result<(), String>) {
    for one in started {
        let result = match &one.probe {
            Ok(jvm) => action(&mut jvm.borrow_mut()),
            Err(_) => continue,
        };
        if let Err(why) = result {
            one.probe = Err(why);
        }
    }
}

fn on_disk(jar: &[u8]) -> std::io::Result<Rc<NamedTempFile>> {
    let mut file = tempfile::Builder::new().prefix("toll-").suffix(".jar").tempfile()?;
    file.write_all(jar)?;
    Ok(Rc::new(file))
}

fn start(jvm: &Jvm, jar: Rc<NamedTempFile>) -> Result<SharedJvm, String> {
    let mut command = Command::new(&jvm.launcher);
    command.args(FLAGS).arg("-cp").arg(jar.path()).arg(CLASS);
    // Agents and flags meant for the user's own programs stay out of this one.
    for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"] {
        command.env_remove(variable);
    }
    let worker =
        Worker::on_standard_streams(command).map_err(|e| format!("it cannot be started: {e}"))?;
    let mut running = RunningJvm { worker, _jar: jar };
    running.worker.send(b"describe\n")?;
    let description = running.worker.receive_line(STARTING)?;
    if description.starts_with("error") {
        return Err(complaint(&description));
    }
    Ok(Rc::new(RefCell::new(running)))
}

fn complaint(line: &str) -> String {
    match line.strip_prefix("error ") {
        Some(why) => why.to_string(),
        None => format!("it answered {:?}", line.chars().take(80).collect::<String>()),
    }
}

/// Adds the rows of every JVM. What is compiled by now runs on the same CPU as everything else.
pub(super) fn add(table: &mut Table<'_>, started: Vec<Started>, cpu: u32) {
    for Started { jvm, probe } in started {
        let subject = |operation: &str| Subject {
            runtime: jvm.runtime(),
            ..Subject::clock(operation, Path::Libc, Shape::ONE)
        };
        match probe {
            Err(why) => {
                for operation in OPERATIONS {
                    table.missing(subject(operation), format!("{}: {why}", jvm.launcher));
                }
            }
            Ok(running) => {
                running.borrow().worker.pin_all_threads(cpu);
                let bench = |operation| InJvm { jvm: running.clone(), operation };
                let empty = table.baseline(bench(EMPTY));
                for operation in OPERATIONS {
                    let row = table.row(subject(operation), Some(empty), Ok(bench(operation)));
                    table.note(row, format!("in {}, compiled, one thread", jvm.home));
                }
            }
        }
    }
}

/// One operation in a running JVM.
struct InJvm {
    jvm: SharedJvm,
    operation: &'static str,
}

impl Bench for InJvm {
    fn run(&mut self, calls: u64) -> Result<Block, String> {
        let worker = &mut self.jvm.borrow_mut().worker;
        worker.send(format!("run {} {calls}\n", self.operation).as_bytes())?;
        let line = worker.receive_line(BLOCK)?;
        parse(&line).ok_or_else(|| complaint(&line))
    }
}

/// `<elapsed ns> <calls> [<times switched out>]`.
fn parse(line: &str) -> Option<Block> {
    let mut words = line.split(' ');
    let nanos: u64 = words.next()?.parse().ok()?;
    let calls: u64 = words.next()?.parse().ok().filter(|&calls| calls > 0)?;
    let switches: u64 = words.next().map_or(Some(0), |word| word.parse().ok())?;
    Some(Block { nanos: nanos as f64, calls, disturbed: switches > 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_nonsense_is_not() {
        assert_eq!(parse("1000 16"), Some(Block { nanos: 1000.0, calls: 16, disturbed: false }));
        assert_eq!(parse("1000 16 2").map(|b| b.disturbed), Some(true));
        for nonsense in ["", "16", "x 16", "10 0", "error no such operation", "-5 16"] {
            assert_eq!(parse(nonsense), None, "{nonsense:?}");
        }
    }
}
