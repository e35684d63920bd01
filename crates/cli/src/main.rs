//! The program `toll`: arguments in, one verb, text and an exit code out.
//!
//! Each verb is a file in `verbs/`. Data goes to standard output, everything said about it to
//! standard error. Exit codes are in [`exit`].

mod args;
mod complaint;
mod delivery;
mod destination;
mod embedded;
mod exit;
mod interrupt;
mod java;
mod measuring;
mod numbers;
mod output;
mod progress;
mod span;
mod started;
mod term;
mod verbs;

use crate::args::{Cli, Verb};
use crate::complaint::Complaint;
use crate::exit::Exit;
use crate::output::complain;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let started = started::Started::now();
    let outcome = match Cli::try_parse() {
        Ok(cli) => dispatch(&cli, &started),
        // Help and version are answers, not errors; clap sends them where they belong.
        Err(error) if error.exit_code() == 0 => {
            let _ = error.print();
            Ok(Exit::Fine)
        }
        Err(error) => Err(Complaint::of_arguments(&error)),
    };
    let exit = outcome.unwrap_or_else(|complaint| {
        complain(&complaint);
        Exit::Error
    });
    exit.into()
}

fn dispatch(cli: &Cli, started: &started::Started) -> Result<Exit, Complaint> {
    let common = &cli.common;
    match &cli.verb {
        None => verbs::check::run(&args::CheckArgs::default(), common, started),
        Some(Verb::Check(args)) => verbs::check::run(args, common, started),
        Some(Verb::Measure(args::Measure::Clocks(args))) => {
            verbs::measure_clocks::run(args, common, started)
        }
        Some(Verb::Generate(what)) => verbs::generate::run(what),
    }
}
