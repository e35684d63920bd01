//! The command line as plain data. Help texts, completions and man pages come from here.

use crate::exit;
use crate::numbers::Numbers;
use crate::span::Span;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use std::path::PathBuf;
use toll_model::Level;

/// Find the tolls that no source line shows, price them on this machine, and prove their cause.
///
/// Programs pay to read the clock, to cross into the kernel, to get memory. toll measures what that
/// costs here, says who is to blame, and what to try. Without a verb it runs `toll check`.
#[derive(Debug, Parser)]
#[command(
    name = "toll",
    version,
    max_term_width = 100,
    after_help = exit::HELP,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Say in seconds what tolls cost here, whether that is right, why, and what to do
    ///
    /// Marks: ✗ error, a toll is 5 times what it could be here; ! warning, from 1.5 times; i a
    /// remark; ✓ in order; – could not be judged, with the reason.
    #[command(after_help = exit::HELP)]
    Check(CheckArgs),
    /// Measure one kind of toll in full
    #[command(subcommand)]
    Measure(Measure),
    /// Write what packagers need
    #[command(subcommand, hide = true)]
    Generate(Generate),
}

/// The tolls that can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum Measure {
    /// What reading each clock costs, by every path, idle and among cache misses
    #[command(after_help = exit::HELP)]
    Clocks(ClocksArgs),
}

/// Hidden: for `make` and packages.
#[derive(Debug, Subcommand)]
pub(crate) enum Generate {
    /// Completions for a shell, to standard output
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Man pages, one file a verb
    Man {
        /// Folder to write them to; made if it is missing
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}

/// See [`Verb::Check`].
#[derive(Debug, Default, Args)]
pub(crate) struct CheckArgs {
    /// Run only these checks; may be given several times
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// List the checks and what each looks for
    #[arg(long, conflicts_with_all = ["only", "from", "output"])]
    pub(crate) list_checks: bool,
    /// Judge a recorded run file instead of this machine; `-` is standard input
    #[arg(long, value_name = "RUN.json", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,
}

/// See [`Measure::Clocks`].
#[derive(Debug, Args)]
pub(crate) struct ClocksArgs {
    /// Clocks to measure, `CLOCK_MONOTONIC`, `monotonic`, `gettimeofday`, `rdtsc`, …; all if none
    /// is named
    #[arg(value_name = "CLOCK")]
    pub(crate) clocks: Vec<String>,
    /// Let so many threads read at once, `8`, `1..8` or `1,2,4`: what each call costs then, and what
    /// the whole system gets done
    #[arg(long, value_name = "N..M")]
    pub(crate) threads: Option<Numbers>,
    /// The same with processes
    #[arg(long, value_name = "N..M")]
    pub(crate) processes: Option<Numbers>,
    /// How each clock steps from one reading to the next, instead of prices
    #[arg(long, conflicts_with_all = ["threads", "processes"])]
    pub(crate) steps: bool,
    /// How long single readings take, instead of prices: median, 99th and 99.9th percentile, longest
    #[arg(long, conflicts_with_all = ["threads", "processes"])]
    pub(crate) latency: bool,
    /// Whether CPUs agree, instead of prices: every pair, with and without a fence
    #[arg(long, conflicts_with_all = ["threads", "processes"])]
    pub(crate) order: bool,
    /// CPUs to measure on, `2` or `0-3,8`; one thread uses the first of them, many fill them in this
    /// order
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Time for measuring: seconds, or `5s`, `200ms`, `2m`
    #[arg(long, value_name = "TIME")]
    pub(crate) duration: Option<Span>,
    /// Measure in a quarter of the usual time; intervals are wider
    #[arg(long, conflicts_with = "duration")]
    pub(crate) quick: bool,
    /// Leave out the measurement among cache misses
    #[arg(long, conflicts_with_all = ["threads", "processes"])]
    pub(crate) no_in_situ: bool,
    /// Measure this JVM, a `java` launcher or a Java home, instead of those found; may be given
    /// several times
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) java: Vec<PathBuf>,
    /// Measure no JVM
    #[arg(long, conflicts_with = "java")]
    pub(crate) no_java: bool,
    /// Seed of the random order of blocks, to repeat a run
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// Flags that mean the same with every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Common {
    /// Print the run file (toll-run/1, JSON) instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Write the run file here too, whole or not at all
    #[arg(short, long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print one tab-separated line a result, with a header; stable for scripts
    #[arg(long, global = true, conflicts_with = "json")]
    pub(crate) plain: bool,
    /// When to use colour; `auto` heeds NO_COLOR
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) color: Color,
    /// Only the answer itself: no progress, no hints, no all-clears
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// More: evidence, notes, further columns
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Exit with 1 from this level of findings on; `error` if not given
    #[arg(
        long,
        global = true,
        value_name = "LEVEL",
        default_value = "error",
        hide_default_value = true
    )]
    pub(crate) fail_on: FailOn,
}

/// When to use colour. (The variants' names say it all; documented ones would swell the help.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// The level of findings from which on the exit code is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    Error,
    Warn,
    Info,
    Never,
}

impl FailOn {
    /// The least level that fails; `None` where nothing does.
    pub(crate) fn threshold(self) -> Option<Level> {
        match self {
            FailOn::Error => Some(Level::Error),
            FailOn::Warn => Some(Level::Warn),
            FailOn::Info => Some(Level::Info),
            FailOn::Never => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn common_flags_may_stand_before_or_behind_the_verb() {
        for line in [
            ["toll", "--plain", "-q", "measure", "clocks"],
            ["toll", "measure", "clocks", "--plain", "-q"],
        ] {
            let cli = Cli::try_parse_from(line).expect("a good command line");
            assert!(cli.common.plain && cli.common.quiet, "{line:?}");
        }
    }
}
