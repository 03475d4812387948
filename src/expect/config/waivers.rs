//! `allow = [...]` and `expect = [...]` of a kernel.

use toml::de::DeTable;

use super::reader::{Reader, Value, type_words};
use crate::expect::suggest::shown;
use crate::expect::{Date, DateError, Waiver, WaiverKind, lint_name};

const KEYS: [&str; 4] = ["lint", "max", "reason", "until"];

/// Reads an array of names and tables; those that are wrong are reported and left out.
pub(super) fn read(reader: &mut Reader<'_>, kind: WaiverKind, value: &Value<'_>) -> Vec<Waiver> {
    let (key, example) = match kind {
        WaiverKind::Allow => ("allow", "allow = [{ lint = \"spill\", max = 24, reason = \"…\" }]"),
        WaiverKind::Expect => ("expect", "expect = [\"spill\"]"),
    };
    let Some(items) = reader.array(key, value, example) else { return Vec::new() };
    items.iter().filter_map(|item| waiver(reader, kind, key, item, example)).collect()
}

fn waiver(
    reader: &mut Reader<'_>,
    kind: WaiverKind,
    key: &str,
    value: &Value<'_>,
    example: &str,
) -> Option<Waiver> {
    if value.get_ref().is_str() {
        let lint = lint(reader, value)?;
        let span = reader.span(value.span());
        return Some(Waiver { kind, lint, max: None, reason: None, until: None, span });
    }
    let Some(table) = value.get_ref().as_table() else {
        let message =
            format!("an item of `{key}` must be a lint's name or a table, not {}", type_words(value));
        reader.error(value.span(), message, format!("write it like `{example}`"));
        return None;
    };
    if !table.contains_key("lint") {
        let help = format!("write it like `{example}`");
        reader.absent(value.span(), format!("this item of `{key}` does not name its lint"), help);
    }
    from_table(reader, kind, table, value)
}

fn from_table(
    reader: &mut Reader<'_>,
    kind: WaiverKind,
    table: &DeTable<'_>,
    whole: &Value<'_>,
) -> Option<Waiver> {
    let (mut name, mut max, mut reason, mut until) = (None, None, None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "lint" => name = lint(reader, value),
            "max" => max = amount(reader, value),
            "reason" => reason = reader.string("reason", value, "reason = \"cold path\"").map(|s| s.value),
            "until" => until = day(reader, value),
            _ => reader.unknown_key(key, &KEYS),
        }
    }
    name.map(|lint| Waiver { kind, lint, max, reason, until, span: reader.span(whole.span()) })
}

fn lint(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<&'static str> {
    let name = reader.string("lint", value, "lint = \"spill\"")?.value;
    lint_name(&name).map_err(|error| reader.error(value.span(), error.message, error.help)).ok()
}

/// `until = "2027-03-01"`, or TOML's own date.
fn day(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Date> {
    const EXAMPLE: &str = "until = \"2027-03-01\"";
    let text = match value.get_ref().as_datetime() {
        Some(date) => date.to_string(),
        None => reader.string("until", value, EXAMPLE)?.value,
    };
    let parsed = text.parse();
    if let Err(DateError(why)) = &parsed {
        let message = format!("`{}` is no day: {why}", shown(&text));
        reader.error(value.span(), message, format!("write the last day like `{EXAMPLE}`"));
    }
    parsed.ok()
}

fn amount(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<u64> {
    let number = reader.integer("max", value, "max = 24")?;
    let amount = u64::try_from(number).ok();
    if amount.is_none() {
        let message = format!("`max` must be 0 or more, not {number}");
        reader.error(value.span(), message, "write the amount that is allowed, like `max = 24`");
    }
    amount
}
