//! The Java installations found, and what Java adds to the price of a clock.

use crate::check::{Check, Outcome};
use crate::grade;
use crate::price::{self, Price};
use crate::words::{count, emulated, times, unknown};
use std::cmp::Reverse;
use toll_model::host::Jvm;
use toll_model::units::Nanos;
use toll_model::{Finding, Level, Path, Remedy, Run, Shape, Subject};

/// Java's readings and the clock under each. `Instant.now` also builds an object: it is shown and
/// never held against anybody.
const READINGS: [(&str, &str, bool); 3] = [
    ("currentTimeMillis", "CLOCK_REALTIME", true),
    ("nanoTime", "CLOCK_MONOTONIC", true),
    ("Instant.now", "CLOCK_REALTIME", false),
];

pub(super) struct Installations;

impl Check for Installations {
    fn id(&self) -> &'static str {
        "java.installations"
    }

    fn title(&self) -> &'static str {
        "Java installations found, and what Java adds to the price of a clock"
    }

    fn run(&self, run: &Run) -> Outcome {
        let Some(jvms) = run.host.jvms.known() else {
            return Outcome::Unavailable(unknown("the list of JVMs", &run.host.jvms));
        };
        if jvms.is_empty() {
            return Outcome::Ok(
                "no Java found (running, JAVA_HOME, PATH, the usual folders)".into(),
            );
        }
        let dear: Vec<_> = jvms.iter().filter_map(|jvm| self.dear(run, jvm)).collect();
        if !dear.is_empty() {
            return Outcome::Found(dear);
        }
        let told: Vec<_> = jvms.iter().map(|jvm| one_line(run, jvm)).collect();
        Outcome::Ok(format!("{}: {}", count(jvms.len() as u64, "installation"), told.join("; ")))
    }
}

impl Installations {
    /// A finding where Java's own reading costs markedly more than the libc call under it.
    fn dear(&self, run: &Run, jvm: &Jvm) -> Option<Finding> {
        let graded = READINGS.iter().filter(|(_, _, graded)| *graded);
        let (level, reading, clock, java, native) = graded
            .filter_map(|(reading, clock, _)| {
                let (java, native) = (java(run, jvm, reading).ok()?, price::now(run, clock).ok()?);
                Some((grade::of_saving(java.ns, native.ns), *reading, *clock, java, native))
            })
            .filter(|(level, ..)| *level > Level::Info)
            // The first of the worst, in the order of the readings.
            .min_by_key(|(level, ..)| Reverse(*level))?;
        let mut evidence = vec![java.evidence(), native.evidence()];
        evidence.push(format!("found by: {}", jvm.found_by.join(", ")));
        Some(Finding {
            id: self.id().into(),
            level,
            summary: format!(
                "{}: {reading} costs {}, {} the {} of {clock} through libc{}",
                jvm.runtime(),
                Nanos(java.ns),
                times(java.ns / native.ns),
                Nanos(native.ns),
                emulated(run)
            ),
            because: vec![
                "compiled code reads libc's clock through the JVM without a JNI transition: what is \
                 beyond that is this JVM's own"
                    .into(),
                format!("the JVM is {}", jvm.launcher),
            ],
            evidence,
            remedies: vec![Remedy {
                command: format!("{} -XX:+PrintFlagsFinal -version | grep -E 'TieredStopAtLevel|UseCompiler|InlineNatives'", jvm.launcher),
                gain: format!("up to {} a call", Nanos(java.ns - native.ns)),
                risk: "starts a JVM once".into(),
            }],
        })
    }
}

fn subject(jvm: &Jvm, reading: &str) -> Subject {
    Subject { runtime: jvm.runtime(), ..Subject::clock(reading, Path::Libc, Shape::ONE) }
}

fn java(run: &Run, jvm: &Jvm, reading: &str) -> Result<Price, String> {
    price::of(run, &subject(jvm, reading))
}

/// Why `reading` has no price, without the row's name, which the line tells already.
fn why_not(run: &Run, jvm: &Jvm, reading: &str) -> String {
    let row = run.measurement(&subject(jvm, reading).id());
    row.and_then(|row| row.unavailable.clone()).unwrap_or_else(|| "not measured".into())
}

/// `java-17.0.15-debian: currentTimeMillis 25.4 ns (+2.80 ns), …, Instant.now 31.0 ns`.
fn one_line(run: &Run, jvm: &Jvm) -> String {
    let mut told = Vec::new();
    let mut first_reason = None;
    for (reading, clock, _) in READINGS {
        match (java(run, jvm, reading), price::now(run, clock)) {
            (Ok(java), Ok(native)) => {
                let added = java.ns - native.ns;
                let sign = if added < 0.0 { "−" } else { "+" };
                told.push(format!("{reading} {} ({sign}{})", Nanos(java.ns), Nanos(added.abs())));
            }
            (Ok(java), Err(_)) => told.push(format!("{reading} {}", Nanos(java.ns))),
            (Err(_), _) => first_reason = first_reason.or_else(|| Some(why_not(run, jvm, reading))),
        }
    }
    let running = match jvm.processes.len() {
        0 => String::new(),
        n => format!(", {n} running"),
    };
    let figures = match (told.as_slice(), first_reason) {
        ([], why) => format!("no price ({})", why.unwrap_or_default()),
        (some, _) => some.join(", "),
    };
    format!("{}{running}: {figures}", jvm.runtime())
}
