//! Numbers of threads or processes on the command line: `8`, `1..8` (both ends included), `1,2,4`.

use std::str::FromStr;
use toll_measure::scaling::MOST;

/// Ascending, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers(pub(crate) Vec<u32>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Vec::new();
        for part in text.split(',') {
            let (from, to) = match part.split_once("..") {
                Some((from, to)) => (number(from)?, number(to)?),
                None => (number(part)?, number(part)?),
            };
            if from > to {
                return Err(format!("{part}: a range goes upwards"));
            }
            all.extend(from..=to);
        }
        all.sort_unstable();
        all.dedup();
        Ok(Numbers(all))
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|n| (1..=MOST).contains(n))
        .ok_or_else(|| format!("expected numbers from 1 to {MOST} such as 8, 1..8 or 1,2,4"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<Numbers>().map(|numbers| numbers.0);
        assert_eq!(read("4"), Ok(vec![4]));
        assert_eq!(read("1..4"), Ok(vec![1, 2, 3, 4]));
        assert_eq!(read("8,1, 2..3,2"), Ok(vec![1, 2, 3, 8]));
        for nonsense in ["", "0", "x", "4..1", "1..", "1..99999", "-1", "1,,2", "1...3"] {
            assert!(read(nonsense).is_err(), "{nonsense:?}");
        }
    }
}
