//! Which files are a package's units.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkBuilder;
use occlint::compile::{SourceKind, Unit};
use occlint::expect::{Config, ConfigError, Sourced};
use occlint::session::Roots;
use occlint::sys::files;
use regex::Regex;

use crate::error::RunError;
use crate::workspace::{Member, Workspace};

/// The package's units, sorted by name: what `sources` says, else every `.cu` that is the package's own. A file that
/// is named in several ways is one unit.
pub(crate) fn units(
    member: &Member,
    workspace: &Workspace,
    config: &Config,
    roots: &Roots,
) -> Result<Vec<Unit>, RunError> {
    let paths = match &config.sources {
        Some(sources) => configured(member, workspace, sources)?,
        None => default_sources(member, workspace)?,
    };
    Ok(once(paths).into_iter().map(|path| Unit::new(roots.shown(&path), path)).collect())
}

/// The package's manifest, kernel sources and headers, by name, with their bytes: what decides what is found, beside the
/// units themselves.
pub(crate) fn texts(member: &Member, workspace: &Workspace) -> Result<Vec<(String, Vec<u8>)>, RunError> {
    const KINDS: [&str; 9] = ["cu", "cuh", "h", "hh", "hpp", "hxx", "inc", "inl", "ptx"];
    let is_text = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| KINDS.iter().any(|kind| extension.eq_ignore_ascii_case(kind)))
    };
    let mut paths: BTreeSet<PathBuf> =
        walk(member, workspace, true).files.into_iter().filter(is_text).collect();
    paths.extend([workspace.root.join("Cargo.toml"), member.manifest.clone()]);
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&workspace.root).unwrap_or(&path).to_string_lossy().into_owned();
        Ok((name, files::read_bytes(&path)?))
    };
    paths.into_iter().filter(|path| path.is_file()).map(read).collect()
}

/// The include folders, absolute.
pub(crate) fn includes(
    member: &Member,
    workspace: &Workspace,
    config: &Config,
) -> Result<Vec<PathBuf>, RunError> {
    let (mut folders, mut errors) = (Vec::new(), Vec::new());
    for include in &config.include {
        // An include of the workspace's table is relative to the workspace's Cargo.toml.
        let of_root = include.span.as_ref().is_some_and(|span| span.source.name() == "Cargo.toml");
        let base = if of_root { &workspace.root } else { &member.folder };
        let folder = base.join(&include.value);
        if !folder.is_dir() {
            let message = if folder.exists() {
                format!("`{}` is no folder", include.value)
            } else {
                format!("there is no folder `{}`", include.value)
            };
            let help = "paths are relative to this Cargo.toml; run first what generates the folder";
            errors.push(error(include, message, Some(help)));
        }
        folders.push(folder);
    }
    if errors.is_empty() { Ok(folders) } else { Err(RunError::Config(errors)) }
}

/// Each file under one name: of several the plainest, without links and `..`.
fn once(paths: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut names: BTreeMap<PathBuf, (bool, PathBuf)> = BTreeMap::new();
    let mut folders = BTreeMap::new();
    for path in paths {
        let (real, link) = real(&path, &mut folders);
        let path = plain(path, &real);
        let detour = link || path.components().any(|part| part == Component::ParentDir);
        let candidate = (detour, path);
        match names.get(&real) {
            Some(known) if *known <= candidate => {}
            _ => {
                names.insert(real, candidate);
            }
        }
    }
    names.into_values().map(|(_, path)| path).collect()
}

/// What a path leads to, and whether it is a link; most files of a folder are none, and the folder is asked once.
fn real(path: &Path, folders: &mut BTreeMap<PathBuf, Option<PathBuf>>) -> (PathBuf, bool) {
    let link = path.is_symlink();
    let mut in_folder = || {
        let folder = path.parent()?;
        let real = match folders.get(folder) {
            Some(known) => known.clone(),
            None => folders.entry(folder.to_owned()).or_insert(folder.canonicalize().ok()).clone(),
        };
        Some(real?.join(path.file_name()?)).filter(|_| !link)
    };
    let real = in_folder().or_else(|| path.canonicalize().ok()).unwrap_or_else(|| path.to_owned());
    (real, link)
}

/// The path without `.` and `..`, where that names the same file.
fn plain(path: PathBuf, real: &Path) -> PathBuf {
    let is_plain = |part: Component<'_>| !matches!(part, Component::CurDir | Component::ParentDir);
    if path.components().all(is_plain) {
        return path;
    }
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    if plain.canonicalize().is_ok_and(|found| found == real) { plain } else { path }
}

fn configured(
    member: &Member,
    workspace: &Workspace,
    sources: &[Sourced<String>],
) -> Result<BTreeSet<PathBuf>, RunError> {
    let mut found = BTreeSet::new();
    let mut errors = Vec::new();
    let walked = walk(member, workspace, false);
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
                let matched: Vec<&PathBuf> = walked.files.iter().filter(relative).collect();
                let is_meant = |path: &Path| is_kernel_source(path) || names_binary(&source.value, path);
                let kernels = matched.iter().filter(|path| is_meant(path));
                let before = found.len();
                found.extend(kernels.map(|&path| path.clone()));
                if found.len() == before && !matched.iter().any(|path| is_meant(path)) {
                    errors.push(no_match(source, &plain, !matched.is_empty()));
                }
                walked.refuse_unreadable(&member.folder.join(literal_folder(&source.value)))?;
            }
        }
    }
    errors.extend(sources.iter().filter_map(|source| no_source(source, &found, member)));
    if errors.is_empty() { Ok(found) } else { Err(RunError::Config(errors)) }
}

