//! Standard output in a pipe, to a full device, with and without colour.

mod support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use support::{Recorded, output, runs, stderr, stdout, toll};
use toll_testing::Need;

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let recorded = Recorded::new(&runs::demoted());
    for flag in ["--verbose", "--json", "--plain"] {
        let mut child = toll()
            .args(["check", flag, "--fail-on", "never", "--from", &recorded.arg()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("toll starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("toll ends");
        assert_eq!(stderr(&output), "", "{flag}");
        assert_eq!(output.status.code(), Some(0), "{flag}");
    }
}

#[test]
fn one_line_is_enough_for_head() {
    let recorded = Recorded::new(&runs::demoted());
    let mut child = toll()
        .args(["check", "--from", &recorded.arg()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("toll starts");
    let mut first = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut first).expect("a line");
    drop(reader);
    let output = child.wait_with_output().expect("toll ends");
    assert!(first.starts_with("machine  AMD EPYC"), "{first}");
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_full_device_is_one_line_and_exit_2() {
    let recorded = Recorded::new(&runs::healthy());
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output = toll()
        .args(["check", "--from", &recorded.arg()])
        .stdout(full)
        .output()
        .expect("toll starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "toll: standard output cannot be written: no space left on device; \
         free some space or send it elsewhere\n"
    );
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let recorded = Recorded::new(&runs::demoted());
    let file = recorded.arg();
    let args = |color| ["check", "--from", file.as_str(), "--color", color];
    let coloured = |output: &std::process::Output| stdout(output).contains('\u{1b}');
    assert!(!coloured(&output(&args("auto"))), "a pipe is no terminal");
    assert!(coloured(&output(&args("always"))));
    assert!(!coloured(&output(&args("never"))));
    let no_color = |color| toll().env("NO_COLOR", "1").args(args(color)).output().expect("toll");
    assert!(!coloured(&no_color("auto")));
    assert!(coloured(&no_color("always")), "what was asked for by flag goes before NO_COLOR");
}

#[test]
fn on_a_terminal_there_is_colour_unless_no_color_is_set() {
    toll_testing::needs!(Need::Program("script"));
    let recorded = Recorded::new(&runs::demoted());
    let line = format!("{} check --from {}", env!("CARGO_BIN_EXE_toll"), recorded.arg());
    let on_terminal = |no_color: Option<&str>| {
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").env_remove("NO_COLOR");
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        stdout(&command.stdin(Stdio::null()).output().expect("script starts"))
    };
    assert!(on_terminal(None).contains("\u{1b}["));
    assert!(!on_terminal(Some("1")).contains("\u{1b}["));
    assert!(on_terminal(Some("")).contains("\u{1b}["), "empty means not set: no-color.org");
}

#[test]
fn messages_never_mix_with_data() {
    let recorded = Recorded::new(&runs::healthy());
    for flag in ["--json", "--plain"] {
        let output = output(&["check", flag, "--from", &recorded.arg()]);
        assert_eq!(stderr(&output), "");
        let text = stdout(&output);
        assert!(text.starts_with(if flag == "--json" { "{" } else { "kind\tid\t" }), "{text}");
    }
}
