//! The kernel's clocksource.

use crate::kernel::parameter;
use crate::kernel_log::{KernelLog, demotion};
use crate::missing::{Missing, clean};
use crate::roots::Roots;
use toll_model::Fact;
use toll_model::host::{Clocksource, Demotion};

const CURRENT: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const AVAILABLE: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";

/// What is in force, what may be switched to, and what the log says of it.
pub(crate) fn read(
    roots: &Roots,
    parameters: &Result<Vec<String>, Missing>,
    log: &Result<KernelLog, Missing>,
) -> Clocksource {
    Clocksource {
        current: roots.line(CURRENT).into(),
        available: available(roots).into(),
        requested: Fact::from(parameters.clone())
            .map(|given| parameter(&given, "clocksource").map(str::to_owned)),
        demotion: demoted(log),
    }
}

fn available(roots: &Roots) -> Result<Vec<String>, Missing> {
    let line = roots.line(AVAILABLE)?;
    Ok(line.split_whitespace().map(|name| clean(name, 40)).collect())
}

/// That a log holds no demotion means something only if it reaches back to the boot.
fn demoted(log: &Result<KernelLog, Missing>) -> Fact<Option<Demotion>> {
    let log = match log {
        Ok(log) => log,
        Err(missing) => return Fact::unavailable(missing.to_string()),
    };
    match demotion(&log.clocks) {
        Some(found) => Fact::Known(Some(found)),
        None if log.reaches_boot => Fact::Known(None),
        None => Fact::unavailable(lost_beginning(log)),
    }
}

/// Why silence of this log proves nothing.
pub(crate) fn lost_beginning(log: &KernelLog) -> String {
    let since = log.first_at.map(|at| format!(" (it begins {at:.0} s after it)"));
    format!(
        "{}: holds no demotion, but no longer reaches back to the boot{}; a larger log_buf_len= or \
         `journalctl -k -b` would tell",
        log.source,
        since.unwrap_or_default()
    )
}
