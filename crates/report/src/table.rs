//! Tables without rules: a title, faint column names, columns two spaces apart.

use crate::view::{View, paint};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use toll_model::Run;

/// Where the text of a column stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table that is filled row by row.
pub(crate) struct Grid {
    title: String,
    table: Table,
}

impl Grid {
    /// An empty table with these columns, of figures of this run: those of an emulated machine are
    /// labelled so, wherever they are copied to.
    pub(crate) fn new(run: &Run, title: impl Into<String>, columns: &[(&str, Align)]) -> Self {
        let mut table = Table::new();
        table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(columns.iter().map(|(name, _)| *name));
        for (column, (_, align)) in table.column_iter_mut().zip(columns) {
            column.set_padding((2, 0));
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
        }
        let label = if run.host.hypervisor.emulated { ", EMULATED" } else { "" };
        Grid { title: title.into() + label, table }
    }

    /// One row more.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.table.add_row(cells);
    }

    /// Whether no row was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The title, the column names, the rows.
    pub(crate) fn render(&self, view: &View) -> String {
        let mut out = format!("{}\n", paint(view.styles.title, &self.title));
        for (n, line) in self.table.lines().enumerate() {
            let line = line.trim_end();
            if n == 0 {
                out.push_str(&paint(view.styles.faint, line));
            } else {
                out.push_str(line);
            }
            out.push('\n');
        }
        out
    }
}
