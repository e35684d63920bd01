//! Running text: wrapping with a hanging indent.

/// `text` broken at spaces so that lines stay within `width`; the first line starts with `first`,
/// the others with `rest`. A word longer than a line keeps a line to itself. Ends with a newline.
///
/// Prefixes may hold escape sequences, `text` must not: its characters are counted.
pub(crate) fn wrap(first: &str, rest: &str, indent: usize, text: &str, width: usize) -> String {
    let room = width.saturating_sub(indent).max(20);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > room {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    lines.push(line);
    let mut out = String::new();
    for (n, line) in lines.iter().enumerate() {
        out.push_str(if n == 0 { first } else { rest });
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// [`wrap`] where every line is indented by `indent` spaces.
pub(crate) fn paragraph(indent: usize, text: &str, width: usize) -> String {
    let pad = " ".repeat(indent);
    wrap(&pad, &pad, indent, text, width)
}

/// `text` if it fits into `width`, else as many of its words as do, and an ellipsis.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>();
    let whole = words.join(" ");
    if whole.chars().count() <= width {
        return whole;
    }
    let mut line = String::new();
    for word in words {
        if line.chars().count() + 1 + word.chars().count() + 2 > width {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line.trim_end_matches([',', ';', ':']).to_owned() + " …"
}

/// `1 error`, `2 errors`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_hang() {
        let text = "one two three four five six seven eight nine ten";
        let wrapped = wrap("- ", "  ", 2, text, 26);
        assert_eq!(wrapped, "- one two three four five\n  six seven eight nine ten\n");
        assert!(wrapped.lines().all(|line| line.chars().count() <= 26));
    }

    #[test]
    fn a_word_longer_than_the_line_is_not_cut() {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        assert_eq!(paragraph(2, path, 30), format!("  {path}\n"));
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        assert_eq!(one_line("one two three", 13), "one two three");
        assert_eq!(one_line("one two, three", 13), "one two …");
        assert!(one_line("one two, three", 13).chars().count() <= 13);
    }

    #[test]
    fn nothing_is_still_a_line() {
        assert_eq!(paragraph(2, "", 30), "  \n");
    }
}
