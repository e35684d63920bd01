//! What a measurement is of, and the id that names it.
//!
//! An id is `toll/operation/path/runtime/shape`, with `@clocksource` behind it where one run
//! holds several clocksources: `clock/CLOCK_MONOTONIC/vdso/native/t1`. The id is derived from the
//! subject and never written by hand, so that the two cannot disagree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The parts of an id, as fields.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Subject {
    /// The toll: `clock`, `crossing`, `memory`, `stop`; `engine` for toll's own reference loops.
    pub toll: String,
    /// The operation in the field's own spelling: `CLOCK_MONOTONIC`, `gettimeofday`, `nanoTime`.
    pub operation: String,
    /// How the caller asks.
    pub path: Path,
    /// `native`, or the runtime with version and vendor: `java-17.0.15-debian`.
    pub runtime: String,
    /// Threads, processes, bytes or misses in flight.
    pub shape: Shape,
    /// The clocksource in force, only where one run holds several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocksource: Option<String>,
}

/// How the caller asks for an operation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Path {
    /// The vDSO's own symbol, called directly.
    Vdso,
    /// The host's own libc, never the one linked into this binary.
    Libc,
    /// The system call instruction.
    Syscall,
    /// Read in the program itself, without order against other instructions.
    User,
    /// Read in the program itself, ordered as the kernel's readings are.
    UserOrdered,
    /// The vDSO's algorithm, rebuilt in user space on the hardware counter.
    Twin,
    /// A value that somebody else keeps up to date.
    Cached,
    /// What libc adds to the vDSO: the difference of two rows of this run.
    #[serde(rename = "libc-vdso")]
    LibcMinusVdso,
    /// What the kernel entry adds to the vDSO: the difference of two rows of this run.
    #[serde(rename = "syscall-vdso")]
    SyscallMinusVdso,
}

impl Path {
    /// The word used in ids.
    pub fn word(self) -> &'static str {
        match self {
            Path::Vdso => "vdso",
            Path::Libc => "libc",
            Path::Syscall => "syscall",
            Path::User => "user",
            Path::UserOrdered => "user-ordered",
            Path::Twin => "twin",
            Path::Cached => "cached",
            Path::LibcMinusVdso => "libc-vdso",
            Path::SyscallMinusVdso => "syscall-vdso",
        }
    }
}

/// How many, how large, or among what.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// `t4`: four threads.
    Threads(u32),
    /// `p4`: four processes.
    Processes(u32),
    /// `s1000`: a thousand bytes.
    Bytes(u64),
    /// `k4`: one call among four independent cache misses.
    Misses(u32),
}

impl Shape {
    /// One thread in an otherwise idle loop: the shape of an idle price.
    pub const ONE: Shape = Shape::Threads(1);
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Threads(n) => write!(f, "t{n}"),
            Shape::Processes(n) => write!(f, "p{n}"),
            Shape::Bytes(n) => write!(f, "s{n}"),
            Shape::Misses(n) => write!(f, "k{n}"),
        }
    }
}

impl Subject {
    /// A clock read by native code: `clock/OPERATION/PATH/native/SHAPE`.
    pub fn clock(operation: impl Into<String>, path: Path, shape: Shape) -> Self {
        Subject::native("clock", operation, path, shape)
    }

    /// Any operation of native code.
    pub fn native(
        toll: impl Into<String>,
        operation: impl Into<String>,
        path: Path,
        shape: Shape,
    ) -> Self {
        Subject {
            toll: toll.into(),
            operation: operation.into(),
            path,
            runtime: "native".into(),
            shape,
            clocksource: None,
        }
    }

    /// The id, unique within a run.
    pub fn id(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject { toll, operation, path, runtime, shape, clocksource } = self;
        write!(f, "{toll}/{operation}/{}/{runtime}/{shape}", path.word())?;
        match clocksource {
            Some(name) => write!(f, "@{name}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_documented_form() {
        let vdso = Subject::clock("CLOCK_MONOTONIC", Path::Vdso, Shape::ONE);
        assert_eq!(vdso.id(), "clock/CLOCK_MONOTONIC/vdso/native/t1");
        let java = Subject {
            runtime: "java-17.0.15-debian".into(),
            clocksource: Some("xen".into()),
            ..Subject::clock("currentTimeMillis", Path::Libc, Shape::ONE)
        };
        assert_eq!(java.id(), "clock/currentTimeMillis/libc/java-17.0.15-debian/t1@xen");
        let among = Subject::clock("CLOCK_TAI", Path::UserOrdered, Shape::Misses(4));
        assert_eq!(among.id(), "clock/CLOCK_TAI/user-ordered/native/k4");
    }

    #[test]
    fn the_word_of_a_path_is_its_json() {
        for path in [
            Path::Vdso,
            Path::Libc,
            Path::Syscall,
            Path::User,
            Path::UserOrdered,
            Path::Twin,
            Path::Cached,
            Path::LibcMinusVdso,
            Path::SyscallMinusVdso,
        ] {
            assert_eq!(serde_json::to_value(path).unwrap(), path.word());
        }
    }
}
