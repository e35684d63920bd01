//! The program on this machine: it really measures here, in short.

mod support;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use support::{assert_valid, names, output, stderr, stdout, toll};
use toll_model::{CheckStatus, Measurement, Path, Stopped};

/// All of them pin themselves to the same CPU: side by side they would measure each other.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One clock, measured for a moment.
fn short(more: &[&str]) -> Output {
    let mut args = vec!["measure", "clocks", "monotonic", "--no-java", "--duration", "2s"];
    args.extend(more);
    output(&args)
}

fn start(args: &[String]) -> Child {
    let mut command = toll();
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("toll starts")
}

#[test]
fn a_check_of_this_machine_is_whole_and_valid() {
    let _alone = alone();
    let began = Instant::now();
    let output = output(&["check", "--json", "--fail-on", "never"]);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "off a terminal nothing is said");
    let run = assert_valid(&stdout(&output));
    assert!(run.host.kernel.known().is_some());
    assert_eq!(run.tool.command[1..], ["check", "--json", "--fail-on", "never"]);
    assert!(run.tool.duration_seconds > 0.1, "{}", run.tool.duration_seconds);
    assert!(run.checks.len() >= 11, "{}", run.checks.len());
    for check in run.checks.iter().filter(|check| check.status == CheckStatus::Found) {
        assert!(run.findings.iter().any(|finding| finding.id == check.id), "{}", check.id);
    }
    for clock in ["CLOCK_REALTIME", "CLOCK_MONOTONIC", "gettimeofday", "time"] {
        for path in ["vdso", "libc", "syscall"] {
            let id = format!("clock/{clock}/{path}/native/t1");
            assert!(run.measurement(&id).is_some(), "{id}");
        }
    }
    assert!(run.quality.is_some_and(|quality| quality.rounds > 0));
    assert!(!run.probes.steps.is_empty() && !run.probes.vdso_fallbacks.is_empty());
}

#[test]
fn one_clock_is_measured_by_every_path() {
    let _alone = alone();
    let output = short(&["--json", "--seed", "7"]);
    let run = assert_valid(&stdout(&output));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(run.quality.as_ref().map(|quality| quality.seed), Some(7));
    assert!(run.checks.is_empty() && run.findings.is_empty());
    let others: Vec<&str> = run
        .measurements
        .iter()
        .filter(|row| row.subject.toll == "clock" && row.subject.path == Path::Vdso)
        .map(|row| row.subject.operation.as_str())
        .filter(|&operation| operation != "CLOCK_MONOTONIC")
        .collect();
    assert_eq!(others, [""; 0], "only what was named");
    let syscall = run.measurement("clock/CLOCK_MONOTONIC/syscall/native/t1").expect("the row");
    assert!(syscall.median.is_some_and(|ns| ns > 10.0), "{syscall:?}");
}

#[test]
fn without_in_situ_no_row_has_misses() {
    let _alone = alone();
    let run = assert_valid(&stdout(&short(&["--json", "--no-in-situ"])));
    let in_situ = run.measurements.iter().filter(|row| row.subject.shape.to_string().contains('k'));
    assert_eq!(in_situ.count(), 0);
}

#[test]
fn the_host_is_told_before_anything_is_measured() {
    let _alone = alone();
    let args = ["measure", "clocks", "monotonic", "--no-java", "--duration", "4s"];
    let mut child = start(&args.map(str::to_owned));
    let began = Instant::now();
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut first).expect("a line");
    let waited = began.elapsed();
    assert!(first.starts_with("machine  "), "{first}");
    assert!(waited < Duration::from_secs(1), "{waited:?} of a run of 4 s");
    interrupt(&child);
    child.wait().expect("toll ends");
}

#[test]
fn an_interrupt_prints_what_was_got_and_ends_with_130() {
    let _alone = alone();
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("run.json");
    let args: Vec<String> = ["measure", "clocks", "--no-java", "--duration", "10m", "-o"]
        .iter()
        .map(ToString::to_string)
        .chain([file.display().to_string()])
        .collect();
    let mut child = start(&args);
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    reader.read_line(&mut text).expect("a line");
    // Into the measurement itself.
    std::thread::sleep(Duration::from_millis(1_500));
    interrupt(&child);
    let began = Instant::now();
    reader.read_to_string(&mut text).expect("the rest");
    let status = child.wait().expect("toll ends");
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(status.code(), Some(130), "{text}");
    assert!(text.contains("CLOCK_MONOTONIC ") && text.contains("How this was measured"), "{text}");
    let run = assert_valid(&std::fs::read_to_string(&file).expect("the file"));
    let stopped = |row: &Measurement| {
        let why = row.unavailable.as_deref().unwrap_or_default();
        row.stopped == Some(Stopped::Interrupted) || why.starts_with("interrupted")
    };
    assert!(run.measurements.iter().any(stopped));
    assert_eq!(names(dir.path()), ["run.json"]);
}

#[test]
fn a_termination_is_an_interrupt_too() {
    let _alone = alone();
    let mut child = start(&["check".to_owned()]);
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    reader.read_line(&mut text).expect("a line");
    signal(&child, libc::SIGTERM);
    reader.read_to_string(&mut text).expect("the rest");
    assert_eq!(child.wait().expect("toll ends").code(), Some(130), "{text}");
    assert!(text.contains("Next: "), "{text}");
}

fn interrupt(child: &Child) {
    signal(child, libc::SIGINT);
}

fn signal(child: &Child, signal: libc::c_int) {
    let pid = libc::pid_t::try_from(child.id()).expect("a pid");
    // SAFETY: the child was started here and has not been waited for: the pid is its own.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

#[test]
fn many_at_once_are_rows_points_and_a_verdict() {
    let _alone = alone();
    let args =
        ["measure", "clocks", "monotonic", "--threads", "1..2", "--duration", "1s", "--json"];
    let output = output(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = assert_valid(&stdout(&output));
    let ids: Vec<&str> = run.measurements.iter().map(|row| row.id.as_str()).collect();
    assert!(ids.contains(&"clock/CLOCK_MONOTONIC/vdso/native/t2"), "{ids:?}");
    assert!(ids.contains(&"clock/CLOCK_MONOTONIC/syscall/native/t2"), "{ids:?}");
    // A busy machine may disturb every slice; then each row says so and there is no verdict.
    let told = run.measurements.iter().any(|row| row.median.is_some());
    assert_eq!(told, !run.scaling.is_empty());
}

#[test]
fn what_is_observed_instead_of_prices_is_in_the_run() {
    let _alone = alone();
    let flags = ["--steps", "--latency", "--order"];
    let args = ["measure", "clocks", "monotonic-coarse", "--duration", "400ms", "--json"];
    let output = output(&[&args[..], &flags].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = assert_valid(&stdout(&output));
    let steps = run.probes.steps[0].outcome.known().expect("the coarse clock steps");
    let counted: u64 = steps.distribution.iter().map(|bin| bin.count).sum();
    assert_eq!((counted, steps.backward), (steps.readings, 0));
    let latency = run.probes.latencies[0].outcome.known().expect("single readings");
    assert!(latency.max_ns >= latency.p50_ns);
    let pairs = run.host.cpu.allowed.known().map_or(0, |cpus| cpus.len() * (cpus.len() - 1) / 2);
    assert_eq!(run.probes.core_offsets.len(), pairs);
}
