//! The fields of a line, each of the type that it must have.

use occlint::arch::Arch;
use serde_json::Value;

/// An object of a report; errors are words about the field.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Value);

impl<'a> Fields<'a> {
    /// A number that fits; `None` for null, and where there is none.
    pub(super) fn number(self, name: &str) -> Result<Option<u32>, String> {
        let wrong = || format!("`{name}` is no number of 0 to {}", u32::MAX);
        match &self.0[name] {
            Value::Null => Ok(None),
            value => value.as_u64().and_then(|n| u32::try_from(n).ok()).map(Some).ok_or_else(wrong),
        }
    }

    /// A number of 64 bits; 0 where there is none.
    pub(super) fn weight(self, name: &str) -> Result<u64, String> {
        match &self.0[name] {
            Value::Null => Ok(0),
            value => value.as_u64().ok_or_else(|| format!("`{name}` is no whole number")),
        }
    }

    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, String> {
        match &self.0[name] {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text)),
            _ => Err(format!("`{name}` is no text")),
        }
    }

    /// A text that must be there.
    pub(super) fn needed(self, name: &str) -> Result<&'a str, String> {
        self.text(name)?.ok_or_else(|| format!("it has no `{name}`"))
    }

    pub(super) fn flag(self, name: &str) -> Result<Option<bool>, String> {
        match &self.0[name] {
            Value::Null => Ok(None),
            Value::Bool(flag) => Ok(Some(*flag)),
            _ => Err(format!("`{name}` is neither true nor false")),
        }
    }

    /// The items of a list; `None` for null.
    pub(super) fn list(self, name: &str) -> Result<Option<&'a [Value]>, String> {
        match &self.0[name] {
            Value::Null => Ok(None),
            Value::Array(items) => Ok(Some(items)),
            _ => Err(format!("`{name}` is no list")),
        }
    }

    /// The objects of a list.
    pub(super) fn objects(self, name: &str) -> Result<Option<Vec<Fields<'a>>>, String> {
        let Some(items) = self.list(name)? else { return Ok(None) };
        let object = |item: &'a Value| {
            if item.is_object() { Ok(Fields(item)) } else { Err(format!("`{name}` has what is no object")) }
        };
        items.iter().map(object).collect::<Result<_, _>>().map(Some)
    }

    pub(super) fn object(self, name: &str) -> Result<Option<Fields<'a>>, String> {
        match &self.0[name] {
            Value::Null => Ok(None),
            value if value.is_object() => Ok(Some(Fields(value))),
            _ => Err(format!("`{name}` is no object")),
        }
    }

    /// The texts of a list; none for null.
    pub(super) fn texts(self, name: &str) -> Result<Vec<String>, String> {
        let items = self.list(name)?.unwrap_or_default();
        let text = |item: &Value| {
            item.as_str().map(str::to_owned).ok_or_else(|| format!("`{name}` has what is no text"))
        };
        items.iter().map(text).collect()
    }

    pub(super) fn arch(self) -> Result<Option<Arch>, String> {
        let Some(name) = self.text("arch")? else { return Ok(None) };
        name.parse().map(Some).map_err(|error| format!("{error}"))
    }
}
