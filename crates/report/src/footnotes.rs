//! Numbered reasons under a table: why a cell holds no figure.

use crate::figure::NOTHING;
use crate::text::wrap;
use crate::view::{View, paint};

/// The reasons of one table, each once, in the order of their first use.
#[derive(Default)]
pub(crate) struct Footnotes {
    reasons: Vec<String>,
}

impl Footnotes {
    /// A cell without a figure, marked with the number of its reason: `—¹`.
    pub(crate) fn cell(&mut self, why: &str) -> String {
        format!("{NOTHING}{}", self.mark(why))
    }

    /// The superscript number of a reason.
    pub(crate) fn mark(&mut self, why: &str) -> String {
        let number = match self.reasons.iter().position(|known| known == why) {
            Some(at) => at + 1,
            None => {
                self.reasons.push(why.to_owned());
                self.reasons.len()
            }
        };
        superscript(number)
    }

    /// The reasons, one paragraph each.
    pub(crate) fn render(&self, view: &View) -> String {
        let mut out = String::new();
        for (n, why) in self.reasons.iter().enumerate() {
            let mark = superscript(n + 1);
            let indent = 3 + mark.chars().count();
            let first = format!("  {} ", paint(view.styles.faint, &mark));
            out.push_str(&wrap(&first, &" ".repeat(indent), indent, why, view.width));
        }
        out
    }
}

fn superscript(number: usize) -> String {
    number
        .to_string()
        .chars()
        .map(|digit| match digit {
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '0' => '⁰',
            // The other five follow U+2070 in order.
            other => char::from_u32(0x2040 + other as u32).unwrap_or(other),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_keeps_its_number() {
        let mut notes = Footnotes::default();
        assert_eq!(notes.cell("no vDSO"), "—¹");
        assert_eq!(notes.cell("no libc"), "—²");
        assert_eq!(notes.cell("no vDSO"), "—¹");
        assert_eq!(notes.render(&View::default()), "  ¹ no vDSO\n  ² no libc\n");
    }

    #[test]
    fn numbers_above_nine_are_superscript_too() {
        assert_eq!(superscript(10), "¹⁰");
        assert_eq!(superscript(456_789), "⁴⁵⁶⁷⁸⁹");
    }
}
