//! Java installations and running JVMs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One Java installation, told by the files in it; no JVM is started to find out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Jvm {
    /// The installation's own folder, symbolic links resolved.
    pub home: String,
    /// The `java` launcher in it.
    pub launcher: String,
    /// `JAVA_VERSION` of its `release` file: `17.0.15`; `None` without one.
    pub version: Option<String>,
    /// The vendor in one word: `debian`, `temurin`, `corretto`, `zulu`, `oracle`, …
    pub vendor: Option<String>,
    /// How it was found: `running`, `JAVA_HOME`, `PATH`, `/usr/lib/jvm`.
    pub found_by: Vec<String>,
    /// Processes that run it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<JvmProcess>,
}

/// A running JVM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JvmProcess {
    /// Process id, as seen from here.
    pub pid: u32,
    /// Main class or jar: the program, never its arguments, which can hold secrets.
    pub program: String,
    /// The flags on its command line, in `JAVA_TOOL_OPTIONS` or `JDK_JAVA_OPTIONS` that bear on the
    /// cost of clocks, safepoints or memory. Others are not kept.
    pub flags: Vec<String>,
    /// A preloaded library, from its environment, where readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preload: Option<String>,
}

impl Jvm {
    /// The runtime part of an id: `java-17.0.15-debian`.
    pub fn runtime(&self) -> String {
        let version = self.version.as_deref().unwrap_or("unknown");
        match &self.vendor {
            Some(vendor) => format!("java-{version}-{vendor}"),
            None => format!("java-{version}"),
        }
    }
}
