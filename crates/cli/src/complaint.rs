//! What toll says when it cannot go on: cause and remedy, in one line.

use clap::error::ErrorKind;
use std::fmt;

/// `cause; remedy`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Complaint(String);

impl Complaint {
    /// A cause and what helps against it.
    pub(crate) fn new(cause: impl fmt::Display, remedy: impl fmt::Display) -> Self {
        Complaint::whole(format!("{cause}; {remedy}"))
    }

    /// A message that holds both already.
    pub(crate) fn whole(message: impl fmt::Display) -> Self {
        let text = message.to_string();
        Complaint(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// clap's several lines as one: its message, its tips, and where to read on.
    pub(crate) fn of_arguments(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let help = format!("see `{} --help`", verb(&text));
        if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Complaint::new(format_args!("`{}` of what?", verb(&text)), help);
        }
        let mut paragraphs = text.split("\n\n");
        let message = paragraphs.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message).trim();
        let tips: Vec<&str> = paragraphs
            .flat_map(str::lines)
            .filter_map(|line| line.trim().strip_prefix("tip: "))
            .collect();
        let remedy = if tips.is_empty() { help } else { tips.join("; ") };
        Complaint::new(message, remedy)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// The words before the options in clap's usage line: `toll measure`.
fn verb(rendered: &str) -> String {
    let usage = rendered.lines().find_map(|line| line.trim().strip_prefix("Usage: "));
    let words = usage.unwrap_or("toll").split_whitespace();
    words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect::<Vec<_>>().join(" ")
}

/// The system's words for an error, without Rust's "(os error 13)".
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser;

    fn complaint(line: &[&str]) -> String {
        Complaint::of_arguments(&Cli::try_parse_from(line).unwrap_err()).to_string()
    }

    #[test]
    fn bad_arguments_are_one_line_with_a_way_out() {
        assert_eq!(
            complaint(&["toll", "check", "--form", "x"]),
            "unexpected argument '--form' found; a similar argument exists: '--from'"
        );
        assert_eq!(
            complaint(&["toll", "--color", "blue"]),
            "invalid value 'blue' for '--color <WHEN>' [possible values: auto, always, never]; \
             see `toll --help`"
        );
        assert_eq!(
            complaint(&["toll", "measure"]),
            "`toll measure` of what?; see `toll measure --help`"
        );
        assert_eq!(
            complaint(&["toll", "measure", "clocks", "--duration", "5h"]),
            "invalid value '5h' for '--duration <TIME>': expected seconds, or a time such as 5s, \
             200ms or 2m; see `toll --help`"
        );
        assert_eq!(
            complaint(&["toll", "chek"]),
            "unrecognized subcommand 'chek'; a similar subcommand exists: 'check'"
        );
    }

    #[test]
    fn reasons_are_in_plain_words() {
        let error = std::io::Error::from_raw_os_error(libc::ENOENT);
        assert_eq!(reason(&error), "no such file or directory");
        assert_eq!(reason(&std::io::Error::other("odd")), "odd");
    }
}
