//! Bad input: one line with cause and remedy, exit 2, and help that says what is possible.
//!
//! The command lines with what they must answer are in `cmd/*.trycmd`.

mod support;

use support::{output, stderr, stdout};
use toll_testing::Need;

#[test]
fn answers_are_those_of_the_tables() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

/// Every one of these must end the same way, whatever it says.
#[test]
fn every_error_is_one_line_and_exit_2() {
    let cases: &[&[&str]] = &[
        &["chek"],
        &["measure"],
        &["generate"],
        &["check", "--only", "nonsense"],
        &["check", "--from", "/nonexistent/run.json"],
        &["check", "--from", "/"],
        &["check", "--from", "/dev/null"],
        &["check", "-o", "/nonexistent/run.json"],
        &["check", "-o", "/"],
        &["check", "-o", "/proc/run.json"],
        &["check", "-o", ""],
        &["check", "--json", "--plain"],
        &["check", "-q", "-v"],
        &["check", "--fail-on", "always"],
        &["measure", "clocks", "CLOCK_SUNDIAL"],
        &["measure", "clocks", ""],
        &["measure", "clocks", "--cpus", "65000"],
        &["measure", "clocks", "--cpus", "3-1"],
        &["measure", "clocks", "--cpus", ""],
        &["measure", "clocks", "--duration", "0"],
        &["measure", "clocks", "--duration", "-5"],
        &["measure", "clocks", "--duration", "soon"],
        &["measure", "clocks", "--java", "/nonexistent/java"],
        &["measure", "clocks", "--java", "/etc/passwd"],
        &["measure", "clocks", "--java", "/bin/true"],
        &["measure", "clocks", "--java", "/"],
        &["measure", "clocks", "--seed", "-1"],
        &["generate", "man", "/dev/null/man"],
        &["generate", "completions", "tcsh"],
    ];
    for args in cases {
        let output = output(args);
        let (out, err) = (stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{args:?}: {err}");
        assert_eq!(out, "", "{args:?}");
        assert_eq!(err.lines().count(), 1, "{args:?}: {err}");
        assert!(err.starts_with("toll: ") && err.contains("; "), "{args:?}: {err}");
        assert!(!err.contains("panicked") && !err.contains("os error"), "{args:?}: {err}");
    }
}

/// A launcher in the right place that is no JVM after all: it ends without a word.
#[test]
fn a_jvm_that_dies_is_one_line_and_exit_2() {
    toll_testing::needs!(Need::File("/bin/false"));
    let home = tempfile::tempdir().expect("a temporary folder");
    for folder in ["bin", "lib/server"] {
        std::fs::create_dir_all(home.path().join(folder)).expect("a folder");
    }
    std::fs::copy("/bin/false", home.path().join("bin/java")).expect("a launcher");
    std::fs::write(home.path().join("lib/server/libjvm.so"), "").expect("a library");
    let out = home.path().join("run.json");
    let (java, file) = (home.path().display().to_string(), out.display().to_string());
    let args = ["measure", "clocks", "monotonic", "--quick", "--java", &java, "-o", &file];
    let output = output(&args);
    let err = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("toll: ") && err.contains("bin/java: it "), "{err}");
    assert!(err.ends_with("; try it by hand, or leave Java out with --no-java\n"), "{err}");
    assert!(!out.exists(), "nothing is written of a run that did not take place");
}

#[test]
fn a_cpu_that_is_not_allowed_is_told_beside_those_that_are() {
    toll_testing::needs!(Need::Cpus(2), Need::Program("taskset"));
    let host = toll_host::read(&toll_host::Roots::live());
    let allowed = host.cpu.allowed.known().expect("the CPUs of this process");
    let (one, other) = (allowed[0].to_string(), allowed[1].to_string());
    let toll = env!("CARGO_BIN_EXE_toll");
    let output = std::process::Command::new("taskset")
        .args(["-c", &one, toll, "measure", "clocks", "--cpus", &other])
        .output()
        .expect("taskset starts");
    assert_eq!(output.status.code(), Some(2));
    let expected = format!("toll: CPU {other} is not allowed to this process; choose from {one}\n");
    assert_eq!(stderr(&output), expected);
}

#[test]
fn bytes_that_are_no_text_are_no_panic() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"/nonexistent/\xff\xfe.json");
    for args in [["check", "--from"], ["check", "-o"]] {
        let output = support::toll().args(args).arg(odd).output().expect("toll starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
    }
}

#[test]
fn a_run_file_of_another_kind_says_what_is_wrong_with_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let run = support::runs::healthy();
    let mut twice = run.clone();
    twice.measurements.push(run.measurements[0].clone());
    for (text, says) in [
        ("", "not a run file"),
        ("[1, 2]", "not a run file"),
        (r#"{"schema": "toll-run/9"}"#, r#"schema is "toll-run/9""#),
        (r#"{"schema": "toll-run/1"}"#, "missing field"),
        (twice.to_json().as_str(), "the id occurs twice"),
        (&run.to_json()[..2000], "not a run file"),
    ] {
        let path = dir.path().join("run.json");
        std::fs::write(&path, text).expect("a file");
        let output = output(&["check", "--from", &path.display().to_string()]);
        let err = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(says) && err.lines().count() == 1, "{err}");
        assert_eq!(stdout(&output), "");
    }
}
