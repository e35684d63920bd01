//! Recorded and composed machines as runs: facts by `toll-host`, figures out of `costs.json`.

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::marker::PhantomData;
use std::path::Path;
use toll_host::Roots;
use toll_model::{Measurement, Probes, Run, ServedBy, Shape, Subject};

/// The run of the machine in `folder`, not judged yet.
pub(crate) fn run(folder: &Path) -> Run {
    let path = folder.join("costs.json");
    let text = std::fs::read_to_string(&path).expect("costs.json");
    let costs: Costs =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut run = Run::new(super::runs::tool(), toll_host::read(&Roots::fixture(folder)));
    run.measurements.extend(costs.prices.0.into_iter().map(|(id, figure)| {
        let (median, ci95, served_by) = match figure {
            Figure::Median(median) => (median, None, None),
            Figure::Row { median, ci95, served_by } => (median, ci95, served_by),
        };
        Measurement { median: Some(median), ci95, served_by, ..Measurement::empty(subject(&id)) }
    }));
    let missing = costs.unavailable.0.into_iter();
    run.measurements.extend(missing.map(|(id, why)| Measurement::unavailable(subject(&id), why)));
    run.probes = costs.probes;
    run
}

#[derive(Deserialize)]
struct Costs {
    prices: InOrder<Figure>,
    #[serde(default)]
    unavailable: InOrder<String>,
    #[serde(default)]
    probes: Probes,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Figure {
    Median(f64),
    Row { median: f64, ci95: Option<[f64; 2]>, served_by: Option<ServedBy> },
}

/// An object's members in the file's order, which is that of the tables.
struct InOrder<T>(Vec<(String, T)>);

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        InOrder(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for InOrder<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Vec<(String, T)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Members(PhantomData)).map(InOrder)
    }
}

// The parts of an id, as fields.
fn subject(id: &str) -> Subject {
    let parts: Vec<&str> = id.split('/').collect();
    let [toll, operation, path, runtime, shape] = parts[..] else { panic!("{id}: five parts") };
    let (kind, number) = shape.split_at(1);
    let number = number.parse().unwrap_or_else(|error| panic!("{id}: {error}"));
    let shape = match kind {
        "t" => Shape::Threads(number),
        "k" => Shape::Misses(number),
        _ => panic!("{id}: shape"),
    };
    let path = serde_json::from_value(path.into()).unwrap_or_else(|error| panic!("{id}: {error}"));
    Subject { runtime: runtime.into(), ..Subject::native(toll, operation, path, shape) }
}
