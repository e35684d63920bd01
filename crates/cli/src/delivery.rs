//! Where a verb's result goes: text, JSON or plain rows to standard output, the run file to `-o`.

use crate::args::Common;
use crate::complaint::Complaint;
use crate::destination::Destination;
use crate::output::print;
use crate::term;
use std::path::Path;
use toll_model::{Host, Run};
use toll_report::{View, host_lines, plain};

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Plain,
}

/// Where the result of one run goes, settled before anything is measured.
pub(crate) struct Delivery {
    form: Form,
    destination: Option<Destination>,
    /// How text is drawn.
    pub(crate) view: View,
}

impl Delivery {
    /// Reads the flags and finds out whether the file can be written.
    ///
    /// # Errors
    /// The file behind `-o` cannot be written.
    pub(crate) fn open(common: &Common) -> Result<Self, Complaint> {
        let to_stdout = common.output.as_deref() == Some(Path::new("-"));
        let destination = match &common.output {
            Some(path) if !to_stdout => Some(Destination::check(path)?),
            _ => None,
        };
        let form = match (common.json || to_stdout, common.plain) {
            (true, _) => Form::Json,
            (false, true) => Form::Plain,
            (false, false) => Form::Text,
        };
        Ok(Delivery { form, destination, view: term::view(common) })
    }

    /// Prints who this host is, before anything is measured: something to read while it runs.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn introduce(&self, host: &Host) -> Result<(), Complaint> {
        if self.form != Form::Text || self.view.quiet {
            return Ok(());
        }
        print(&(host_lines::render(host, &self.view) + "\n"))
    }

    /// Writes the file, then prints; `text` makes the view for people.
    ///
    /// # Errors
    /// Whatever could not be written; what could be, was.
    pub(crate) fn finish(
        &self,
        run: &Run,
        text: impl FnOnce(&View) -> String,
    ) -> Result<(), Complaint> {
        let needs_json = self.form == Form::Json || self.destination.is_some();
        let json = if needs_json { run.to_json() } else { String::new() };
        let written = self.destination.as_ref().map_or(Ok(()), |file| file.write(&json));
        let printed = match self.form {
            Form::Json => print(&json),
            Form::Plain => print(&plain::render(run)),
            Form::Text => print(&text(&self.view)),
        };
        written.and(printed)
    }
}
