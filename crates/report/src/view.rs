//! How a view is to be drawn: colours, width, how much of it.

use anstyle::{AnsiColor, Style};

/// What the caller of a view decides.
#[derive(Clone, Debug)]
pub struct View {
    /// Colours, or none.
    pub styles: Styles,
    /// Columns that running text may fill. Commands and tables are never broken.
    pub width: usize,
    /// Show the evidence behind findings and the notes on rows.
    pub verbose: bool,
    /// Show only what the verb was asked for: findings, or tables.
    pub quiet: bool,
}

impl Default for View {
    /// No colour, 100 columns, neither verbose nor quiet.
    fn default() -> Self {
        View { styles: Styles::none(), width: 100, verbose: false, quiet: false }
    }
}

/// The roles that text can play. A role is never told by colour alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Styles {
    /// A table's title.
    pub title: Style,
    /// A table's column names, ids, reasons: there when looked for.
    pub faint: Style,
    /// The summary of a finding.
    pub strong: Style,
    /// A command to type.
    pub command: Style,
    /// The mark ✓.
    pub good: Style,
    /// The mark `i`.
    pub info: Style,
    /// The mark !.
    pub warn: Style,
    /// The mark ✗.
    pub bad: Style,
}

impl Styles {
    /// No escape sequences at all.
    pub fn none() -> Self {
        Styles::default()
    }

    /// The sixteen colours that every terminal theme defines.
    pub fn ansi() -> Self {
        let colour = |colour: AnsiColor| colour.on_default();
        Styles {
            title: Style::new().bold(),
            faint: Style::new().dimmed(),
            strong: Style::new().bold(),
            command: colour(AnsiColor::Cyan),
            good: colour(AnsiColor::Green),
            info: colour(AnsiColor::Blue),
            warn: colour(AnsiColor::Yellow).bold(),
            bad: colour(AnsiColor::Red).bold(),
        }
    }
}

/// `text` in `style`.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
