//! CPU time that the hypervisor gave to others: the first line of `/proc/stat`.

use crate::missing::Missing;
use crate::roots::Roots;
use toll_model::host::Steal;

const PATH: &str = "/proc/stat";

/// Since boot. Cheap enough to be read before and after each measurement.
pub(crate) fn read(roots: &Roots) -> Result<Steal, Missing> {
    // The first line is all that is wanted; on large machines the whole file is long.
    of_line(&roots.text_upto(PATH, 512)?)
}

/// `cpu user nice system idle iowait irq softirq steal guest guest_nice`, in `USER_HZ`.
/// `guest` and `guest_nice` are left out of the sum: `user` and `nice` hold them already.
/// Source: proc_stat(5).
fn of_line(text: &str) -> Result<Steal, Missing> {
    let line = text.lines().next().unwrap_or_default();
    let mut words = line.split_whitespace();
    if words.next() != Some("cpu") {
        return Err(Missing::new(PATH, "does not begin with the line of all CPUs"));
    }
    let ticks: Option<Vec<u64>> = words.take(8).map(|word| word.parse().ok()).collect();
    match ticks.as_deref() {
        Some([.., steal]) if ticks.as_ref().is_some_and(|all| all.len() == 8) => Ok(Steal {
            ticks: *steal,
            of: ticks.iter().flatten().fold(0, |sum, n| sum.saturating_add(*n)),
        }),
        Some(_) => Err(Missing::new(PATH, "has no column for steal (before Linux 2.6.11)")),
        None => Err(Missing::new(PATH, "its first line holds something else than numbers")),
    }
}

/// When the machine was booted, seconds since the epoch.
pub(crate) fn boot_time(roots: &Roots) -> Option<u64> {
    let text = roots.text_upto(PATH, 4 << 20).ok()?;
    text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_the_eighth_column_and_guest_time_counts_once() {
        let steal = of_line("cpu  100 10 50 800 20 5 5 10 30 3\ncpu0 1\n").unwrap();
        assert_eq!(steal, Steal { ticks: 10, of: 1000 });
        assert_eq!(steal.percent_since_boot(), Some(1.0));
    }

    #[test]
    fn other_lines_are_refused_with_a_reason() {
        for bad in ["", "cpu0 1 2", "cpu 1 2 3", "cpu a b c d e f g h", "cpu 1 2 3 4 5 6 7 -8"] {
            assert!(of_line(bad).is_err(), "{bad}");
        }
        let most = format!("cpu {}", format!("{} ", u64::MAX).repeat(8));
        assert_eq!(of_line(&most).unwrap().of, u64::MAX);
    }
}
