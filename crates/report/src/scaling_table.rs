//! What many pay at once: a table for each clock, bars for its rates, the law and the verdict.

use crate::figure::{NOTHING, long};
use crate::names;
use crate::table::{Align, Grid};
use crate::text::paragraph;
use crate::view::View;
use toll_model::scaling::{Scaling, ScalingPoint, ScalingVerdict};
use toll_model::{Path, Run, Shape};

/// Columns of the longest bar.
const BAR: usize = 32;

/// One table for each clock and path; nothing where no such thing was measured.
pub(crate) fn render(run: &Run, view: &View) -> String {
    let tables: Vec<String> = run
        .scaling
        .iter()
        .map(|scaling| one(run, scaling, view))
        .filter(|t| !t.is_empty())
        .collect();
    tables.join("\n")
}

fn one(run: &Run, scaling: &Scaling, view: &View) -> String {
    let each = match scaling.subject.shape {
        Shape::Processes(_) => "processes",
        _ => "threads",
    };
    let path = match scaling.subject.path {
        Path::User | Path::UserOrdered => String::new(),
        path => format!(" by {}", names::path(path)),
    };
    let title = format!("{}{path}, {each} reading at once", scaling.subject.operation);
    let mut grid = Grid::new(
        run,
        title,
        &[
            (each, Align::Right),
            ("ns/call", Align::Right),
            ("M calls/s", Align::Right),
            ("of linear", Align::Right),
            ("", Align::Left),
        ],
    );
    let points = &scaling.points;
    let most = points.iter().map(|point| point.calls_per_second).fold(0.0, f64::max);
    let one = points.first().map(|p| p.calls_per_second / f64::from(p.number));
    for point in points {
        let linear = one.map(|one| point.calls_per_second / (one * f64::from(point.number)));
        grid.row(vec![
            point.number.to_string(),
            long(point.ns_per_call),
            millions(point.calls_per_second),
            linear.map_or(NOTHING.into(), |part| format!("{:.0}%", part * 100.0)),
            bar(point, most),
        ]);
    }
    let mut out = grid.render(view);
    out.push_str(&paragraph(2, &verdict(run, scaling), view.width));
    out
}

fn millions(rate: f64) -> String {
    let millions = rate / 1e6;
    if millions < 10.0 { format!("{millions:.2}") } else { format!("{millions:.1}") }
}

/// A bar as long as its rate; points that took turns on the CPUs are hatched.
fn bar(point: &ScalingPoint, most: f64) -> String {
    let length = (point.calls_per_second / most * BAR as f64).round();
    if !length.is_finite() || length < 0.0 {
        return String::new();
    }
    let (sign, mark) = if point.beyond_cpus { ("░", "  more than CPUs") } else { ("█", "") };
    format!("{}{mark}", sign.repeat((length as usize).min(BAR)))
}

fn verdict(run: &Run, scaling: &Scaling) -> String {
    let mut text = match &scaling.verdict {
        ScalingVerdict::Scales { efficiency } => {
            format!("scales: {:.0}% of linear at the most within the CPUs", efficiency * 100.0)
        }
        ScalingVerdict::ScalesInPart { efficiency } => {
            format!(
                "scales in part: {:.0}% of linear at the most within the CPUs",
                efficiency * 100.0
            )
        }
        ScalingVerdict::Serialised { calls_per_second } => format!(
            "serialised at {} million calls/s: however many read, the system gets no more",
            millions(*calls_per_second)
        ),
        ScalingVerdict::NotResolved { why } => format!("not resolved: {why}"),
    };
    if let Some(fit) = &scaling.fit {
        text.push_str(&format!(
            "; Universal Scalability Law: σ {:.3} (contention), κ {:.4} (coherency), residual {:.1}%",
            fit.sigma,
            fit.kappa,
            fit.residual * 100.0
        ));
    }
    if run.host.hypervisor.emulated {
        text.push_str("; emulated: function, not speed");
    }
    text
}
