//! The run file: what `--json` and `-o` write, and what `--from` makes of it.

mod support;

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use support::{Recorded, assert_valid, names, output, runs, stderr, stdout, toll};
use toll_testing::Need;

#[test]
fn json_is_valid_and_can_be_judged_again() {
    let recorded = Recorded::new(&runs::demoted());
    let first = output(&["check", "--json", "--from", &recorded.arg()]);
    let run = assert_valid(&stdout(&first));
    assert!(!run.checks.is_empty());
    // The same through a pipe.
    let mut child = toll()
        .args(["check", "--json", "--from", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("toll starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, &first.stdout).expect("toll reads");
    drop(stdin);
    let second = child.wait_with_output().expect("toll ends");
    assert_eq!(stdout(&second), stdout(&first));
    assert_eq!(second.status.code(), first.status.code());
}

#[test]
fn a_recorded_run_keeps_its_own_measurements_and_tool() {
    let run = runs::healthy();
    let recorded = Recorded::new(&run);
    let again = assert_valid(&stdout(&output(&["check", "--json", "--from", &recorded.arg()])));
    assert_eq!(again.tool, run.tool);
    assert_eq!(again.measurements, run.measurements);
    assert_eq!(again.host, run.host);
}

#[test]
fn the_file_is_written_while_text_is_shown() {
    let recorded = Recorded::new(&runs::healthy());
    let out = recorded.dir().join("out.json");
    let args = ["check", "--from", &recorded.arg(), "-o", &out.display().to_string()];
    let output = output(&args);
    assert!(stdout(&output).starts_with("machine  "), "{}", stdout(&output));
    assert_valid(&std::fs::read_to_string(&out).expect("the file"));
    assert_eq!(names(recorded.dir()), ["out.json", "run.json"]);
}

#[test]
fn a_dash_is_standard_output() {
    let recorded = Recorded::new(&runs::healthy());
    let output = output(&["check", "--from", &recorded.arg(), "-o", "-"]);
    assert_valid(&stdout(&output));
    assert_eq!(names(recorded.dir()), ["run.json"]);
}

#[test]
fn a_run_file_may_be_replaced_by_its_own_judgement() {
    let recorded = Recorded::new(&runs::healthy());
    let output = output(&["check", "--from", &recorded.arg(), "-o", &recorded.arg()]);
    assert_eq!(stderr(&output), "");
    assert_valid(&std::fs::read_to_string(recorded.file()).expect("the file"));
}

#[test]
fn an_existing_file_outlives_a_failure() {
    let recorded = Recorded::new(&runs::healthy());
    let kept = recorded.dir().join("kept.json");
    std::fs::write(&kept, "precious").expect("a file");
    for bad in [["--from", "/nonexistent"], ["--only", "nonsense"]] {
        let mut args = vec!["check", "-o", kept.to_str().expect("a path")];
        args.extend(bad);
        assert_eq!(output(&args).status.code(), Some(2));
        assert_eq!(std::fs::read_to_string(&kept).expect("the file"), "precious");
        assert_eq!(names(recorded.dir()), ["kept.json", "run.json"]);
    }
}

#[test]
fn a_folder_without_permission_says_so_before_anything_else() {
    let root = Need::Root.is_met();
    if root {
        toll_testing::needs!(Need::Program("setpriv"));
    }
    let recorded = Recorded::new(&runs::healthy());
    let closed = recorded.dir().join("closed");
    std::fs::create_dir(&closed).expect("a folder");
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o555)).expect("chmod");
    std::fs::set_permissions(recorded.dir(), PermissionsExt::from_mode(0o755)).expect("chmod");
    let file = closed.join("run.json");
    let mut command = toll();
    if root {
        // Root may write anywhere, until it gives that capability up.
        command = Command::new("setpriv");
        command.args(["--bounding-set", "-all", "--inh-caps", "-all", env!("CARGO_BIN_EXE_toll")]);
    }
    let output = command
        .args(["check", "--from", &recorded.arg(), "-o", &file.display().to_string()])
        .output()
        .expect("toll starts");
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    let err = stderr(&output);
    assert!(err.contains("permission denied; choose a directory"), "{err}");
    assert_eq!(stdout(&output), "");
}
