//! What the terminal can show.

use crate::args::{Color, Common};
use std::io::IsTerminal;
use toll_report::{Styles, View};

/// The columns that running text fills off a terminal, and at most on one.
const WIDTH: usize = 100;

/// How views are to be drawn on standard output.
pub(crate) fn view(common: &Common) -> View {
    View {
        styles: if colour(common.color) { Styles::ansi() } else { Styles::none() },
        width: width().unwrap_or(WIDTH).clamp(60, WIDTH),
        verbose: common.verbose,
        quiet: common.quiet,
    }
}

// anstream knows the conventions: NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM=dumb.
fn colour(choice: Color) -> bool {
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
        }
    }
}

// Columns of the terminal behind standard output, if that is one.
fn width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    // SAFETY: TIOCGWINSZ fills a winsize, for which zero is a valid state.
    let size = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        let done = libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &mut size);
        (done == 0).then_some(size)?
    };
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}
