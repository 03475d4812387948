//! `spill-regression = { level = "deny", max-increase = "5%", warn-increase = "2%" }`.

use super::keys::one_level;
use super::reader::{Reader, Value, type_words};
use crate::expect::suggest::shown;
use crate::expect::{Increase, LevelOrigin, Levels, Limits, increase};

const KEYS: [&str; 3] = ["level", "max-increase", "warn-increase"];

/// What increases of these lints count in: the words of a limit, one and several.
const UNITS: [(&str, [&str; 2]); 3] = [
    ("register-regression", ["register", "registers"]),
    ("residency-regression", ["block", "blocks"]),
    ("spill-regression", ["byte", "bytes"]),
];

/// Reads the table of one lint; `lint` is `None` for one that there is not, which was said.
pub(super) fn read(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    lint: Option<&'static str>,
    (levels, origin): (&mut Levels, LevelOrigin),
) {
    let Some(table) = reader.table("lints", value, "spill = \"deny\"") else { return };
    let mut limits = Limits::default();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "level" => one_level(reader, value, lint, (&mut *levels, origin)),
            "max-increase" => limits.hard = limit(reader, "max-increase", value, lint),
            "warn-increase" => limits.soft = limit(reader, "warn-increase", value, lint),
            _ => reader.unknown_key(key, &KEYS),
        }
    }
    let turned = match (limits.soft, limits.hard) {
        (Some(Increase::Share(soft)), Some(Increase::Share(hard))) => soft > hard,
        (Some(Increase::Amount(soft)), Some(Increase::Amount(hard))) => soft > hard,
        _ => false,
    };
    if turned {
        let message = "`warn-increase` is more than `max-increase`: nothing would be a warning";
        reader.error(value.span(), message, "write the smaller one as `warn-increase`");
    }
    if let Some(lint) = lint.filter(|_| limits != Limits::default()) {
        levels.limit(lint, limits);
    }
}

fn limit(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Value<'_>,
    lint: Option<&'static str>,
) -> Option<Increase> {
    let lint = lint?;
    let Some((_, units)) = UNITS.iter().find(|(name, _)| *name == lint) else {
        let names = UNITS.map(|(name, _)| format!("`{name}`")).join(", ");
        reader.error(value.span(), format!("`{lint}` has no increase"), format!("limits go with {names}"));
        return None;
    };
    let example = format!("write it like `{key} = \"5%\"` or `{key} = \"2 {}\"`", units[1]);
    let text = match (value.get_ref().as_str(), value.get_ref().as_integer()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(number)) => number.to_string(),
        (None, None) => {
            reader.error(
                value.span(),
                format!("`{key}` must be a string, not {}", type_words(value)),
                example,
            );
            return None;
        }
    };
    match increase(&text, units) {
        Ok(increase) => Some(increase),
        Err(why) => {
            let message = match why.starts_with("counts") {
                true => format!("`{}` is no limit of `{lint}`, which {why}", shown(&text)),
                false => format!("`{}` {why}", shown(&text)),
            };
            reader.error(value.span(), message, example);
            None
        }
    }
}
