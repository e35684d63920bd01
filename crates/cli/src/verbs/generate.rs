//! `toll generate`: completions and man pages, from the command line's own definition.

use crate::args::{Cli, Generate};
use crate::complaint::{Complaint, reason};
use crate::exit::Exit;
use crate::output::print;
use clap::CommandFactory;

/// Runs the verb.
///
/// # Errors
/// The folder cannot be made or written to.
pub(crate) fn run(what: &Generate) -> Result<Exit, Complaint> {
    match what {
        Generate::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "toll", &mut script);
            print(&String::from_utf8_lossy(&script))?;
        }
        Generate::Man { folder } => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
            .map_err(|error| {
                Complaint::new(
                    format_args!("{} cannot be written: {}", folder.display(), reason(&error)),
                    "choose a directory that you may write to",
                )
            })?,
    }
    Ok(Exit::Fine)
}
