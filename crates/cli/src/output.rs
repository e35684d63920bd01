//! Standard output and standard error. A reader that went away is no error.

use crate::complaint::{Complaint, reason};
use std::io::{ErrorKind, Write};

/// Writes data to standard output and flushes it.
///
/// # Errors
/// Anything but a closed pipe: whoever closed it has seen enough.
pub(crate) fn print(text: &str) -> Result<(), Complaint> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Complaint::new(
            format_args!("standard output cannot be written: {}", reason(&error)),
            "free some space or send it elsewhere",
        )),
        _ => Ok(()),
    }
}

/// One line on standard error, with the program's name before it.
pub(crate) fn complain(complaint: &Complaint) {
    say(&format!("toll: {complaint}"));
}

/// One line on standard error.
pub(crate) fn say(line: &str) {
    // If standard error is gone, nobody is left to tell.
    let _ = writeln!(std::io::stderr(), "{line}");
}
