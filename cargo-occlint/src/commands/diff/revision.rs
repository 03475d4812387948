//! `diff [REV]`: the working tree against a commit, no baseline needed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use occlint::baseline::{Baseline, differences};
use occlint::digest;
use occlint::sys::env::Env;
use occlint::sys::files::FolderLock;
use occlint::sys::process::Cancel;
use occlint::toolkit::{self, FLAG_VARIABLES, Search};

use crate::baseline::{self, File};
use crate::cli::CheckArgs;
use crate::commands::diff::{DiffArgs, told};
use crate::commands::{check, verdict};
use crate::error::RunError;
use crate::git::Repository;
use crate::terminal::Terminal;
use crate::workspace;

/// Variables that decide what compiles, beside the compiler's own.
const DECIDES: [&str; 6] = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CXX", "NVCC", "PATH"];

/// Compares the working tree with a commit.
pub(super) fn run(
    args: &DiffArgs,
    name: &str,
    env: &Env,
    (terminal, cancel): (&Terminal, &Cancel),
) -> Result<u8, RunError> {
    let args_of_check = args.check();
    verdict::clear(&args.output)?;
    let base = Base::of(name, &args_of_check, env, cancel)?;
    let before = Arc::new(base.baseline(&args_of_check, env, (terminal, cancel))?);
    if before.entries.is_empty() {
        let text =
            format!("`{}` has no kernel of this package: every kernel is judged as a new one", base.name);
        terminal.status("Note", &text);
    }
    terminal.status("Checking", "the working tree");
    let now = check::report(&args_of_check, env, (terminal, cancel), Some(&before))?;
    let differences = differences(&before, &Baseline::of(&now));
    if differences.in_common() == 0 && !before.entries.is_empty() {
        let message = format!(
            "nothing was compared: no kernel on an architecture is in `{}` and in the working tree",
            base.name
        );
        return Err(RunError::cannot(
            message,
            "are both compiled for the same architectures? `--arch` names them for both",
        ));
    }
    told(args.format, &args_of_check, (&differences, &now), (env, terminal))
}

/// A commit to compare with.
struct Base<'a> {
    /// As the user and git call it: `main (1a2b3c4d)`.
    name: String,
    sha: String,
    repository: Repository<'a>,
    /// The manifest, from where the working tree begins.
    manifest: PathBuf,
    /// Where commits are checked.
    folder: PathBuf,
}

impl<'a> Base<'a> {
    fn of(name: &str, args: &CheckArgs, env: &Env, cancel: &'a Cancel) -> Result<Self, RunError> {
        let manifest = workspace::nearest_manifest(&args.selection)?.ok_or_else(|| {
            RunError::cannot("there is no Cargo.toml here or above", "`--manifest-path` names one")
        })?;
        let here = manifest.parent().unwrap_or(Path::new("/"));
        let repository = Repository::of(here, cancel)?;
        let sha = repository.commit(name)?;
        let manifest = manifest.strip_prefix(&repository.top).map(Path::to_owned).map_err(|_| {
            RunError::cannot(
                "the package is not in the repository that git finds here",
                "call it from the package's folder",
            )
        })?;
        let folder = workspace::load(&args.selection, env, cancel)?.target.join("occlint/revisions");
        let name = format!("{name} ({})", sha.get(..8).unwrap_or(&sha));
        Ok(Self { name, sha, repository, manifest, folder })
    }

    /// What the commit's kernels need: kept from an earlier run, else found by checking it in a folder of its own.
    fn baseline(
        &self,
        args: &CheckArgs,
        env: &Env,
        (terminal, cancel): (&Terminal, &Cancel),
    ) -> Result<Baseline, RunError> {
        let waiting = || terminal.status("Blocking", "waiting for another occlint that checks a revision");
        let _lock = FolderLock::take(&self.folder, waiting)?;
        let kept = self.folder.join(format!("{}-{}.json", self.sha, self.settings(args, env, cancel)));
        // A file that cannot be read is made again.
        if let Ok(Some(file)) = baseline::read(&kept) {
            terminal.status("Checking", &format!("{}, as it was checked before", self.name));
            return Ok(file.baseline);
        }
        terminal.status("Checking", &self.name);
        let tree = self.repository.check_out(&self.sha, &self.folder.join("tree"))?;
        let manifest = tree.folder.join(&self.manifest);
        let found = if manifest.is_file() {
            self.check(args, manifest, env, (terminal, cancel))?
        } else {
            Baseline::default()
        };
        drop(tree);
        File { path: kept, baseline: found.clone() }.write()?;
        Ok(found)
    }

    fn check(
        &self,
        args: &CheckArgs,
        manifest: PathBuf,
        env: &Env,
        (terminal, cancel): (&Terminal, &Cancel),
    ) -> Result<Baseline, RunError> {
        let mut args = args.clone();
        args.selection.manifest_path = Some(manifest);
        args.selection.target_dir = Some(self.folder.join("target"));
        // A commit without kernels is one, and what lints say of it is not told.
        args.compile.allow_empty = true;
        args.compile.experiments = crate::cli::ExperimentsChoice::Off;
        let report = check::report(&args, env, (terminal, cancel), None).map_err(|error| match error {
            RunError::Reported => RunError::cannot(
                format!("`{}` cannot be checked: see above", self.name),
                "compare with another revision, or with a baseline (`--bless`)",
            ),
            error => error,
        })?;
        Ok(Baseline::of(&report))
    }

    /// A digest of all that decides what a check of a commit finds, beside the commit.
    fn settings(&self, args: &CheckArgs, env: &Env, cancel: &Cancel) -> String {
        let search = Search { nvcc: args.compile.nvcc.as_deref(), env, cancel };
        let found = toolkit::find(search).map(|toolkit| toolkit.version.to_string()).unwrap_or_default();
        let variables = DECIDES.iter().chain(&FLAG_VARIABLES).map(|name| env.var(name));
        let variables: Vec<String> = variables.map(|value| format!("{value:?}")).collect();
        let asked = format!("{:?}{:?}{:?}", args.selection, args.compile, args.build);
        digest::hex(&format!(
            "{}\n{}\n{asked}\n{found}\n{}",
            env!("CARGO_PKG_VERSION"),
            self.manifest.display(),
            variables.join("\n")
        ))
    }
}
