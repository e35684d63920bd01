//! Who answers a clock: proved by a trapped system call where the run holds that proof, else told
//! by whoever measured. The proof is a footnote.

use crate::figure::NOTHING;
use crate::footnotes::Footnotes;
use crate::names;
use crate::rows::{Clock, of};
use toll_model::{Path, Run, ServedBy, Shape};

/// The cell "served by" of one clock: `vDSO`, `kernel¹`, `—²`.
pub(crate) fn cell(run: &Run, clock: Clock<'_>, reasons: &mut Footnotes) -> String {
    let row = |path| of(run, clock, path, Shape::ONE);
    let told = |path| row(path).and_then(|r| r.served_by);
    let mut text = match proof(run, clock) {
        Some(Ok(None)) => names::served_by(ServedBy::Vdso).to_owned(),
        Some(Ok(Some(trap))) => {
            format!("{}{}", names::served_by(ServedBy::Kernel), reasons.mark(&trap))
        }
        unproved => match (told(Path::Vdso).or_else(|| told(Path::Libc)), unproved) {
            (Some(who), _) => names::served_by(who).to_owned(),
            (None, Some(Err(why))) => reasons.cell(why),
            (None, _) => match row(Path::Vdso).and_then(|r| r.unavailable.as_deref()) {
                // Without the vDSO's own symbol there is nothing but the system call.
                Some(why) if row(Path::Syscall).is_some_and(|r| r.median.is_some()) => {
                    format!("kernel{}", reasons.mark(why))
                }
                Some(why) => reasons.cell(why),
                None => NOTHING.to_owned(),
            },
        },
    };
    // A libc that goes its own way past a vDSO that works is worth a word.
    if told(Path::Libc) == Some(ServedBy::Kernel) && !text.starts_with("kernel") {
        text.push_str("; libc: kernel");
    }
    text
}

// The run's probe of this clock: the trap if there was one, or why nothing was proved; `None` if
// nobody looked.
fn proof<'a>(run: &'a Run, clock: Clock<'_>) -> Option<Result<Option<String>, &'a str>> {
    // A probe is of the clocksource in force, never of another one in the same run.
    if clock.clocksource.is_some() {
        return None;
    }
    let probe = run.probes.vdso_fallbacks.iter().find(|f| f.clock == clock.operation)?;
    Some(match (probe.outcome.known(), probe.outcome.reason()) {
        (Some(seen), _) => Ok(seen.trapped.then(|| {
            let place = seen.vdso_offset.map_or_else(
                || "outside the vDSO".to_owned(),
                |offset| format!("at vdso+{offset:#x}"),
            );
            format!("falls back to a system call, trapped {place} ({})", seen.method)
        })),
        (None, why) => Err(why.unwrap_or_default()),
    })
}
