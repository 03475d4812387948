//! `allow` and `expect` in a `[[…kernel]]` table.

use crate::expect::config::parse::lint_name;
use crate::expect::config::reader::{Reader, Value};
use crate::expect::{Waiver, WaiverKind};

const KEYS: &[&str] = &["lint", "max", "reason"];

/// Reads an array of lint names or of `{ lint, max, reason }` tables; a single one may stand alone.
pub(super) fn read(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Value<'_>,
    kind: WaiverKind,
    waivers: &mut Vec<Waiver>,
) {
    match value.get_ref().as_array() {
        Some(array) => waivers.extend(array.iter().filter_map(|item| one(reader, key, item, kind))),
        None => waivers.extend(one(reader, key, value, kind)),
    }
}

fn one(reader: &mut Reader<'_>, key: &str, value: &Value<'_>, kind: WaiverKind) -> Option<Waiver> {
    let span = reader.span(value.span());
    if let Some(name) = value.get_ref().as_str() {
        let lint = lint_name(reader, name, value.span())?;
        return Some(Waiver { kind, lint, max: None, reason: None, span });
    }
    let Some(table) = value.get_ref().as_table() else {
        let help = format!("for example `{key} = [{{ lint = \"spill\", max = 24, reason = \"…\" }}]`");
        reader.error(value.span(), format!("`{key}` must have lint names or tables"), Some(help));
        return None;
    };
    let (mut lint, mut max, mut reason, mut named) = (None, None, None, false);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "lint" => {
                named = true;
                if let Some(name) = reader.string("lint", value) {
                    lint = lint_name(reader, &name.value, value.span());
                }
            }
            "max" => max = reader.bytes("max", value).map(u64::from),
            "reason" => reason = reader.string("reason", value).map(|reason| reason.value),
            _ => reader.unknown_key(key, KEYS),
        }
    }
    if !named {
        reader.error(
            value.span(),
            format!("`{key}` does not say which lint"),
            Some("give `lint = \"…\"`".to_owned()),
        );
    }
    Some(Waiver { kind, lint: lint?, max, reason, span })
}
