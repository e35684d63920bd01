//! Help, completions and man pages are made from one definition and hold the same things.

mod support;

use support::{names, output, stdout};

#[test]
fn help_of_every_verb() {
    for (name, args) in [
        ("help_toll", &["--help"] as &[&str]),
        ("help_toll_short", &["-h"]),
        ("help_check", &["check", "--help"]),
        ("help_measure", &["measure", "--help"]),
        ("help_measure_clocks", &["measure", "clocks", "--help"]),
    ] {
        let output = output(args);
        assert_eq!(output.status.code(), Some(0));
        insta::assert_snapshot!(name, stdout(&output));
    }
}

#[test]
fn hidden_verbs_stay_hidden() {
    assert!(!stdout(&output(&["--help"])).contains("generate"));
}

#[test]
fn completions_know_verbs_and_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&output(&["generate", "completions", shell]));
        for word in ["check", "clocks", "only", "list-checks", "fail-on"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn every_verb_has_a_man_page() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let folder = dir.path().join("man/man1");
    let output = output(&["generate", "man", &folder.display().to_string()]);
    assert_eq!(output.status.code(), Some(0));
    let pages = names(&folder);
    assert_eq!(pages, ["toll-check.1", "toll-measure-clocks.1", "toll-measure.1", "toll.1"]);
    let page = std::fs::read_to_string(folder.join("toll-check.1")).expect("a page");
    assert!(page.contains("list\\-checks") && page.contains("Exit codes"), "{page}");
}
