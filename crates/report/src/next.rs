//! The closing line: the next command to type.

use crate::view::View;
use toll_model::{Level, Run};

/// After `toll check`: the proof of the worst finding if it was not shown, else the full figures.
/// `from` is the run file that was read, where nothing was measured.
pub(crate) fn after_check(run: &Run, view: &View, from: Option<&str>) -> (String, &'static str) {
    let grave = run.findings.iter().find(|f| f.level >= Level::Warn && !f.evidence.is_empty());
    match (grave, from) {
        (Some(finding), Some(file)) if !view.verbose && file != "-" => {
            (format!("toll check --from {} --only {} -v", quoted(file), finding.id), "the evidence")
        }
        (Some(finding), None) if !view.verbose => {
            (format!("toll check --only {} -v", finding.id), "the evidence")
        }
        (_, Some(_)) => ("toll check".into(), "this machine, now"),
        (_, None) => ("toll measure clocks".into(), "every path, with intervals, idle and in situ"),
    }
}

// Quoted for a shell if it holds anything but the plainest characters.
fn quoted(file: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !file.is_empty() && file.chars().all(plain) {
        file.to_owned()
    } else {
        format!("'{}'", file.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_file_name_survives_the_shell() {
        assert_eq!(quoted("runs/a.json"), "runs/a.json");
        assert_eq!(quoted("my run.json"), "'my run.json'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
