//! The tables' keys.

use std::sync::Arc;

use toml::de::DeTable;

use crate::arch::Arch;
use crate::expect::config::reader::{Reader, Value};
use crate::expect::config::{flags, kernel};
use crate::expect::{Config, ConfigError, LevelOrigin, RuleOrigin, Sourced, nearest};
use crate::finding::Level;
use crate::lints;
use crate::source::SourceText;

const KEYS: &[&str] =
    &["archs", "baseline", "cuda", "cuda-extra", "defines", "flags", "include", "kernel", "lints", "sources"];

/// Lints that the design knows and this version does not have yet.
const LATER: &[&str] = &[
    "limiter-regression",
    "register-regression",
    "residency-regression",
    "spill-regression",
    "stale-baseline",
];

/// Reads the configuration of a package from its manifest and its workspace's (the same text for a root package).
///
/// # Errors
/// All mistakes at once: unknown keys and lints (with a suggestion), wrong types, bad values, broken TOML.
pub fn parse(workspace: &Arc<SourceText>, package: &Arc<SourceText>) -> Result<Config, Vec<ConfigError>> {
    let mut config = Config::default();
    let mut errors = Vec::new();
    let same = workspace == package;
    let layers: &[(&Arc<SourceText>, &[Layer])] = if same {
        &[(workspace, &[Layer::Workspace, Layer::Package])]
    } else {
        &[(workspace, &[Layer::Workspace]), (package, &[Layer::Package])]
    };
    for (source, layers) in layers {
        let mut reader = Reader::new(source);
        document(&mut reader, source.text(), layers, &mut config);
        reader.errors.sort_by_key(|error| error.span.range.start);
        errors.append(&mut reader.errors);
    }
    if errors.is_empty() { Ok(config) } else { Err(errors) }
}

/// Which table of a manifest is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    Workspace,
    Package,
}

impl Layer {
    fn table(self) -> &'static str {
        if self == Self::Workspace { "workspace" } else { "package" }
    }

    fn levels(self) -> LevelOrigin {
        if self == Self::Workspace { LevelOrigin::Workspace } else { LevelOrigin::Package }
    }

    fn rules(self) -> RuleOrigin {
        if self == Self::Workspace { RuleOrigin::Workspace } else { RuleOrigin::Package }
    }
}

