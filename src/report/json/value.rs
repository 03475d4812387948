//! JSON values, as little as the report needs: build scripts compile this, and a JSON crate costs them more than all the rest.
use std::fmt::{self, Write};

use crate::order::Map;

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::report) enum Value {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(String),
    Text(String),
    Array(Vec<Value>),
    Object(Map<String, Value>),
}

/// `json!({"key": value, …})`: an object, its keys sorted.
macro_rules! json {
    ({ $($key:literal: $value:expr),* $(,)? }) => {
        crate::report::json::value::object(
            vec![$(($key, crate::report::json::value::ToJson::to_json(&$value))),*],
        )
    };
}
pub(in crate::report) use json;

/// An object of these fields.
pub(in crate::report) fn object(fields: Vec<(&str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// What becomes a JSON value.
pub(in crate::report) trait ToJson {
    fn to_json(&self) -> Value;
}

impl ToJson for Value {
    fn to_json(&self) -> Value {
        self.clone()
    }
}

impl ToJson for bool {
    fn to_json(&self) -> Value {
        Value::Bool(*self)
    }
}

impl ToJson for str {
    fn to_json(&self) -> Value {
        Value::Text(self.to_owned())
    }
}

impl ToJson for String {
    fn to_json(&self) -> Value {
        Value::Text(self.clone())
    }
}

impl ToJson for f64 {
    /// What is no number is `null`.
    fn to_json(&self) -> Value {
        if self.is_finite() { Value::Number(format!("{self:?}")) } else { Value::Null }
    }
}

macro_rules! integers {
    ($($kind:ty),*) => { $(
        impl ToJson for $kind {
            fn to_json(&self) -> Value {
                Value::Number(self.to_string())
            }
        }
    )* };
}
integers!(u32, u64, usize);

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToJson::to_json)
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Value {
        Value::Array(self.iter().map(ToJson::to_json).collect())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => f.write_str(number),
            Self::Text(value) => text(value, f),
            Self::Array(values) => list(f, ('[', ']'), values, |value, f| value.fmt(f)),
            Self::Object(fields) => list(f, ('{', '}'), fields, |(key, value), f| {
                text(key, f)?;
                f.write_char(':')?;
                value.fmt(f)
            }),
        }
    }
}

fn list<I: IntoIterator>(
    f: &mut fmt::Formatter<'_>,
    (open, close): (char, char),
    items: I,
    item: impl Fn(I::Item, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_char(open)?;
    for (index, one) in items.into_iter().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        item(one, f)?;
    }
    f.write_char(close)
}

fn text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_what_they_were_given() {
        let nothing: Option<u32> = None;
        let value = json!({"b": 1_u32, "a": [true, false].to_vec(), "c": nothing, "d": json!({"x": 0.25, "y": f64::NAN})});
        assert_eq!(
            value.to_string(),
            "{\"a\":[true,false],\"b\":1,\"c\":null,\"d\":{\"x\":0.25,\"y\":null}}"
        );
    }

    proptest! {
        #[test]
        fn a_json_crate_reads_the_same_text_back(raw in proptest::collection::vec(any::<char>(), 0..20)) {
            let raw: String = raw.into_iter().collect();
            let said = json!({"raw": raw}).to_string();
            let read: serde_json::Value = serde_json::from_str(&said).unwrap();
            prop_assert_eq!(read, serde_json::json!({"raw": raw}));
        }

        #[test]
        fn numbers_are_exact(x in any::<f64>().prop_filter("a number", |x| x.is_finite())) {
            let said = x.to_json().to_string();
            prop_assert_eq!(said.parse::<f64>(), Ok(x));
            prop_assert!(serde_json::from_str::<serde_json::Value>(&said).unwrap().is_number());
        }
    }
}
