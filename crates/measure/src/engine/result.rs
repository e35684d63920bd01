//! From raw blocks to a row of the run.

use super::bench::Entry;
use super::schedule::{Raw, Rounds};
use toll_model::stats::{self, Estimate};
use toll_model::{Measurement, Stopped, Subject};

/// Fewer kept blocks than this make no interval worth the name.
const FEWEST_BLOCKS: usize = 5;

/// The row of `entries[index]`; `None` for an entry that is only subtracted from others.
pub fn measurement(entries: &[Entry<'_>], index: usize, rounds: &Rounds) -> Option<Measurement> {
    let entry = &entries[index];
    let subject = entry.subject.clone()?;
    let raw = &rounds.raw[index];
    if let Some(why) = &raw.broken {
        return Some(Measurement::unavailable(subject, why.clone()));
    }
    if raw.kept.len() < FEWEST_BLOCKS {
        return Some(Measurement::unavailable(subject, too_few(raw, rounds.stopped)));
    }
    let empty = Raw::default();
    let baseline = entry.baseline.map_or(&empty, |b| &rounds.raw[b]);
    if entry.baseline.is_some() && baseline.kept.len() < FEWEST_BLOCKS {
        let why = "the empty loop of the same shape could not be measured";
        return Some(Measurement::unavailable(subject, why));
    }
    let baseline_costs = baseline.costs();
    let subtracted = stats::median(&baseline_costs).unwrap_or(0.0);
    let samples: Vec<f64> = raw.kept.iter().map(|&(_, cost)| cost - subtracted).collect();
    let mut row = summarized(Measurement::empty(subject), samples);
    // The baseline is itself known only to within an interval.
    if let (Some(median), Some(ci95), Some(of_baseline)) =
        (row.median, row.ci95, stats::median_ci95(&baseline_costs))
    {
        let value =
            Estimate { median: median + subtracted, ci95: ci95.map(|end| end + subtracted) };
        let baseline = Estimate { median: subtracted, ci95: of_baseline };
        row.ci95 = stats::combine(value, baseline).map(|net| net.ci95);
    }
    row.baseline = entry.baseline.map(|_| rounded(subtracted));
    row.calls_per_second = (raw.nanos > 0.0).then(|| (raw.calls as f64 * 1e9 / raw.nanos).round());
    row.calls_per_block = Some(raw.calls_per_block);
    row.discarded_blocks = raw.discarded;
    row.stopped = Some(stopped(&row, rounds.stopped));
    row.served_by = entry.served_by;
    row.notes.clone_from(&entry.notes);
    Some(rounded_row(row))
}

/// The row of what `longer` costs above `shorter`, block by block of the same round.
pub fn difference(subject: Subject, longer: &Raw, shorter: &Raw, subtract: f64) -> Measurement {
    let mut samples = Vec::new();
    let mut others = shorter.kept.iter().peekable();
    for &(round, cost) in &longer.kept {
        while others.next_if(|&&(r, _)| r < round).is_some() {}
        if let Some(&(_, other)) = others.next_if(|&&(r, _)| r == round) {
            samples.push(cost - other - subtract);
        }
    }
    if samples.len() < FEWEST_BLOCKS {
        let why = longer.broken.as_ref().or(shorter.broken.as_ref()).cloned();
        let why = why.unwrap_or_else(|| "too few rounds hold both sides".into());
        return Measurement::unavailable(subject, why);
    }
    let mut row = summarized(Measurement::empty(subject), samples);
    row.discarded_blocks = longer.discarded + shorter.discarded;
    rounded_row(row)
}

fn summarized(mut row: Measurement, samples: Vec<f64>) -> Measurement {
    row.median = stats::median(&samples);
    row.ci95 = stats::median_ci95(&samples);
    row.min = samples.iter().copied().reduce(f64::min);
    row.p99_of_blocks = stats::percentile(&samples, 99.0);
    row.samples = samples;
    row
}

fn too_few(raw: &Raw, stopped: Stopped) -> String {
    let (kept, all) = (raw.kept.len() as u64, raw.kept.len() as u64 + raw.discarded);
    match stopped {
        Stopped::Interrupted => format!("interrupted after {kept} undisturbed blocks"),
        _ if raw.discarded > kept => format!(
            "{} of {all} blocks were disturbed: the CPU has other work; free it or choose another \
             with --cpus",
            raw.discarded
        ),
        _ => format!("time was up after {all} blocks; give more with --duration"),
    }
}

fn stopped(row: &Measurement, rounds: Stopped) -> Stopped {
    // A row may be narrow although another one kept the run going.
    match row.relative_error() {
        Some(error) if error <= 0.01 && rounds != Stopped::Interrupted => Stopped::Precise,
        _ => rounds,
    }
}

/// Picoseconds: what lies below was never measured, and a run file is read by people.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

fn rounded_row(mut row: Measurement) -> Measurement {
    for value in &mut row.samples {
        *value = rounded(*value);
    }
    for value in [&mut row.median, &mut row.min, &mut row.p99_of_blocks].into_iter().flatten() {
        *value = rounded(*value);
    }
    row.ci95 = row.ci95.map(|pair| pair.map(rounded));
    row
}
