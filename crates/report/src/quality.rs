//! How far the figures can be trusted: stopwatch, known answer, noise.

use crate::figure::{grouped, short};
use crate::text::{paragraph, wrap};
use crate::view::{View, paint};
use toll_model::{Quality, Run};

/// Everything that is known of the measurement itself.
pub(crate) fn render(run: &Run, view: &View) -> String {
    let Some(quality) = &run.quality else { return String::new() };
    let mut out = format!("{}\n", paint(view.styles.title, "How this was measured"));
    out.push_str(&paragraph(2, &line(quality, run.tool.duration_seconds), view.width));
    out.push_str(&warning(quality, view));
    out
}

/// The reasons why the run is noisy; without noise, what else lowers trust.
pub(crate) fn warning(quality: &Quality, view: &View) -> String {
    if !quality.noisy && quality.reasons.is_empty() {
        return String::new();
    }
    let reasons = quality.reasons.join("; ");
    let (mark, text) = match (quality.noisy, reasons.is_empty()) {
        (true, true) => ("!", "this run is noisy: do not trust its figures".to_owned()),
        (true, false) => ("!", format!("this run is noisy, do not trust its figures: {reasons}")),
        (false, _) => ("·", reasons),
    };
    let style = if quality.noisy { view.styles.warn } else { view.styles.faint };
    wrap(&format!("{} ", paint(style, mark)), "  ", 2, &text, view.width)
}

fn line(quality: &Quality, seconds: f64) -> String {
    let mut stopwatch = format!("stopwatch {}", quality.stopwatch);
    if let Some(hz) = quality.stopwatch_hz {
        stopwatch.push_str(&format!(" at {}", toll_model::Hertz(hz)));
    }
    if let Some(ppm) = quality.stopwatch_error_ppm {
        stopwatch.push_str(&format!(" ±{ppm:.3} ppm"));
    }
    stopwatch.push_str(&format!(", {} ns a reading", short(quality.stopwatch_ns)));
    let known = match quality.known_answer {
        Some(ratio) => format!("known answer {ratio:.3} (2.00 ± 0.02 expected)"),
        None => "known answer not taken".into(),
    };
    let width = match quality.instructions_per_cycle {
        Some(reached) => format!("{reached:.1} additions a cycle (a shared core: under 3)"),
        None => "additions a cycle not taken".into(),
    };
    let steal = match quality.steal_percent {
        Some(percent) => format!("steal {percent:.1}%"),
        None => "steal not known".into(),
    };
    let cpu = match quality.cpu {
        Some(cpu) => format!("CPU {cpu}"),
        None => "not pinned to a CPU".into(),
    };
    [
        stopwatch,
        known,
        width,
        steal,
        cpu,
        format!("{} rounds in random order, seed {}", grouped(quality.rounds), quality.seed),
        format!("{seconds:.1} s in all"),
    ]
    .join(" · ")
}
