//! When this run started, and how long it has taken.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use toll_model::Tool;

/// The moment at which the program started.
pub(crate) struct Started {
    at: SystemTime,
    clock: Instant,
}

impl Started {
    /// To be called first of all.
    pub(crate) fn now() -> Self {
        Started { at: SystemTime::now(), clock: Instant::now() }
    }

    /// What a run file says of the program that wrote it, as of now.
    pub(crate) fn tool(&self) -> Tool {
        Tool {
            version: env!("CARGO_PKG_VERSION").into(),
            command: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
            started: rfc3339(self.at.duration_since(UNIX_EPOCH).unwrap_or_default()),
            duration_seconds: self.seconds(),
        }
    }

    /// Seconds since then.
    pub(crate) fn seconds(&self) -> f64 {
        (self.clock.elapsed().as_secs_f64() * 1e3).round() / 1e3
    }
}

/// `2025-11-20T16:00:00Z`, from the time since the start of 1970 in UTC.
fn rfc3339(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

// Year, month and day of the Gregorian calendar, counted off: years, then months, then days.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Expected values by `date -u -d @N +%FT%TZ`.
    #[test]
    fn dates_are_those_of_the_calendar() {
        let shown = |seconds| rfc3339(Duration::from_secs(seconds));
        assert_eq!(shown(0), "1970-01-01T00:00:00Z");
        assert_eq!(shown(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(shown(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(shown(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(shown(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(shown(1_763_654_400), "2025-11-20T16:00:00Z");
        assert_eq!(shown(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
