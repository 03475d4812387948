//! `[[….metadata.occlint.kernel]]`: one rule.

use std::ops::Range;

use toml::de::DeTable;

use super::lists::no_arch;
use super::reader::{Reader, Value};
use super::waivers;
use crate::arch::Arch;
use crate::expect::ask::Ask;
use crate::expect::{NameGlob, Rule, RuleOrigin, Selector, Target, WaiverKind};

const SELECTORS: [&str; 4] = ["name", "name-full", "source", "arch"];
const ASKED: [&str; 6] = ["block", "dynamic-smem", "min-blocks", "max-registers", "allow", "expect"];

/// Reads one table; `None` where it is no table.
pub(super) fn read(reader: &mut Reader<'_>, value: &Value<'_>, origin: RuleOrigin) -> Option<Rule> {
    let table = reader.table("kernel", value, "[[package.metadata.occlint.kernel]]")?;
    let head = SELECTORS.iter().find_map(|key| table.get(*key)).map_or(value.span(), |value| value.span());
    let mut rule = Rule {
        selector: Selector::default(),
        origin,
        target: Target::default(),
        target_spans: Vec::new(),
        waivers: Vec::new(),
        span: reader.span(head),
    };
    for (key, value) in table {
        let key_text = key.get_ref().as_ref();
        if let Some(ask) = Ask::from_key(key_text) {
            asked(reader, &mut rule, ask, value);
        } else if SELECTORS.contains(&key_text) {
            select(reader, &mut rule.selector, key_text, value);
        } else {
            match key_text {
                "allow" => rule.waivers.extend(waivers::read(reader, WaiverKind::Allow, value)),
                "expect" => rule.waivers.extend(waivers::read(reader, WaiverKind::Expect, value)),
                _ => reader.unknown_key(key, &[&SELECTORS[..], &ASKED[..]].concat()),
            }
        }
    }
    complete(reader, table, value.span());
    Some(rule)
}

/// A rule must say which kernels and what about them. A key that is there, however wrong, is reported by itself.
fn complete(reader: &mut Reader<'_>, table: &DeTable<'_>, range: Range<usize>) {
    if !SELECTORS.iter().any(|key| table.contains_key(*key)) {
        reader.needs_one_of(range.clone(), "this table does not say which kernels it is about", &SELECTORS);
    }
    let empty = |key: &str| {
        table.get(key).is_none_or(|value| value.get_ref().as_array().is_some_and(|a| a.is_empty()))
    };
    if ASKED.iter().all(|key| empty(key)) {
        reader.needs_one_of(range, "this table asks nothing of its kernels", &ASKED);
    }
}

fn asked(reader: &mut Reader<'_>, rule: &mut Rule, ask: Ask, value: &Value<'_>) {
    let number = match ask {
        Ask::DynamicSmem => reader.size(ask.key(), value),
        _ => reader.integer(ask.key(), value, ask.example()),
    };
    let Some(number) = number else { return };
    match ask.check(number) {
        Ok(number) => {
            ask.set(&mut rule.target, number);
            rule.target_spans.push((ask.key(), reader.span(value.span())));
        }
        Err(message) => reader.error(value.span(), message, "write a number in that range"),
    }
}

fn select(reader: &mut Reader<'_>, selector: &mut Selector, key: &str, value: &Value<'_>) {
    if key == "arch" {
        selector.archs = archs(reader, value);
        return;
    }
    let example = if key == "source" { "source = \"kernels/*.cu\"" } else { "name = \"softmax*\"" };
    let Some(text) = reader.string(key, value, example) else { return };
    if key == "name" && text.value.contains('<') {
        let message = "`name` is matched without template arguments, so this matches no kernel";
        reader.error(value.span(), message, "use `name-full` for the whole name");
    }
    let glob = Some(NameGlob::new(text.value.strip_prefix("./").unwrap_or(&text.value)));
    match key {
        "name" => selector.name = glob,
        "name-full" => selector.name_full = glob,
        _ => selector.source = glob,
    }
}

/// One architecture or several.
fn archs(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<Arch> {
    const EXAMPLE: &str = "arch = [\"sm_90\"]";
    if value.get_ref().is_str() {
        return arch(reader, value).into_iter().collect();
    }
    let Some(items) = reader.array("arch", value, EXAMPLE) else { return Vec::new() };
    if items.is_empty() {
        reader.absent(value.span(), "`arch` is empty", "name an architecture, or leave it out for all");
    }
    items.iter().filter_map(|item| arch(reader, item)).collect()
}

fn arch(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Arch> {
    let name = reader.string("arch", value, "arch = \"sm_90\"")?.value;
    let arch = name.parse().ok();
    if arch.is_none() {
        let (message, help) = no_arch(&name);
        let help = help.trim_end_matches(", or write `native`").to_owned();
        reader.error(value.span(), message, help);
    }
    arch
}
