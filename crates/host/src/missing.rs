//! Why something could not be read, in words meant for a person; and text from outside made fit to
//! be shown to one.

use std::io;

/// Why something could not be read: a path and a reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {why}")]
pub struct Missing {
    /// The path, as on the machine itself.
    pub path: String,
    /// What stood in the way.
    pub why: Why,
}

/// What stood in the way of a reading.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// Nothing is there; the text says what that means, if anything.
    #[error("not there{}", bracketed(.0))]
    NotThere(&'static str),
    /// Not allowed; the text says what would be needed, if it is known.
    #[error("permission denied{}", bracketed(.0))]
    Denied(&'static str),
    /// Something else than what was looked for.
    #[error("{0}")]
    Other(String),
}

fn bracketed(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!(" ({note})") }
}

impl Missing {
    /// Paths and reasons can hold what a file said: both are made fit to be shown.
    fn of(path: &str, why: Why) -> Self {
        Missing { path: clean(path, 300), why }
    }

    pub(crate) fn new(path: impl AsRef<str>, why: impl AsRef<str>) -> Self {
        Missing::of(path.as_ref(), Why::Other(clean(why.as_ref(), 1000)))
    }

    pub(crate) fn denied(path: &str) -> Self {
        Missing::of(path, Why::Denied(""))
    }

    pub(crate) fn from_io(path: &str, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound => Why::NotThere(""),
            io::ErrorKind::PermissionDenied => Why::Denied(""),
            _ => Why::Other(error.to_string()),
        };
        Missing::of(path, why)
    }

    /// Says what would be needed, should this be a matter of permission.
    pub(crate) fn needs(mut self, what: &'static str) -> Self {
        if let Why::Denied(needs) = &mut self.why {
            *needs = what;
        }
        self
    }

    /// Says what it means, should nothing be there.
    pub(crate) fn absent(mut self, meaning: &'static str) -> Self {
        if let Why::NotThere(note) = &mut self.why {
            *note = meaning;
        }
        self
    }

    pub(crate) fn is_denied(&self) -> bool {
        matches!(self.why, Why::Denied(_))
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self.why, Why::NotThere(_))
    }
}

/// Text from outside, made fit for a table: one line, no control characters, at most `limit` long.
pub(crate) fn clean(text: &str, limit: usize) -> String {
    let line = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let mut out: String =
        line.chars().take(limit).map(|c| if is_plain(c) { c } else { '\u{fffd}' }).collect();
    if line.chars().nth(limit).is_some() {
        out.push('…');
    }
    out
}

/// Neither a control character nor one that rearranges the text around it.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_steer_a_terminal() {
        assert_eq!(clean("  a\x1b[2Jb\u{202e}c\n", 50), "a\u{fffd}[2Jb\u{fffd}c");
        assert_eq!(clean("abcdef", 3), "abc…");
        assert_eq!(clean("äöü", 3), "äöü");
    }
}
