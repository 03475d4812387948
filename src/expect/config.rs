//! `[workspace.metadata.occlint]` and `[package.metadata.occlint]`, read from the text of Cargo.toml.

mod flags;
mod glob_syntax;
mod kernel_table;
mod keys;
mod limits;
mod lists;
mod reader;
mod waivers;

use std::sync::Arc;

use toml::de::DeTable;

pub use self::flags::{FlagError, environment_flags};
use self::keys::Layer;
use self::reader::Reader;
use crate::baseline::{Baseline, CompareRules};
use crate::expect::{Date, Levels, NameGlob, Rule, RuleOrigin, Sourced};
use crate::source::{SourceText, Span};

/// The configuration of one package: workspace defaults with the package's own on top.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Config {
    /// `cuda = "13.0"`: the pinned toolkit's release.
    pub cuda: Option<Sourced<String>>,
    /// `cuda-extra = ["curand"]`: further wheels.
    pub cuda_extra: Vec<Sourced<String>>,
    /// `archs`: names as written, `native` included; `None` is the default list.
    pub archs: Option<Vec<Sourced<String>>>,
    /// `sources`: globs relative to the package; `None` is every `.cu` of the package.
    pub sources: Option<Vec<Sourced<String>>>,
    /// `include`: folders relative to the package (the workspace's relative to the workspace root).
    pub include: Vec<Sourced<String>>,
    /// `defines`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<Sourced<String>>,
    /// `flags`: further arguments of nvcc.
    pub flags: Vec<Sourced<String>>,
    /// `baseline`: path relative to the package.
    pub baseline: Option<Sourced<String>>,
    /// What that baseline has, where the caller has read it.
    pub known: Option<Arc<Baseline>>,
    /// What is compared with it.
    pub compare: CompareRules,
    /// Only kernels of these names are judged.
    pub only: Option<NameGlob>,
    /// The day, for waivers that end.
    pub today: Option<Date>,
    /// `[….lints]`.
    pub levels: Levels,
    /// `[[….kernel]]`, the workspace's first.
    pub rules: Vec<Rule>,
}

/// One mistake in the configuration, at its place.
#[derive(Clone, PartialEq, Debug)]
pub struct ConfigError {
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do: a suggestion.
    pub help: Option<String>,
}

/// Reads the configuration of a package from its manifest and its workspace's (the same text for a root package).
///
/// The package's values and lists replace the workspace's; levels and kernel rules add to them, the package's later.
///
/// # Errors
/// All mistakes at once, in the order of the text, the workspace's first: unknown keys and lints (with a suggestion),
/// wrong types, bad values, broken TOML.
pub fn parse(workspace: &Arc<SourceText>, package: &Arc<SourceText>) -> Result<Config, Vec<ConfigError>> {
    let mut base = Layer::default();
    let mut own = Layer::default();
    let errors = if workspace == package {
        read_text(package, &mut [(RuleOrigin::Workspace, &mut base), (RuleOrigin::Package, &mut own)])
    } else {
        let mut errors = read_text(workspace, &mut [(RuleOrigin::Workspace, &mut base)]);
        errors.extend(read_text(package, &mut [(RuleOrigin::Package, &mut own)]));
        errors
    };
    if errors.is_empty() { Ok(merged(base, own)) } else { Err(errors) }
}

/// Reads the tables of these origins from one text.
fn read_text(source: &Arc<SourceText>, layers: &mut [(RuleOrigin, &mut Layer)]) -> Vec<ConfigError> {
    let (document, broken) = DeTable::parse_recoverable(source.text());
    let mut reader = Reader::new(source);
    reader.broken_toml(&broken);
    for (origin, layer) in layers {
        let parent = if *origin == RuleOrigin::Workspace { "workspace" } else { "package" };
        let metadata = document.get_ref().get(parent).and_then(|value| value.get_ref().get("metadata"));
        let Some(metadata) = metadata.and_then(|value| value.get_ref().as_table()) else { continue };
        for (key, value) in metadata {
            if key.get_ref() == "occlint" {
                let table = reader.table("occlint", value, &format!("[{parent}.metadata.occlint]"));
                **layer = table.map_or_else(Layer::default, |table| keys::read(&mut reader, table, *origin));
            } else if key.get_ref().to_ascii_lowercase().replace(['-', '_'], "") == "occlint" {
                reader.unknown_key(key, &["occlint"]);
            }
        }
    }
    reader.finish()
}

/// The workspace's layer under the package's own.
fn merged(base: Layer, own: Layer) -> Config {
    let mut levels = base.levels;
    levels.merge(&own.levels);
    let mut rules = base.rules;
    rules.extend(own.rules);
    Config {
        cuda: own.cuda.or(base.cuda),
        cuda_extra: own.cuda_extra.or(base.cuda_extra).unwrap_or_default(),
        archs: own.archs.or(base.archs),
        sources: own.sources.or(base.sources),
        include: own.include.or(base.include).unwrap_or_default(),
        defines: own.defines.or(base.defines).unwrap_or_default(),
        flags: own.flags.or(base.flags).unwrap_or_default(),
        baseline: own.baseline.or(base.baseline),
        known: None,
        compare: CompareRules::default(),
        only: None,
        today: None,
        levels,
        rules,
    }
}
