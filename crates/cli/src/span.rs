//! A length of time on the command line: `5`, `5s`, `200ms`, `2m`.

use std::str::FromStr;
use std::time::Duration;

/// A length of time between a millisecond and a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "expected seconds, or a time such as 5s, 200ms or 2m".to_owned();
        let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(at);
        let scale = match unit {
            "" | "s" => 1.0,
            "ms" => 1e-3,
            "m" | "min" => 60.0,
            _ => return Err(form()),
        };
        let number = number.trim();
        // f64 also reads a sign, which no length of time has.
        if !number.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Err(form());
        }
        let seconds = number.parse::<f64>().map_err(|_| form())? * scale;
        if !(0.001..=86_400.0).contains(&seconds) {
            return Err("must lie between 1ms and a day".into());
        }
        Ok(Span(Duration::from_secs_f64(seconds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_written() {
        let ms = |text: &str| text.parse::<Span>().expect("a time").0.as_millis();
        assert_eq!(ms("5"), 5_000);
        assert_eq!(ms("0.5"), 500);
        assert_eq!(ms("5s"), 5_000);
        assert_eq!(ms("200ms"), 200);
        assert_eq!(ms("1.5m"), 90_000);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for bad in ["", "s", "-1", "+1", "0", "0ms", "inf", "NaN", "5h", "2 days", "1e9", "5,0"] {
            assert!(bad.parse::<Span>().is_err(), "{bad}");
        }
    }
}
