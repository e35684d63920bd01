//! The kernel's notation for sets of CPUs: `0-3,8,10-11`.

/// Why a text is no list of CPUs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no list of CPUs: {why}")]
pub struct CpuListError {
    text: String,
    why: &'static str,
}

/// More CPUs than any kernel is built for (`NR_CPUS` is at most 8192); keeps `0-4294967295` from
/// filling the memory.
pub const MOST_CPUS: u32 = 65_536;

/// Reads a list of CPUs, both ends of a range included, sorted and without repetition; the empty
/// text is the empty set. Stepped ranges (`0-15:1/4`) are read too.
///
/// # Errors
/// [`CpuListError`] for anything else, a range that runs backwards and numbers from
/// [`MOST_CPUS`] on included.
pub fn parse(text: &str) -> Result<Vec<u32>, CpuListError> {
    let fail = |why| CpuListError { text: crate::missing::clean(text, 60), why };
    let number = |word: &str| -> Result<u32, CpuListError> {
        let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        match word.parse() {
            Ok(n) if plain && n < MOST_CPUS => Ok(n),
            Ok(_) if plain => Err(fail("a number is too large")),
            _ => Err(fail("expected numbers and ranges such as 0-3,8")),
        }
    };
    let mut cpus = Vec::new();
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Ok(cpus);
    }
    for item in trimmed.split(',') {
        let (range, step) = match item.split_once(':') {
            Some((range, step)) => (range, Some(step)),
            None => (item, None),
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(range)?, number(range)?),
        };
        if first > last {
            return Err(fail("a range runs backwards"));
        }
        let (used, group) = match step {
            None => (1, 1),
            Some(step) => {
                let (used, group) =
                    step.split_once('/').ok_or_else(|| fail("a step is written :used/group"))?;
                (number(used)?, number(group)?)
            }
        };
        if used == 0 || group < used {
            return Err(fail("a step is written :used/group, with used in 1..=group"));
        }
        cpus.extend((first..=last).filter(|cpu| (cpu - first) % group < used));
        if cpus.len() > 4 * MOST_CPUS as usize {
            return Err(fail("too many ranges"));
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

/// Writes a list of CPUs in the shortest form: `0-3,8`.
pub fn format(cpus: &[u32]) -> String {
    let mut sorted = cpus.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut out = String::new();
    let mut rest = sorted.as_slice();
    while let Some(&first) = rest.first() {
        let run = rest.iter().zip(first..).take_while(|(cpu, n)| *cpu == n).count();
        let last = rest[run - 1];
        if !out.is_empty() {
            out.push(',');
        }
        out.push_str(&first.to_string());
        if last > first {
            out.push('-');
            out.push_str(&last.to_string());
        }
        rest = &rest[run..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_the_kernel_writes() {
        assert_eq!(parse("0-3,8,10-11\n").unwrap(), [0, 1, 2, 3, 8, 10, 11]);
        assert!(parse("").unwrap().is_empty());
        assert_eq!(parse("0-15:1/4").unwrap(), [0, 4, 8, 12]);
        assert_eq!(parse("5,1,1").unwrap(), [1, 5]);
    }

    #[test]
    fn refuses_what_is_no_list() {
        for bad in ["x", "1-", "-1", "1,,2", "3-1", "0-99999999", "+1", "0-3:1", "0-3:2/1", "0x1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let error = parse("3-1").unwrap_err().to_string();
        assert_eq!(error, "\"3-1\" is no list of CPUs: a range runs backwards");
    }

    proptest! {
        #[test]
        fn written_and_read_again_is_the_same_set(cpus in prop::collection::btree_set(0u32..9000, 0..80)) {
            let cpus: Vec<u32> = cpus.into_iter().collect();
            prop_assert_eq!(parse(&format(&cpus)).unwrap(), cpus);
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,60}") {
            if let Ok(cpus) = parse(&text) {
                prop_assert!(cpus.is_sorted());
            }
        }

        #[test]
        fn no_list_of_ranges_makes_it_panic(text in "[0-9,:/-]{0,60}") {
            if let Ok(cpus) = parse(&text) {
                prop_assert!(cpus.windows(2).all(|w| w[0] < w[1]));
            }
        }
    }
}
