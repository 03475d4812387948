//! Where a build script runs: its folders, its configuration, what its user asks of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::de::DeTable;

use crate::build_script::BuildError;
use crate::expect::{self, Config, Date};
use crate::finding::Level;
use crate::parallel::Workers;
use crate::session::Roots;
use crate::source::SourceText;
use crate::sys::clock;
use crate::sys::env::Env;
use crate::sys::files::{self, SourceMap};
use crate::sys::jobserver::JobServer;

/// Variables that this helper reads and cargo does not set; `PATH` is left out, as in cc: tools change it all the time.
pub(super) const VARIABLES: [&str; 8] =
    ["OCCLINT", "DOCS_RS", "NVCC", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "OCCLINT_HOME", "XDG_CACHE_HOME"];

/// `OCCLINT`: what the person who builds wants of the check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// As configured.
    Plain,
    /// Compile only.
    Off,
    /// Nothing is denied.
    Warn,
    /// Warnings are denied.
    Deny,
}

/// Where a build script runs.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) env: Env,
    pub(super) mode: Mode,
    pub(super) package: String,
    pub(super) out: PathBuf,
    pub(super) roots: Roots,
    pub(super) config: Config,
    pub(super) sources: SourceMap,
    /// The manifests that the configuration was read from.
    pub(super) manifests: Vec<PathBuf>,
}

impl Scene {
    /// `NUM_JOBS`, and the tokens of cargo's job server beyond the one that this process has.
    pub(super) fn workers(&self) -> Workers {
        let most = self.env.text("NUM_JOBS").and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
        Workers::new(most, JobServer::from_env(&self.env))
    }

    /// Reads the environment that cargo gives to build scripts, and the configuration.
    ///
    /// # Errors
    /// A variable of cargo's is missing, `OCCLINT` says what it cannot, or the configuration is broken.
    pub(super) fn new(env: Env, out: Option<&Path>) -> Result<Self, BuildError> {
        let folder = |name: &str| {
            let missing = || {
                BuildError::usage(
                    format!("`{name}` is not set"),
                    "`occlint::Build` is for build scripts: cargo sets it there",
                )
            };
            env.var(name).map(PathBuf::from).ok_or_else(missing)
        };
        let package = folder("CARGO_MANIFEST_DIR")?;
        let out = out.map_or_else(
            || folder("OUT_DIR"),
            |out| Ok(std::path::absolute(out).unwrap_or_else(|_| out.to_owned())),
        )?;
        let (root, manifest) = workspace_of(&package);
        let own = manifest_text(&package, &root)?;
        let workspace = match &manifest {
            Some(text) if root != package => Arc::clone(text),
            _ => Arc::clone(&own),
        };
        let mut config = expect::parse(&workspace, &own).map_err(BuildError::Config)?;
        let is_guest = is_fetched(&package, &root);
        let mode = mode(env.text("OCCLINT"), is_guest)?;
        config.today = clock::unix_seconds(&env).and_then(Date::of_unix_seconds);
        if mode == Mode::Deny {
            config.levels.deny_warnings();
        }
        let mut manifests = vec![root.join("Cargo.toml"), package.join("Cargo.toml")];
        manifests.dedup();
        let roots = Roots { workspace: root, package, foreign: vec![out.clone()], named: Default::default() };
        let name = env.text("CARGO_PKG_NAME").unwrap_or("package").to_owned();
        Ok(Self { env, mode, package: name, out, roots, config, sources: SourceMap::default(), manifests })
    }

    /// Takes away what the person who builds does not want denied.
    pub(super) fn softened(&self, level: Level) -> Level {
        if self.mode == Mode::Warn { level.min(Level::Warn) } else { level }
    }
}

