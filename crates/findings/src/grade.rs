//! How much a saving matters.

use toll_model::Level;

/// A saving below this many nanoseconds a call is nothing in practice, whatever the ratio: at a
/// million calls a second, which few programs reach, it is one percent of one CPU.
pub(crate) const NOTHING_IN_PRACTICE_NS: f64 = 10.0;

/// The level of a toll that costs `now` where it could cost `possible`, ns a call: by their ratio,
/// but never above info for a saving that is nothing in practice, or one that cannot be told.
pub(crate) fn of_saving(now: f64, possible: f64) -> Level {
    let saving = now - possible;
    if saving.is_finite() && saving >= NOTHING_IN_PRACTICE_NS && possible > 0.0 {
        Level::of_ratio(now, possible)
    } else {
        Level::Info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_savings_and_small_ratios_are_info() {
        for (now, possible, level) in [
            (26.2, 22.4, Level::Info),
            (22.4, 26.2, Level::Info),
            (9.0, 1.5, Level::Info),
            (11.4, 1.5, Level::Info),
            (11.5, 1.5, Level::Error),
            (44.9, 30.0, Level::Info),
            (45.0, 30.0, Level::Warn),
            (149.9, 30.0, Level::Warn),
            (150.0, 30.0, Level::Error),
            (680.0, 33.0, Level::Error),
        ] {
            assert_eq!(of_saving(now, possible), level, "{now} against {possible}");
        }
    }

    #[test]
    fn figures_that_are_none_are_info() {
        for (now, possible) in [
            (f64::NAN, 22.0),
            (22.0, f64::NAN),
            (f64::INFINITY, 22.0),
            (22.0, 0.0),
            (22.0, -5.0),
            (-4.0, -40.0),
        ] {
            assert_eq!(of_saving(now, possible), Level::Info, "{now} against {possible}");
        }
    }
}
