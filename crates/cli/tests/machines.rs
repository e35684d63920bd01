//! What `toll check` says of every machine that was recorded or composed, word for word.

mod support;

use std::io::Write;
use std::process::Stdio;
use support::{fixtures, runs, stderr, stdout, toll};
use toll_testing::fixture_hosts;

/// The program's answer to a recorded run, by way of a pipe.
fn answer(json: &str, flags: &[&str]) -> String {
    let mut child = toll()
        .args(["check", "--from", "-", "--fail-on", "never"])
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("toll starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(json.as_bytes()).expect("toll reads");
    drop(stdin);
    let output = child.wait_with_output().expect("toll ends");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn every_machine_gets_its_answer() {
    let folders = fixture_hosts();
    assert!(folders.len() >= 10, "{folders:?}");
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let json = fixtures::run(&folder).to_json();
        insta::assert_snapshot!(name.clone(), answer(&json, &[]));
        let verbose = answer(&json, &["-v"]);
        assert!(verbose.len() > answer(&json, &["-q"]).len(), "{name}");
        for line in answer(&json, &[]).lines() {
            let command = line.trim_start().starts_with("try ");
            assert!(command || line.chars().count() <= 100, "{name}: {line}");
        }
    }
}

#[test]
fn a_machine_of_which_nothing_is_known_gets_an_answer_too() {
    insta::assert_snapshot!("blind", answer(&runs::blind().to_json(), &[]));
}
