//! A fact is known, or it is unavailable for a reason. It is never silently zero or empty.

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value that was read, or the reason why it could not be.
///
/// In JSON a known fact is its bare value and an unknown one is `{"unavailable": "why"}`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Fact_{T}")]
pub enum Fact<T> {
    /// The fact could not be read; `unavailable` says why, in words meant for a person.
    Unavailable(Unavailable),
    /// The fact as read.
    Known(T),
}

/// Why a fact is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unavailable {
    /// The reason, one clause: `"/dev/kmsg: permission denied (needs CAP_SYSLOG)"`.
    pub unavailable: String,
}

// By hand: serde's untagged enums would take the array `["tsc"]` for an `Unavailable`.
impl<'de, T: DeserializeOwned> Deserialize<'de> for Fact<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Value::Object(fields) = &value
            && let (1, Some(Value::String(why))) = (fields.len(), fields.get("unavailable"))
        {
            return Ok(Fact::unavailable(why));
        }
        T::deserialize(value).map(Fact::Known).map_err(D::Error::custom)
    }
}

impl<T> Fact<T> {
    /// A fact that is missing because of `why`.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Fact::Unavailable(Unavailable { unavailable: why.into() })
    }

    /// The value, if it is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Fact::Known(value) => Some(value),
            Fact::Unavailable(_) => None,
        }
    }

    /// The reason, if the value is not known.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Fact::Known(_) => None,
            Fact::Unavailable(why) => Some(&why.unavailable),
        }
    }

    /// Whether the value is known and satisfies `test`.
    pub fn is_known_and(&self, test: impl FnOnce(&T) -> bool) -> bool {
        self.known().is_some_and(test)
    }

    /// Applies `f` to a known value and keeps a reason as it is.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Fact<U> {
        match self {
            Fact::Known(value) => Fact::Known(f(value)),
            Fact::Unavailable(why) => Fact::Unavailable(why),
        }
    }
}

impl<T, E: std::fmt::Display> From<Result<T, E>> for Fact<T> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(value) => Fact::Known(value),
            Err(error) => Fact::unavailable(error.to_string()),
        }
    }
}

impl<T> Default for Fact<T> {
    fn default() -> Self {
        Fact::unavailable("not read")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_its_bare_value_in_json() {
        let known: Fact<Vec<String>> = Fact::Known(vec!["tsc".into()]);
        assert_eq!(serde_json::to_string(&known).unwrap(), r#"["tsc"]"#);
        let back: Fact<Vec<String>> = serde_json::from_str(r#"["tsc"]"#).unwrap();
        assert_eq!(back, known);
    }

    #[test]
    fn a_missing_fact_carries_its_reason_through_json() {
        let missing: Fact<String> = Fact::unavailable("no permission");
        let json = serde_json::to_string(&missing).unwrap();
        assert_eq!(json, r#"{"unavailable":"no permission"}"#);
        assert_eq!(serde_json::from_str::<Fact<String>>(&json).unwrap(), missing);
    }
}
