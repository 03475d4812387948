//! JSON values, as little as the report needs: build scripts compile this, and a JSON crate costs them more than all the rest.

use std::fmt;

use crate::order;

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::report) enum Value {
    Null,
    Bool(bool),
    Integer(u64),
    /// Finite.
    Float(f64),
    Text(String),
    Array(Vec<Value>),
    /// Sorted by key.
    Object(Vec<(&'static str, Value)>),
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
pub(in crate::report) fn object(mut fields: Vec<(&'static str, Value)>) -> Value {
    order::sort_by_key(&mut fields, |(key, _)| *key);
    Value::Object(fields)
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
        if self.is_finite() { Value::Float(*self) } else { Value::Null }
    }
}

macro_rules! integers {
    ($($kind:ty),*) => { $(
        impl ToJson for $kind {
            fn to_json(&self) -> Value {
                Value::Integer(*self as u64)
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
        let mut out = String::new();
        self.write(&mut out);
        f.write_str(&out)
    }
}

impl Value {
    /// The fields of an object; of anything else none.
    pub(in crate::report) fn into_fields(self) -> Vec<(&'static str, Self)> {
        match self {
            Self::Object(fields) => fields,
            _ => Vec::new(),
        }
    }

    /// Appends it to a text.
    pub(in crate::report) fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Integer(number) => integer(*number, out),
            Self::Float(number) => out.push_str(&format!("{number:?}")),
            Self::Text(value) => text(value, out),
            Self::Array(values) => {
                out.push('[');
                for (index, value) in values.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    value.write(out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    // A name of ours has nothing to escape.
                    out.push('"');
                    out.push_str(key);
                    out.push_str("\":");
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// Digits, without the machinery of formatting.
fn integer(mut number: u64, out: &mut String) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend(digits[at..].iter().copied().map(char::from));
}

/// Whole runs of plain text are copied: there is much of it.
fn text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            byte if byte < b' ' => out.push_str(&format!("\\u{byte:04x}")),
            byte => out.extend(['\\', char::from(byte)]),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
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
        fn integers_are_exact(x in any::<u64>()) {
            prop_assert_eq!(x.to_json().to_string(), x.to_string());
        }

        #[test]
        fn numbers_are_exact(x in any::<f64>().prop_filter("a number", |x| x.is_finite())) {
            let said = x.to_json().to_string();
            prop_assert_eq!(said.parse::<f64>(), Ok(x));
            prop_assert!(serde_json::from_str::<serde_json::Value>(&said).unwrap().is_number());
        }
    }
}
