//! Reading single values of a TOML text, with each mistake at its place.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::expect::suggest::{help, quoted_list, shown};
use crate::expect::{ConfigError, Sourced};
use crate::occupancy::{SizeError, parse_size};
use crate::order;
use crate::source::{SourceText, Span};

/// A value with its bytes in the text.
pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// Collects the mistakes of one text.
pub(super) struct Reader<'s> {
    source: &'s Arc<SourceText>,
    errors: Vec<ConfigError>,
    broken: bool,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s Arc<SourceText>) -> Self {
        Self { source, errors: Vec::new(), broken: false }
    }

    /// Takes over what the TOML parser found wrong.
    pub(super) fn broken_toml(&mut self, errors: &[toml::de::Error]) {
        self.broken = !errors.is_empty();
        for error in errors {
            let message = format!("broken TOML: {}", shown(error.message()));
            self.errors.push(ConfigError {
                message,
                span: self.span(error.span().unwrap_or(0..0)),
                help: None,
            });
        }
    }

    /// All mistakes, in the order of the text.
    pub(super) fn finish(mut self) -> Vec<ConfigError> {
        order::sort_by_key(&mut self.errors, |error| (error.span.range.start, error.span.range.end));
        self.errors
    }

    /// The bytes of the text, clipped to it.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        let length = self.source.text().len();
        let start = range.start.min(length);
        Span { source: Arc::clone(self.source), range: start..range.end.clamp(start, length) }
    }

    /// Adds a mistake, unless it stands on a line that is no TOML: it would only follow from that.
    pub(super) fn error(&mut self, range: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let span = self.span(range);
        let line = span.line();
        if self.broken && self.errors.iter().any(|error| error.help.is_none() && error.span.line() == line) {
            return;
        }
        self.errors.push(ConfigError { message: message.into(), span, help: Some(help.into()) });
    }

    /// Adds a mistake about something that is absent, which a broken text cannot tell.
    pub(super) fn absent(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if !self.broken {
            self.error(range, message, help);
        }
    }

    /// A key that is none of `known`.
    pub(super) fn unknown_key(&mut self, key: &Spanned<DeString<'_>>, known: &[&str]) {
        let message = format!("unknown key `{}`", shown(key.get_ref()));
        self.error(key.span(), message, help(key.get_ref(), known));
    }

    /// A value of the wrong type.
    pub(super) fn wrong_type(&mut self, key: &str, value: &Value<'_>, wanted: &str, example: &str) {
        let message = format!("`{key}` must be {}, not {}", with_article(wanted), type_words(value));
        self.error(value.span(), message, format!("write it like `{example}`"));
    }

    /// A table.
    pub(super) fn table<'t, 'i>(
        &mut self,
        key: &str,
        value: &'t Value<'i>,
        example: &str,
    ) -> Option<&'t DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong_type(key, value, "table", example);
        }
        table
    }

    /// A string that says something.
    pub(super) fn string(&mut self, key: &str, value: &Value<'_>, example: &str) -> Option<Sourced<String>> {
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_type(key, value, "string", example);
            return None;
        };
        if text.trim().is_empty() {
            self.error(value.span(), format!("`{key}` is empty"), format!("write it like `{example}`"));
            return None;
        }
        Some(Sourced { value: text.to_owned(), span: Some(self.span(value.span())) })
    }

    /// An array's values.
    pub(super) fn array<'t, 'i>(
        &mut self,
        key: &str,
        value: &'t Value<'i>,
        example: &str,
    ) -> Option<&'t [Value<'i>]> {
        let array = value.get_ref().as_array().map(AsRef::as_ref);
        if array.is_none() {
            self.wrong_type(key, value, "array", example);
        }
        array
    }

    /// An array of strings that say something; those that are none are reported and left out.
    pub(super) fn strings(
        &mut self,
        key: &str,
        value: &Value<'_>,
        example: &str,
    ) -> Option<Vec<Sourced<String>>> {
        let array = self.array(key, value, example)?;
        let item = format!("an item of `{key}`");
        let items = array.iter().filter_map(|value| {
            let example = example.split_once('[').map_or(example, |(_, rest)| rest.trim_end_matches(']'));
            self.string_item(&item, value, example)
        });
        Some(items.collect())
    }

    fn string_item(&mut self, what: &str, value: &Value<'_>, example: &str) -> Option<Sourced<String>> {
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => {
                Some(Sourced { value: text.to_owned(), span: Some(self.span(value.span())) })
            }
            Some(_) => {
                self.error(value.span(), format!("{what} is empty"), format!("write it like `{example}`"));
                None
            }
            None => {
                let message = format!("{what} must be a string, not {}", type_words(value));
                self.error(value.span(), message, format!("write it like `{example}`"));
                None
            }
        }
    }

    /// An integer, whatever its size; `None` where it is none or beyond 128 bits.
    pub(super) fn integer(&mut self, key: &str, value: &Value<'_>, example: &str) -> Option<i128> {
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(key, value, "integer", example);
            return None;
        };
        let number = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
        if number.is_none() {
            self.error(value.span(), format!("`{key}` is too large"), format!("write it like `{example}`"));
        }
        number
    }

    /// A size: an integer of bytes, or a string such as `48 KiB`.
    pub(super) fn size(&mut self, key: &str, value: &Value<'_>) -> Option<i128> {
        let Some(text) = value.get_ref().as_str() else {
            return self.integer(key, value, &format!("{key} = \"48 KiB\""));
        };
        match parse_size(text) {
            Ok(bytes) => Some(i128::from(bytes)),
            Err(why) => {
                self.error(value.span(), format!("`{}` is no size: {why}", shown(text)), SizeError::HELP);
                None
            }
        }
    }

    /// A key that a table needs one of.
    pub(super) fn needs_one_of(&mut self, range: Range<usize>, what: &str, keys: &[&str]) {
        self.absent(range, what, format!("add one of {}", quoted_list(keys)));
    }
}

/// The type of a value: `a string`, `an integer`.
pub(super) fn type_words(value: &Value<'_>) -> String {
    with_article(value.get_ref().type_str())
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'i']) { "an" } else { "a" };
    format!("{article} {noun}")
}
