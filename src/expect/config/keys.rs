//! The keys of `[….metadata.occlint]` itself.

use toml::de::DeTable;

use super::kernel_table;
use super::reader::{Reader, Value};
use super::{flags, limits, lists};
use crate::expect::suggest::shown;
use crate::expect::{LevelOrigin, Levels, Rule, RuleOrigin, Sourced, level, lint_name};

/// What one table says: `None` where it says nothing.
#[derive(Default)]
pub(super) struct Layer {
    pub(super) cuda: Option<Sourced<String>>,
    pub(super) cuda_extra: Option<Vec<Sourced<String>>>,
    pub(super) archs: Option<Vec<Sourced<String>>>,
    pub(super) sources: Option<Vec<Sourced<String>>>,
    pub(super) include: Option<Vec<Sourced<String>>>,
    pub(super) defines: Option<Vec<Sourced<String>>>,
    pub(super) flags: Option<Vec<Sourced<String>>>,
    pub(super) baseline: Option<Sourced<String>>,
    pub(super) levels: Levels,
    pub(super) rules: Vec<Rule>,
}

const KEYS: [&str; 10] =
    ["cuda", "cuda-extra", "archs", "sources", "include", "flags", "defines", "baseline", "lints", "kernel"];

/// Reads one table into a layer.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, origin: RuleOrigin) -> Layer {
    let mut layer = Layer::default();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "cuda" => layer.cuda = lists::cuda(reader, value),
            "cuda-extra" => layer.cuda_extra = lists::cuda_extra(reader, value),
            "archs" => layer.archs = lists::archs(reader, value),
            "sources" => layer.sources = lists::sources(reader, value),
            "include" => layer.include = lists::include(reader, value),
            "flags" => layer.flags = flags::read(reader, value),
            "defines" => layer.defines = lists::defines(reader, value),
            "baseline" => layer.baseline = reader.string("baseline", value, BASELINE),
            "lints" => layer.levels = lints(reader, value, origin),
            "kernel" => layer.rules = kernels(reader, value, origin),
            _ => reader.unknown_key(key, &KEYS),
        }
    }
    layer
}

const BASELINE: &str = "baseline = \"occlint.baseline.json\"";

fn lints(reader: &mut Reader<'_>, value: &Value<'_>, origin: RuleOrigin) -> Levels {
    const EXAMPLE: &str = "spill = \"deny\"";
    let origin = match origin {
        RuleOrigin::Workspace => LevelOrigin::Workspace,
        RuleOrigin::Package | RuleOrigin::Comment | RuleOrigin::BuildScript => LevelOrigin::Package,
    };
    let mut levels = Levels::default();
    let Some(table) = reader.table("lints", value, EXAMPLE) else { return levels };
    for (key, value) in table {
        let lint = lint_name(key.get_ref());
        if let Err(error) = &lint {
            reader.error(key.span(), error.message.as_str(), error.help.as_str());
        }
        if value.get_ref().is_table() {
            limits::read(reader, value, lint.ok(), (&mut levels, origin));
        } else if value.get_ref().is_str() {
            one_level(reader, value, lint.ok(), (&mut levels, origin));
        } else {
            reader.wrong_type(&shown(key.get_ref()), value, "string", EXAMPLE);
        }
    }
    levels
}

/// A level's word, for a lint that is known.
pub(super) fn one_level(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    lint: Option<&'static str>,
    (levels, origin): (&mut Levels, LevelOrigin),
) {
    let Some(word) = reader.string("level", value, "level = \"deny\"") else { return };
    match (level(&word.value), lint) {
        (Ok(level), Some(lint)) => levels.set(lint, level, origin),
        (Err((message, help)), _) => reader.error(value.span(), message, help),
        (Ok(_), None) => {}
    }
}

fn kernels(reader: &mut Reader<'_>, value: &Value<'_>, origin: RuleOrigin) -> Vec<Rule> {
    let table = match origin {
        RuleOrigin::Workspace => "[[workspace.metadata.occlint.kernel]]",
        RuleOrigin::Package | RuleOrigin::Comment | RuleOrigin::BuildScript => {
            "[[package.metadata.occlint.kernel]]"
        }
    };
    if value.get_ref().is_table() {
        let help = format!("head it `{table}`, with two brackets");
        reader.error(value.span(), "`kernel` must be an array of tables, not one table", help);
        return Vec::new();
    }
    let Some(items) = reader.array("kernel", value, table) else { return Vec::new() };
    items.iter().filter_map(|item| kernel_table::read(reader, item, origin)).collect()
}