/// What globs take; a file that is named by its path may be called anything.
fn is_kernel_source(path: &Path) -> bool {
    let is = |extension: &std::ffi::OsStr| {
        extension.eq_ignore_ascii_case("cu") || extension.eq_ignore_ascii_case("ptx")
    };
    path.extension().is_some_and(is)
}

/// Whether a glob asks for binaries: `build/*.cubin` does, `build/*` does not.
fn names_binary(glob: &str, path: &Path) -> bool {
    SourceKind::of(path).is_binary() && Path::new(glob).extension() == path.extension()
}

/// A glob, or a path, that gives no unit.
fn no_match(source: &Sourced<String>, plain: &Path, others: bool) -> ConfigError {
    let value = &source.value;
    if plain.is_dir() {
        let folder = value.trim_end_matches('/');
        let help = format!("name the files in it: `{folder}/**/*.cu`");
        return error(source, format!("`{value}` is a folder"), Some(&help));
    }
    if others {
        let help = "a file of another name can be named by its path, without `*`";
        return error(source, format!("`{value}` matches no `.cu` and no `.ptx` file"), Some(help));
    }
    let help = "paths are relative to the package's Cargo.toml";
    error(source, format!("`{value}` matches no file of the package"), Some(help))
}

/// The folder that all matches of a glob are in: its components before the first with a special character.
fn literal_folder(pattern: &str) -> PathBuf {
    let literal = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
    let folders = pattern.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').take_while(literal).filter(|part| *part != ".").collect()
}

/// A configured file that no compiler takes for a kernel source by its name.
fn no_source(source: &Sourced<String>, found: &BTreeSet<PathBuf>, member: &Member) -> Option<ConfigError> {
    let path = found.get(&member.folder.join(&source.value))?;
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let message = format!("`{}` is no kernel source", source.value);
    let help = match extension.as_str() {
        "cuh" | "h" | "hpp" | "hh" | "inl" => "headers are read through the `.cu` files that include them",
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

fn default_sources(member: &Member, workspace: &Workspace) -> Result<BTreeSet<PathBuf>, RunError> {
    let walked = walk(member, workspace, true);
    walked.refuse_unreadable(&member.folder)?;
    let is_cuda = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "cu");
    let all: BTreeSet<PathBuf> = walked.files.into_iter().filter(is_cuda).collect();
    let included: BTreeSet<PathBuf> = all.iter().flat_map(|path| included_sources(path)).collect();
    if included.is_empty() {
        return Ok(all);
    }
    let mut folders = BTreeMap::new();
    Ok(all.into_iter().filter(|path| !included.contains(&real(path, &mut folders).0)).collect())
}

/// What a walk met.
struct Walked {
    /// The files, links to files, and kernel sources that are links to nothing: compiling those says so.
    files: Vec<PathBuf>,
    /// What could not be read: where, and why.
    unreadable: Vec<(PathBuf, String)>,
}

impl Walked {
    /// What cannot be read in `folder` may be kernels: an error.
    fn refuse_unreadable(&self, folder: &Path) -> Result<(), RunError> {
        let concerns = |path: &Path| path.starts_with(folder) || folder.starts_with(path);
        match self.unreadable.iter().find(|(path, _)| concerns(path)) {
            None => Ok(()),
            Some((path, why)) => Err(RunError::cannot(
                format!("cannot look for sources in `{}`: {why}", path.display()),
                "make it readable, let git ignore it, or name the sources with `sources`",
            )),
        }
    }
}

/// The package's files: nothing hidden, no target folder, no nested package, no other repository (a submodule).
fn walk(member: &Member, workspace: &Workspace, respect_ignore: bool) -> Walked {
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
    let mut walked = Walked { files: Vec::new(), unreadable: Vec::new() };
    for entry in walk.build() {
        match entry {
            Ok(entry) => {
                let dangling = entry.path_is_symlink() && !entry.path().exists();
                let plain = entry.file_type().is_some_and(|kind| kind.is_file());
                if plain || entry.path().is_file() || (dangling && is_kernel_source(entry.path())) {
                    walked.files.push(entry.into_path());
                }
            }
            Err(error) => walked.unreadable.push(failure(&error, &member.folder)),
        }
    }
    walked
}

/// Where a walk failed, and why.
fn failure(error: &ignore::Error, root: &Path) -> (PathBuf, String) {
    match error {
        ignore::Error::WithPath { path, err } => (path.clone(), failure(err, root).1),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            failure(err, root)
        }
        other => {
            let why = other.io_error().map_or_else(|| other.to_string(), ToString::to_string);
            (root.to_owned(), why)
        }
    }
}

/// `#include "part.cu"`.
static INCLUDED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+\.cu)""#).ok());

/// The `.cu` files that a source includes by a quoted name beside it: parts, not units.
fn included_sources(path: &Path) -> Vec<PathBuf> {
    let text = files::read_source(path).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let include = |found: regex::Captures<'_>| folder.join(&found[1]).canonicalize().ok();
    let own = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let all = INCLUDED.as_ref().into_iter().flat_map(|pattern| pattern.captures_iter(&text));
    all.filter_map(include).filter(|included| *included != own).collect()
}
