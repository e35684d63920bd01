//! What the tests of the program share: how it is started, and runs made by hand.
// Each test binary uses a part of it.
#![allow(dead_code)]

#[path = "../../../report/tests/common/mod.rs"]
pub(crate) mod runs;

pub(crate) mod fixtures;
pub(crate) mod shape;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use toll_model::Run;

/// The program, without what this shell's environment says of colour and width.
pub(crate) fn toll() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toll"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

/// Runs the program to its end.
pub(crate) fn output(args: &[&str]) -> Output {
    toll().args(args).output().expect("toll starts")
}

/// Standard output as text.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8 on stdout")
}

/// Standard error as text.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on stderr")
}

/// A folder with one run file in it.
pub(crate) struct Recorded {
    dir: TempDir,
}

impl Recorded {
    /// Writes `run` to `run.json` in a new folder.
    pub(crate) fn new(run: &Run) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(dir.path().join("run.json"), run.to_json()).expect("a run file");
        Recorded { dir }
    }

    /// The folder.
    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The run file.
    pub(crate) fn file(&self) -> PathBuf {
        self.dir.path().join("run.json")
    }

    /// The run file's path as an argument.
    pub(crate) fn arg(&self) -> String {
        self.file().display().to_string()
    }
}

/// Names in a folder, sorted.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The committed schema of run files.
const SCHEMA: &str = include_str!("../../../model/schema/toll-run-1.json");

/// Holds `text` against the committed schema and the format's own rules.
pub(crate) fn assert_valid(text: &str) -> Run {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).expect("the committed schema");
    let value = serde_json::from_str(text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    Run::from_json(text).expect("a run")
}
