//! Values of a TOML text with their places; mistakes are gathered and nothing stops at the first.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::expect::{ConfigError, Sourced, nearest, shell_unsafe};
use crate::source::{SourceText, Span};

/// A value in the text.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Reads values and gathers mistakes.
pub(super) struct Reader<'a> {
    source: &'a Arc<SourceText>,
    pub(super) errors: Vec<ConfigError>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Arc<SourceText>) -> Self {
        Self { source, errors: Vec::new() }
    }

    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span { source: Arc::clone(self.source), range }
    }

    pub(super) fn error(&mut self, range: Range<usize>, message: impl Into<String>, help: Option<String>) {
        let span = self.span(range);
        self.errors.push(ConfigError { message: message.into(), span, help });
    }

    /// A key that no table of this kind has.
    pub(super) fn unknown_key(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, known: &[&str]) {
        let help = match nearest(key.get_ref(), known) {
            Some(near) => format!("did you mean `{near}`"),
            None => format!("known keys: {}", known.join(", ")),
        };
        self.error(key.span(), format!("unknown key `{}`", key.get_ref()), Some(help));
    }

    fn wrong_type(&mut self, key: &str, wanted: &str, value: &Value<'_>) {
        let message = format!("`{key}` must be {wanted}, and this is {}", kind(value.get_ref()));
        self.error(value.span(), message, None);
    }

    pub(super) fn string(&mut self, key: &str, value: &Value<'_>) -> Option<Sourced<String>> {
        match value.get_ref().as_str() {
            Some(text) => Some(Sourced { value: text.to_owned(), span: Some(self.span(value.span())) }),
            None => {
                self.wrong_type(key, "a string", value);
                None
            }
        }
    }

    /// An array of strings. Where `alone` a single string is one of one element.
    pub(super) fn strings(
        &mut self,
        key: &str,
        value: &Value<'_>,
        alone: bool,
    ) -> Option<Vec<Sourced<String>>> {
        if alone && value.get_ref().is_str() {
            return self.string(key, value).map(|one| vec![one]);
        }
        match value.get_ref().as_array() {
            Some(array) => Some(array.iter().filter_map(|item| self.string(key, item)).collect()),
            None => {
                self.wrong_type(key, "an array of strings", value);
                None
            }
        }
    }

    /// Strings that become parts of nvcc's command.
    pub(super) fn arguments(&mut self, key: &str, value: &Value<'_>) -> Option<Vec<Sourced<String>>> {
        let strings = self.strings(key, value, false)?;
        for one in &strings {
            let Some(span) = &one.span else { continue };
            if let Some(c) = shell_unsafe(&one.value) {
                let help =
                    "nvcc hands its arguments to a shell, so occlint refuses such characters".to_owned();
                self.error(span.range.clone(), format!("`{key}` has the character {c:?}"), Some(help));
            } else if one.value.trim().is_empty() {
                self.error(span.range.clone(), format!("`{key}` has an empty string"), None);
            }
        }
        Some(strings)
    }

    /// An integer within a range, both ends included.
    pub(super) fn integer(&mut self, key: &str, value: &Value<'_>, range: Range<u32>) -> Option<u32> {
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(key, "an integer", value);
            return None;
        };
        let number = i128::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok();
        match number
            .and_then(|number| u32::try_from(number).ok())
            .filter(|n| (range.start..=range.end).contains(n))
        {
            Some(number) => Some(number),
            None => {
                let end =
                    if range.end == u32::MAX { String::new() } else { format!(" and at most {}", range.end) };
                self.error(value.span(), format!("`{key}` must be at least {}{end}", range.start), None);
                None
            }
        }
    }

    /// Bytes: an integer, or a string such as `48 KiB`.
    pub(super) fn bytes(&mut self, key: &str, value: &Value<'_>) -> Option<u32> {
        let Some(text) = value.get_ref().as_str() else { return self.integer(key, value, 0..u32::MAX) };
        match crate::occupancy::parse_size(text) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.error(value.span(), error.to_string(), None);
                None
            }
        }
    }

    pub(super) fn table<'v>(&mut self, key: &str, value: &'v Value<'v>) -> Option<&'v DeTable<'v>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong_type(key, "a table", value);
        }
        table
    }
}

fn kind(value: &DeValue<'_>) -> String {
    let word = value.type_str();
    let article = if word.starts_with(['a', 'i']) { "an" } else { "a" };
    format!("{article} {word}")
}