fn document(reader: &mut Reader<'_>, text: &str, layers: &[Layer], config: &mut Config) {
    let (document, broken) = DeTable::parse_recoverable(text);
    for error in broken {
        let range = error.span().unwrap_or(0..0);
        reader.error(range, format!("broken TOML: {}", first_line(error.message())), None);
    }
    for &layer in layers {
        let step = |table: &DeTable<'_>, key: &str| table.contains_key(key);
        let root = document.get_ref();
        if !step(root, layer.table()) {
            continue;
        }
        let occlint = root
            .get(layer.table())
            .and_then(|value| value.get_ref().get("metadata"))
            .and_then(|value| value.get_ref().get("occlint"));
        if let Some(value) = occlint
            && let Some(table) = reader.table("occlint", value)
        {
            keys(reader, table, layer, config);
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn keys(reader: &mut Reader<'_>, table: &DeTable<'_>, layer: Layer, config: &mut Config) {
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "cuda" => {
                if let Some(cuda) = reader.string("cuda", value) {
                    config.cuda = Some(cuda);
                }
            }
            "baseline" => {
                if let Some(baseline) = reader.string("baseline", value) {
                    config.baseline = Some(baseline);
                }
            }
            "cuda-extra" => replace(&mut config.cuda_extra, reader.strings("cuda-extra", value, false)),
            "archs" => config.archs = archs(reader, value).or(config.archs.take()),
            "sources" => config.sources = sources(reader, value).or(config.sources.take()),
            "include" => replace(&mut config.include, reader.arguments("include", value)),
            "defines" => replace(&mut config.defines, reader.arguments("defines", value)),
            "flags" => {
                let flags = reader.arguments("flags", value);
                flags::check(reader, flags.as_deref().unwrap_or_default());
                replace(&mut config.flags, flags);
            }
            "lints" => levels(reader, value, layer, config),
            "kernel" => kernels(reader, value, layer, config),
            _ => reader.unknown_key(key, KEYS),
        }
    }
}

fn replace(old: &mut Vec<Sourced<String>>, new: Option<Vec<Sourced<String>>>) {
    if let Some(new) = new {
        *old = new;
    }
}

fn sources(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<Sourced<String>>> {
    let sources = reader.arguments("sources", value)?;
    if value.get_ref().as_array().is_some_and(|array| array.is_empty()) {
        let help = "name at least one, or take the key out to check every `.cu` of the package".to_owned();
        reader.error(value.span(), "`sources` is empty: nothing would be checked", Some(help));
    }
    Some(sources)
}

fn archs(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<Sourced<String>>> {
    let archs = reader.strings("archs", value, false)?;
    if value.get_ref().as_array().is_some_and(|array| array.is_empty()) {
        reader.error(value.span(), "`archs` is empty: nothing would be checked", None);
    }
    for arch in &archs {
        let Some(span) = &arch.span else { continue };
        if arch.value != "native"
            && let Err((message, help)) = arch_name(&arch.value)
        {
            reader.error(span.range.clone(), message, Some(help));
        }
    }
    Some(archs)
}

/// An architecture's name, or what is wrong with it and what was meant.
pub(super) fn arch_name(text: &str) -> Result<Arch, (String, String)> {
    match text.parse::<Arch>() {
        Ok(arch) => match arch.limits() {
            Ok(_) => Ok(arch),
            Err(error) => {
                let known: Vec<String> = crate::arch::known().map(|arch| arch.to_string()).collect();
                Err((error.to_string(), format!("known: {}", known.join(", "))))
            }
        },
        Err(error) => {
            let digits: String = text.chars().filter(char::is_ascii_digit).collect();
            let guess = format!("sm_{digits}");
            let known = guess.parse::<Arch>().is_ok_and(|arch| arch.limits().is_ok());
            let help =
                if known { format!("did you mean `{guess}`") } else { "for example `sm_90`".to_owned() };
            Err((error.to_string(), help))
        }
    }
}

fn levels(reader: &mut Reader<'_>, value: &Value<'_>, layer: Layer, config: &mut Config) {
    let Some(table) = reader.table("lints", value) else { return };
    for (key, value) in table {
        let name = lint_name(reader, key.get_ref(), key.span());
        let Some(word) = reader.string(key.get_ref(), value) else { continue };
        let level = match word.value.as_str() {
            "allow" => Level::Allow,
            "warn" => Level::Warn,
            "deny" => Level::Deny,
            "expect" => {
                let help =
                    "`expect` is about kernels: `expect = [\"…\"]` in a `[[…kernel]]` table".to_owned();
                reader.error(value.span(), "`expect` is no level of a lint", Some(help));
                continue;
            }
            other => {
                let help = "the levels are `allow`, `warn` and `deny`".to_owned();
                reader.error(value.span(), format!("`{other}` is no level"), Some(help));
                continue;
            }
        };
        if let Some(name) = name {
            config.levels.set(name, level, layer.levels());
        }
    }
}

/// The lint of a name, or an error with a suggestion at its place.
pub(super) fn lint_name(
    reader: &mut Reader<'_>,
    name: &str,
    at: std::ops::Range<usize>,
) -> Option<&'static str> {
    let found = lints::find(name).map(|lint| lint.name);
    if found.is_none() {
        let (message, help) = unknown_lint(name);
        reader.error(at, message, Some(help));
    }
    found
}

/// What to say of a lint that there is not.
pub(crate) fn unknown_lint(name: &str) -> (String, String) {
    if LATER.contains(&name) {
        let help = "it compares with a baseline, which a later version brings".to_owned();
        return (format!("this version of occlint has no lint `{name}`"), help);
    }
    let names: Vec<&str> = lints::LINTS.iter().map(|lint| lint.name).collect();
    let help = match nearest(name, &names) {
        Some(near) => format!("did you mean `{near}`"),
        None => "`cargo occlint --list` shows all lints".to_owned(),
    };
    (format!("unknown lint `{name}`"), help)
}

fn kernels(reader: &mut Reader<'_>, value: &Value<'_>, layer: Layer, config: &mut Config) {
    let Some(array) = value.get_ref().as_array() else {
        let help = "write `[[…metadata.occlint.kernel]]`".to_owned();
        reader.error(value.span(), "`kernel` must be an array of tables", Some(help));
        return;
    };
    for item in array {
        if let Some(rule) = kernel::rule(reader, item, layer.rules()) {
            config.rules.push(rule);
        }
    }
}
