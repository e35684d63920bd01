//! Figures in cells: nanoseconds with no more digits than were measured.

use toll_model::Measurement;
use toll_model::units::significant;

/// What stands in a cell that has no figure.
pub(crate) const NOTHING: &str = "—";

/// A price as a person quotes it: three significant digits.
pub(crate) fn short(ns: f64) -> String {
    proper_minus(significant(ns))
}

/// A price in the full tables, where the interval beside it shows which digits mean something.
pub(crate) fn long(ns: f64) -> String {
    proper_minus(if ns.abs() < 99.995 { format!("{ns:.2}") } else { format!("{ns:.1}") })
}

/// A difference, with its sign.
pub(crate) fn signed(ns: f64) -> String {
    let text = long(ns);
    if text.starts_with('−') { text } else { format!("+{text}") }
}

/// Half the width of the 95% interval: the number behind ±.
pub(crate) fn half_width(row: &Measurement) -> Option<f64> {
    row.ci95.map(|[lo, hi]| (hi - lo) / 2.0)
}

/// `12 400 000`: thousands apart by a space, which no locale takes for a decimal point.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

// A hyphen is easily missed before a digit, and -0.00 is no figure.
fn proper_minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_carry_their_sign_and_no_false_digits() {
        assert_eq!(short(22.337), "22.3");
        assert_eq!(short(560.41), "560");
        assert_eq!(long(22.337), "22.34");
        assert_eq!(long(560.41), "560.4");
        assert_eq!(signed(0.31), "+0.31");
        assert_eq!(signed(-0.31), "−0.31");
        assert_eq!(signed(-0.001), "+0.00");
        assert_eq!(grouped(12_400_000), "12 400 000");
        assert_eq!(grouped(7), "7");
    }
}
