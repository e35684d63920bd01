//! The class that toll carries for JVMs, compiled here and run in every JVM of this machine.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use toll_testing::{Need, needs};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../java/probe/ClockProbe.java");
const OPERATIONS: [&str; 4] = ["empty", "currentTimeMillis", "nanoTime", "Instant.now"];

/// The folder with the compiled class.
fn compiled() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-probe");
        std::fs::create_dir_all(&folder).expect("cargo's folder for tests is writable");
        let output = Command::new("javac")
            .args(["--release", "8", "-Xlint:-options", "-d"])
            .args([&folder, Path::new(SOURCE)])
            .output()
            .expect("javac starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder
    })
}

fn launchers() -> Vec<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut launchers: Vec<PathBuf> = installed
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path().join("bin/java"))
        .filter(|launcher| launcher.is_file())
        .collect();
    if launchers.is_empty() {
        launchers.push("java".into());
    }
    launchers
}

/// Sends `requests`, then the end of the input.
fn ask(launcher: &Path, flags: &[&str], requests: &str) -> Output {
    let mut child = Command::new(launcher)
        .args(["-Xmx64m", "-XX:+UseSerialGC"])
        .args(flags)
        .arg("-cp")
        .arg(compiled())
        .arg("ClockProbe")
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the JVM starts");
    // A probe that failed on an earlier request no longer reads.
    let _ = child.stdin.take().expect("piped").write_all(requests.as_bytes());
    child.wait_with_output().expect("the JVM ends")
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(' ').map(|word| word.parse().unwrap_or_else(|_| panic!("{line:?}"))).collect()
}

#[test]
fn prices_come_out_in_every_jvm() {
    needs!(Need::Jvm, Need::Program("javac"));
    let mut requests = String::from("describe\n");
    OPERATIONS.iter().for_each(|op| requests += &format!("warm {op}\n"));
    for _ in 0..5 {
        OPERATIONS.iter().for_each(|op| requests += &format!("run {op} 20001\n"));
    }
    for launcher in launchers() {
        let output = ask(&launcher, &[], &requests);
        let name = launcher.display();
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        let answers = lines(&output);
        assert!(answers[0].starts_with("java.version="), "{name}: {}", answers[0]);
        assert!(answers[0].split('\t').all(|field| field.contains('=')), "{}", answers[0]);
        assert_eq!(answers[1..5], ["ok"; 4], "{name}");
        let least = |op: usize| {
            let runs = answers[5..].iter().skip(op).step_by(OPERATIONS.len()).map(|l| numbers(l));
            let prices = runs.map(|answer| {
                assert_eq!(answer[1], 20016.0, "whole bodies of 16, and said so");
                assert!(answer.len() == 3 && answer[2] >= 0.0, "Linux counts switches: {answer:?}");
                answer[0] / answer[1]
            });
            prices.fold(f64::INFINITY, f64::min)
        };
        let empty = least(0);
        assert!(empty < 1.0, "{name}: the loop alone is compiled: {empty} ns a call");
        for (op, operation) in OPERATIONS.iter().enumerate().skip(1) {
            // No clock was ever read in 2 ns through a JVM; if it seems so, calls were left out.
            let price = least(op) - empty;
            assert!(price > 2.0, "{name}: {operation} at {price} ns was computed away");
        }
    }
}

/// Methods for which `-XX:+PrintCompilation` last said that C2's code (tier 4) is in force.
fn in_force_by_c2(said: &str) -> BTreeSet<&str> {
    let mut in_force = BTreeSet::new();
    // `<ms> <id> <flags> <tier> <class>::<method> (<size> bytes) [made not entrant]`; the flag `%`
    // marks code that serves only for entering in the middle of a loop.
    for line in said.lines().filter(|line| !line.contains('%')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let tier_4 = words.windows(2).find(|pair| pair[0] == "4" && pair[1].contains("::"));
        if let Some(method) = tier_4.and_then(|pair| pair[1].strip_prefix("ClockProbe::")) {
            if line.contains("made not entrant") {
                in_force.remove(method);
            } else {
                in_force.insert(method);
            }
        }
    }
    in_force
}

#[test]
fn what_is_warm_was_compiled_by_c2_and_stays_so() {
    needs!(Need::Jvm, Need::Program("javac"));
    // What the JVM says of itself goes elsewhere, or it would fall between the probe's words.
    let flags = ["-XX:+PrintCompilation", "-XX:+DisplayVMOutputToStderr"];
    let mut requests = String::new();
    OPERATIONS.iter().for_each(|op| requests += &format!("warm {op}\n"));
    OPERATIONS.iter().for_each(|op| requests += &format!("run {op} 100000\n"));
    for launcher in launchers() {
        let output = ask(&launcher, &flags, &requests);
        assert_eq!(lines(&output)[..4], ["ok"; 4], "{}", launcher.display());
        let said = String::from_utf8_lossy(&output.stderr);
        let in_force = in_force_by_c2(&said);
        for method in ["empty", "currentTimeMillis", "nanoTime", "instantNow"] {
            // By itself, or as part of the method that times it.
            assert!(
                in_force.contains(method) || in_force.contains("time"),
                "{}: {method}:\n{said}",
                launcher.display()
            );
        }
    }
}

#[test]
fn each_loop_holds_its_sixteen_calls() {
    needs!(Need::Program("javac"), Need::Program("javap"));
    let output = Command::new("javap")
        .args(["-c", "-p", "-cp"])
        .arg(compiled())
        .arg("ClockProbe")
        .output()
        .expect("javap starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for (method, call) in [
        ("currentTimeMillis(int)", "java/lang/System.currentTimeMillis:"),
        ("nanoTime(int)", "java/lang/System.nanoTime:"),
        ("instantNow(int)", "java/time/Instant.now:"),
    ] {
        let body = text.split("\n\n").find(|body| body.contains(method)).expect("the method");
        assert_eq!(body.matches(call).count(), 16, "{body}");
    }
    let class = std::fs::read(compiled().join("ClockProbe.class")).expect("the class");
    assert_eq!(class[4..8], [0, 0, 0, 52], "the class file is Java 8's");
}

#[test]
fn what_goes_wrong_is_one_line_and_exit_3() {
    needs!(Need::Jvm, Need::Program("javac"));
    let launcher = &launchers()[0];
    for (request, words) in [
        ("run foo 16\n", "no such operation: foo"),
        ("run nanoTime 0\n", "0 calls"),
        ("run nanoTime many\n", "many"),
        ("warm\n", "not a request: warm"),
        ("\n", "not a request"),
    ] {
        let output = ask(launcher, &[], &format!("{request}describe\n"));
        let answers = lines(&output);
        assert_eq!((output.status.code(), answers.len()), (Some(3), 1), "{request:?}: {answers:?}");
        assert!(answers[0].starts_with("error ") && answers[0].contains(words), "{answers:?}");
    }
    let output = ask(launcher, &[], "");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "the end of the input");
}