/// Denied findings of what cargo fetched are warnings, which cargo does not show: whoever builds it cannot change it.
fn mode(asked: Option<&str>, is_fetched: bool) -> Result<Mode, BuildError> {
    match asked {
        None if is_fetched => Ok(Mode::Warn),
        None => Ok(Mode::Plain),
        Some("off") => Ok(Mode::Off),
        Some("warn") => Ok(Mode::Warn),
        Some("deny") => Ok(Mode::Deny),
        Some(other) => Err(BuildError::usage(
            format!("`OCCLINT={other}` says nothing"),
            "write `off` (compile only), `warn` (deny nothing) or `deny` (deny warnings too), or unset it",
        )),
    }
}

/// Whether cargo fetched the package: it marks what comes from a registry, from git, or is vendored.
fn is_fetched(package: &Path, root: &Path) -> bool {
    let marked =
        |folder: &Path| folder.join(".cargo-ok").exists() || folder.join(".cargo-checksum.json").exists();
    package.ancestors().take_while(|folder| folder.starts_with(root)).any(marked)
}

fn manifest_text(folder: &Path, root: &Path) -> Result<Arc<SourceText>, BuildError> {
    let path = folder.join("Cargo.toml");
    let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
    Ok(SourceText::new(shown, files::read_text(&path)?))
}

/// The workspace's folder and its manifest, as cargo finds it: the package's own, what it names, or the next above that does
/// not exclude it. A package without one is its own.
fn workspace_of(package: &Path) -> (PathBuf, Option<Arc<SourceText>>) {
    let mut named = None;
    for folder in package.ancestors() {
        let Ok(text) = files::read_text(&folder.join("Cargo.toml")) else { continue };
        let (document, _) = DeTable::parse_recoverable(&text);
        if folder == package {
            let path =
                document.get_ref().get("package").and_then(|package| package.get_ref().get("workspace"));
            named = path.and_then(|path| path.get_ref().as_str()).map(|path| package.join(path));
        }
        let Some(workspace) = document.get_ref().get("workspace") else { continue };
        let excluded = workspace.get_ref().get("exclude").and_then(|list| list.get_ref().as_array());
        let is_excluded = excluded.is_some_and(|list| {
            let paths = list.iter().filter_map(|path| path.get_ref().as_str());
            paths.into_iter().any(|path| package.starts_with(folder.join(path)))
        });
        if !is_excluded || folder == package {
            return (folder.to_owned(), Some(SourceText::new("Cargo.toml", text)));
        }
    }
    let named = named.and_then(|folder| folder.canonicalize().ok());
    match named.map(|folder| (files::read_text(&folder.join("Cargo.toml")), folder)) {
        Some((Ok(text), folder)) => (folder, Some(SourceText::new("Cargo.toml", text))),
        _ => (package.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn the_workspace_is_the_next_above_that_does_not_exclude_the_package() {
        let folder = folder_with(&[
            ("Cargo.toml", "[workspace]\nexclude = [\"out\"]\n"),
            ("a/b/Cargo.toml", "[package]\n"),
            ("out/c/Cargo.toml", "[package]\n"),
            ("own/Cargo.toml", "[package]\n[workspace]\n"),
        ]);
        let root = |package: &str| {
            let (root, _) = workspace_of(&folder.path().join(package));
            root.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned()
        };
        assert_eq!(
            (root("a/b"), root("out/c"), root("own")),
            (String::new(), "out/c".to_owned(), "own".to_owned())
        );
    }

    #[test]
    fn what_cargo_fetched_denies_nothing_unless_asked() {
        let folder = folder_with(&[("p/.cargo-ok", ""), ("p/Cargo.toml", ""), ("q/Cargo.toml", "")]);
        let (fetched, own) = (folder.path().join("p"), folder.path().join("q"));
        assert!(is_fetched(&fetched, &fetched) && !is_fetched(&own, &own));
        assert_eq!(mode(None, true).unwrap(), Mode::Warn);
        assert_eq!(mode(Some("deny"), true).unwrap(), Mode::Deny);
        assert_eq!(mode(None, false).unwrap(), Mode::Plain);
        assert!(mode(Some("no"), false).unwrap_err().to_string().contains("`off`"));
    }
}
