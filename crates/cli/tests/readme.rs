//! README.md's console blocks are run: each command must succeed, and its output must have every
//! landmark of the output that is printed there.

mod support;

use std::path::Path;
use std::process::Command;
use support::shape::landmarks;

/// The least number of commands that a README must show.
const LEAST: usize = 3;

#[test]
fn the_readme_shows_what_the_program_does() {
    const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    toll_testing::needs!(toll_testing::Need::File(README));
    let readme = std::fs::read_to_string(README).expect("README.md");
    let shown = commands(&readme);
    assert!(shown.len() >= LEAST, "README.md shows {} commands of toll", shown.len());
    // One folder for all, so that a later command can read what an earlier one wrote.
    let dir = tempfile::tempdir().expect("a temporary folder");
    for Shown { command, output } in &shown {
        let (code, actual) = run(command, dir.path());
        // Findings are an answer, and a README may show what an error looks like.
        let expected: &[i32] = match output.starts_with("toll: ") {
            true => &[2],
            false if command.starts_with("toll check") || *command == "toll" => &[0, 1],
            false => &[0],
        };
        assert!(expected.contains(&code), "`{command}` ended with {code}:\n{actual}");
        let (printed, found) = (landmarks(output), landmarks(&actual));
        assert!(output.trim().is_empty() || !printed.is_empty(), "`{command}`: no landmark");
        let missing: Vec<&String> = printed.difference(&found).collect();
        assert!(
            missing.is_empty(),
            "`{command}` no longer prints {missing:#?}; it prints\n{actual}"
        );
    }
}

/// A command with what is printed under it.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    command: String,
    output: String,
}

/// The commands of all ```console blocks whose first word is `toll`.
fn commands(markdown: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let (mut inside, mut ours) = (false, false);
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```") {
            inside = !inside && line.trim() == "```console";
            ours = false;
        } else if let (true, Some(first)) = (inside, line.strip_prefix("$ ")) {
            let mut command = first.to_owned();
            while let Some(start) = command.strip_suffix('\\') {
                command = format!("{}{}", start, lines.next().unwrap_or_default().trim());
            }
            ours = command.split_whitespace().next() == Some("toll");
            if ours {
                found.push(Shown { command, output: String::new() });
            }
        } else if let (true, true, Some(last)) = (inside, ours, found.last_mut()) {
            last.output.push_str(line);
            last.output.push('\n');
        }
    }
    found
}

fn run(command: &str, folder: &Path) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_toll"));
    let mut path = program.parent().expect("a folder").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .expect("sh starts");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn commands_and_their_output_are_told_apart() {
    let text = "# Title\n```console\n$ make\nbuilding\n$ toll check -q\nfine\n\n$ toll \\\n  -v\n```\n\
                ```sh\n$ toll never\n```\n```console\n$ sudo toll check\nx\n```\n";
    let shown =
        |command: &str, output: &str| Shown { command: command.into(), output: output.into() };
    assert_eq!(commands(text), [shown("toll check -q", "fine\n\n"), shown("toll -v", "")]);
}

#[test]
fn the_shape_is_the_same_on_another_machine() {
    let here = "machine  AMD EPYC, 2 CPUs\n\nWhat reading a clock costs here, ns per call\n\
                \x20 clock   vDSO  libc\n  CLOCK_REALTIME  22.3   —¹\n  ¹ no libc\n\
                ! 640 ns is dear\n  clock.slow-clocksource\n    because it is\n\
                1 warning; 3 checks in order\nNext: toll measure clocks   (all)\n";
    let there = "machine  Graviton, 64 CPUs\n\nWhat reading a clock costs here, ns per call\n\
                 \x20 clock   vDSO  libc\n  CLOCK_REALTIME  35.1   36.0\n\
                 ✓ clock.slow-clocksource: all is well\n\
                 no findings; 4 checks in order\nNext: toll check --only x -v   (the evidence)\n";
    assert_eq!(landmarks(here), landmarks(there));
    assert_eq!(
        landmarks(here).into_iter().collect::<Vec<_>>(),
        [
            "check clock.slow-clocksource",
            "columns clock|vDSO|libc",
            "line What reading a clock costs here",
            "next",
            "row CLOCK_REALTIME",
            "row machine",
        ]
    );
}

#[test]
fn a_changed_program_is_noticed() {
    let printed = "  clock   vDSO  libc\n  CLOCK_REALTIME  22.3  22.6\n";
    for changed in ["  clock   vDSO  musl\n  CLOCK_REALTIME  1  2\n", "  clock   vDSO  libc\n"] {
        assert!(!landmarks(printed).is_subset(&landmarks(changed)), "{changed}");
    }
    assert_ne!(landmarks("  \"schema\": \"x\",\n"), landmarks("  \"shema\": \"x\",\n"));
    assert_ne!(landmarks("kind\tid\n"), landmarks("kind\tname\n"));
}
