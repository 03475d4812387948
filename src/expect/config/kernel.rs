//! `[[…kernel]]` tables.

use toml::de::DeTable;

use crate::expect::config::parse::arch_name;
use crate::expect::config::reader::{Reader, Value};
use crate::expect::config::waiver;
use crate::expect::{NameGlob, Rule, RuleOrigin, Selector, Target, WaiverKind};

const KEYS: &[&str] = &[
    "allow",
    "arch",
    "block",
    "dynamic-smem",
    "expect",
    "max-registers",
    "min-blocks",
    "name",
    "name-full",
    "source",
];

/// Reads one table; `None` where it is of no use (the mistakes are then in the reader).
pub(super) fn rule(reader: &mut Reader<'_>, value: &Value<'_>, origin: RuleOrigin) -> Option<Rule> {
    let table = reader.table("kernel", value)?;
    let head = ["name", "name-full", "source", "arch"].iter().find_map(|key| table.get(*key));
    let span = reader.span(head.map_or(value.span(), |value| value.span()));
    let mut rule =
        Rule { selector: Selector::default(), origin, target: Target::default(), waivers: Vec::new(), span };
    for (key, value) in table {
        if !one_key(reader, key.get_ref(), value, &mut rule) {
            reader.unknown_key(key, KEYS);
        }
    }
    complete(reader, table, value, &rule);
    Some(rule)
}

fn one_key(reader: &mut Reader<'_>, key: &str, value: &Value<'_>, rule: &mut Rule) -> bool {
    let selector = &mut rule.selector;
    match key {
        "name" => selector.name = glob(reader, key, value),
        "name-full" => selector.name_full = glob(reader, key, value),
        "source" => selector.source = glob(reader, key, value),
        "arch" => {
            for arch in reader.strings(key, value, true).unwrap_or_default() {
                match (arch_name(&arch.value), arch.span) {
                    (Ok(arch), _) => selector.archs.push(arch),
                    (Err((message, help)), Some(span)) => reader.error(span.range, message, Some(help)),
                    (Err(_), None) => {}
                }
            }
        }
        "block" => rule.target.block = reader.integer(key, value, 1..u32::MAX),
        "min-blocks" => rule.target.min_blocks = reader.integer(key, value, 1..u32::MAX),
        "max-registers" => rule.target.max_registers = reader.integer(key, value, 1..255),
        "dynamic-smem" => rule.target.dynamic_shared_bytes = reader.bytes(key, value),
        "allow" => waiver::read(reader, key, value, WaiverKind::Allow, &mut rule.waivers),
        "expect" => waiver::read(reader, key, value, WaiverKind::Expect, &mut rule.waivers),
        _ => return false,
    }
    true
}

fn glob(reader: &mut Reader<'_>, key: &str, value: &Value<'_>) -> Option<NameGlob> {
    let text = reader.string(key, value)?;
    if text.value.trim().is_empty() {
        reader.error(value.span(), format!("`{key}` is empty: it would match nothing"), None);
    }
    Some(NameGlob::new(text.value))
}

fn complete(reader: &mut Reader<'_>, table: &DeTable<'_>, value: &Value<'_>, rule: &Rule) {
    let has = |keys: &[&str]| keys.iter().any(|key| table.contains_key(*key));
    if !has(&["name", "name-full", "source", "arch"]) {
        let help = "give `name`, `name-full`, `source` or `arch`; `name = \"*\"` is all kernels".to_owned();
        reader.error(value.span(), "this table does not say which kernels it is about", Some(help));
    }
    if !has(&["block", "dynamic-smem", "min-blocks", "max-registers", "allow", "expect"]) {
        let help =
            "give `block`, `dynamic-smem`, `min-blocks`, `max-registers`, `allow` or `expect`".to_owned();
        reader.error(rule.span.range.clone(), "this table asks for nothing", Some(help));
    }
}
