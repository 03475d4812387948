//! Which files are a package's units.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use occlint::compile::Unit;
use occlint::expect::{Config, ConfigError, Sourced};
use occlint::session::Roots;
use occlint::sys::files;

use crate::error::RunError;
use crate::workspace::{Member, Workspace};

/// The package's units, sorted by name: what `sources` says, else every `.cu` that is the package's own.
pub(crate) fn units(
    member: &Member,
    workspace: &Workspace,
    config: &Config,
    roots: &Roots,
) -> Result<Vec<Unit>, RunError> {
    let paths = match &config.sources {
        Some(sources) => configured(member, workspace, sources)?,
        None => default_sources(member, workspace),
    };
    Ok(paths.into_iter().map(|path| Unit::new(roots.shown(&path), path)).collect())
}

fn configured(
    member: &Member,
    workspace: &Workspace,
    sources: &[Sourced<String>],
) -> Result<BTreeSet<PathBuf>, RunError> {
    let mut found = BTreeSet::new();
    let mut errors = Vec::new();
    let files = walk(member, workspace, false);
    for source in sources {
        // A plain path that exists is itself, whatever characters it has.
        let plain = member.folder.join(&source.value);
        if plain.is_file() {
            found.insert(plain);
            continue;
        }
        match matcher(&source.value) {
            Err(why) => errors.push(error(source, format!("`{}` is no glob: {why}", source.value), None)),
            Ok(glob) => {
                let relative =
                    |path: &&PathBuf| path.strip_prefix(&member.folder).is_ok_and(|p| glob.is_match(p));
                let before = found.len();
                found.extend(files.iter().filter(relative).cloned());
                if found.len() == before && !files.iter().any(|path| relative(&path)) {
                    let message = format!("`{}` matches no file of the package", source.value);
                    errors.push(error(
                        source,
                        message,
                        Some("paths are relative to the package's Cargo.toml"),
                    ));
                }
            }
        }
    }
    errors.extend(sources.iter().filter_map(|source| no_source(source, &found, member)));
    if errors.is_empty() { Ok(found) } else { Err(RunError::Config(errors)) }
}

/// A configured file that no compiler takes for a kernel source by its name.
fn no_source(source: &Sourced<String>, found: &BTreeSet<PathBuf>, member: &Member) -> Option<ConfigError> {
    let path = found.get(&member.folder.join(&source.value))?;
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let message = format!("`{}` is no kernel source", source.value);
    let help = match extension.as_str() {
        "cuh" | "h" | "hpp" | "hh" | "inl" => "headers are read through the `.cu` files that include them",
        "cubin" | "fatbin" | "o" | "a" | "so" => "name the `.cu` or `.ptx` file that it was made from",
        _ => return None,
    };
    Some(error(source, message, Some(help)))
}

fn error(source: &Sourced<String>, message: String, help: Option<&str>) -> ConfigError {
    let span = source.span.clone().unwrap_or_else(|| occlint::source::Span {
        source: occlint::source::SourceText::new("command line", source.value.clone()),
        range: 0..source.value.len(),
    });
    ConfigError { message, span, help: help.map(str::to_owned) }
}

fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

fn default_sources(member: &Member, workspace: &Workspace) -> BTreeSet<PathBuf> {
    let is_cuda = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "cu");
    let all: BTreeSet<PathBuf> =
        walk(member, workspace, true).into_iter().filter(|path| is_cuda(&path)).collect();
    let included: BTreeSet<PathBuf> = all.iter().flat_map(|path| included_sources(path)).collect();
    all.into_iter().filter(|path| !included.contains(path)).collect()
}

/// The package's files: nothing hidden, no target folder, no nested package, no other repository (a submodule).
fn walk(member: &Member, workspace: &Workspace, respect_ignore: bool) -> Vec<PathBuf> {
    let (root, target) = (member.folder.clone(), workspace.target.clone());
    let others: Vec<PathBuf> = workspace.members.iter().filter(|&folder| *folder != root).cloned().collect();
    let mut walk = WalkBuilder::new(&root);
    walk.git_ignore(respect_ignore).git_exclude(respect_ignore).git_global(false).ignore(false);
    walk.require_git(false).parents(respect_ignore);
    walk.filter_entry(move |entry| {
        let path = entry.path();
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let nested = || path.join("Cargo.toml").is_file() || path.join(".git").exists();
        let target_like = || path.join("CACHEDIR.TAG").is_file();
        path == root
            || !folder
            || !(path == target || others.iter().any(|o| o == path) || nested() || target_like())
    });
    let files = walk.build().filter_map(Result::ok).filter(|entry| entry.path().is_file());
    files.map(ignore::DirEntry::into_path).collect()
}

/// The `.cu` files that a source includes by a quoted name beside it: parts, not units.
fn included_sources(path: &Path) -> Vec<PathBuf> {
    let text = files::read_text(path).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let include = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        let name = rest.trim_start().strip_prefix('"')?.split('"').next()?;
        let file = name.ends_with(".cu").then(|| folder.join(name))?;
        file.canonicalize().ok()
    };
    text.lines().filter_map(include).filter(|included| included != path).collect()
}
