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
fn the_list_of_checks_has_every_form() {
    let text = stdout(&output(&["check", "--list-checks"]));
    insta::assert_snapshot!("list_checks", text);
    let ids: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let plain = stdout(&output(&["check", "--list-checks", "--plain"]));
    let plain: Vec<&str> = plain.lines().skip(1).filter_map(|l| l.split('\t').next()).collect();
    assert_eq!(plain, ids);
    let json = stdout(&output(&["check", "--list-checks", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let json: Vec<_> = json.as_array().expect("an array").iter().map(|c| &c["id"]).collect();
    assert_eq!(json, ids);
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
