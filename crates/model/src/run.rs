//! The run file `toll-run/1`: what every measuring verb writes and every showing verb reads.

use crate::finding::{CheckResult, Finding};
use crate::host::Host;
use crate::measurement::Measurement;
use crate::probe::Probes;
use crate::scaling::Scaling;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The value of [`Run::schema`].
pub const SCHEMA: &str = "toll-run/1";

/// One run of toll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Always [`SCHEMA`].
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// Who measured, and how it was called.
    pub tool: Tool,
    /// The machine.
    pub host: Host,
    /// How far the figures can be trusted; absent where nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// The figures, in the order in which they are shown.
    #[serde(default)]
    pub measurements: Vec<Measurement>,
    /// What was observed of the clocks besides their price.
    #[serde(default)]
    pub probes: Probes,
    /// How tolls behave when many pay at once; empty where that was not measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<Scaling>,
    /// What each check came to; empty where none ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckResult>,
    /// The findings, worst first.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// Who measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// toll's version.
    pub version: String,
    /// The command line, as given.
    pub command: Vec<String>,
    /// Start of the run, RFC 3339 in UTC.
    pub started: String,
    /// How long it took.
    pub duration_seconds: f64,
}

/// How far the figures of a run can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quality {
    /// What timed the blocks: `tsc`, `cntvct`, `CLOCK_MONOTONIC_RAW`.
    pub stopwatch: String,
    /// Its frequency as calibrated against `CLOCK_MONOTONIC_RAW`, Hz; absent for a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopwatch_hz: Option<f64>,
    /// Bound on the calibration's error, parts per million.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopwatch_error_ppm: Option<f64>,
    /// What one reading of the stopwatch costs, ns.
    pub stopwatch_ns: f64,
    /// CPU that the measuring thread was pinned to.
    pub cpu: Option<u32>,
    /// Seed of the random order of blocks.
    pub seed: u64,
    /// Rounds: in each, every subject ran one block.
    pub rounds: u64,
    /// Time of the chain of 2n dependent multiplications over that of n: must be 2.00 ± 0.02.
    pub known_answer: Option<f64>,
    /// Instructions a cycle that a loop of independent additions reached, by the median of its
    /// blocks, taking a multiplication for three cycles. A core that another hardware thread
    /// shares gives about half of what it could: the known answer does not show that, for a
    /// chain of waiting multiplications leaves the core idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions_per_cycle: Option<f64>,
    /// Percent of CPU time that the hypervisor gave to others during the run.
    pub steal_percent: Option<f64>,
    /// The run must not be trusted as it stands; `reasons` say why.
    pub noisy: bool,
    /// Why the run is noisy, or what else lowers trust.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

impl Quality {
    /// Independent additions a cycle that an x86-64 core of its own reaches at least. Intel since
    /// Nehalem and AMD since Zen issue four (Agner Fog, Microarchitecture); Atom and Bulldozer
    /// are narrower.
    pub const OWN_CORE: f64 = 3.0;
}

/// Why a text is no run file.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Not JSON, or JSON of another shape.
    #[error("not a run file: {0}")]
    Shape(#[from] serde_json::Error),
    /// A run file of another version.
    #[error("schema is {found:?}, this toll reads {SCHEMA:?}")]
    Schema {
        /// What the file says.
        found: String,
    },
    /// A row breaks the format's own rules.
    #[error("row {id:?}: {why}")]
    Row {
        /// The row's id.
        id: String,
        /// Which rule.
        why: &'static str,
    },
}

impl Run {
    /// A run of `tool` on `host` with nothing in it yet.
    pub fn new(tool: Tool, host: Host) -> Self {
        Run {
            schema: SCHEMA.into(),
            tool,
            host,
            quality: None,
            measurements: Vec::new(),
            probes: Probes::default(),
            scaling: Vec::new(),
            checks: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Reads a run file and holds it against the format's rules.
    ///
    /// # Errors
    /// [`RunError`] for anything that is not a whole run file of this version.
    pub fn from_json(text: &str) -> Result<Self, RunError> {
        #[derive(Deserialize)]
        struct Header {
            schema: String,
        }
        let header: Header = serde_json::from_str(text)?;
        if header.schema != SCHEMA {
            return Err(RunError::Schema { found: header.schema });
        }
        let run: Run = serde_json::from_str(text)?;
        run.validate()?;
        Ok(run)
    }

    /// The run file's text, one line a field, with a newline at the end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Holds the run against the rules that the schema cannot express.
    ///
    /// # Errors
    /// The first row that breaks one.
    pub fn validate(&self) -> Result<(), RunError> {
        let mut seen = HashSet::new();
        for row in &self.measurements {
            let error = |why| Err(RunError::Row { id: row.id.clone(), why });
            if !seen.insert(&row.id) {
                return error("the id occurs twice");
            }
            if row.id != row.subject.id() {
                return error("the id is not that of its subject");
            }
            if !row.is_whole() {
                return error("needs either a median or the reason why there is none");
            }
            if row.ci95.is_some_and(|[lo, hi]| lo > hi) {
                return error("the interval is upside down");
            }
        }
        Ok(())
    }

    /// The row with this id.
    pub fn measurement(&self, id: &str) -> Option<&Measurement> {
        self.measurements.iter().find(|m| m.id == id)
    }

    /// The median of the row with this id, if it has one.
    pub fn median(&self, id: &str) -> Option<f64> {
        self.measurement(id)?.median
    }
}

/// The JSON schema of [`Run`], as committed in `schema/toll-run-1.json`.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Run).to_value()
}
