//! `diff [REV]`: the working tree against a commit, no baseline needed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use occlint::baseline::{Baseline, differences};
use occlint::sys::env::Env;
use occlint::sys::files::FolderLock;
use occlint::sys::process::Cancel;

use crate::cli::CheckArgs;
use crate::commands::check::{self, Known};
use crate::commands::diff::{ComparedArgs, told};
use crate::commands::verdict;
use crate::error::RunError;
use crate::git::Repository;
use crate::terminal::Terminal;
use crate::workspace;

/// Compares the working tree with a commit.
pub(super) fn run(
    args: &ComparedArgs,
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
    // That flags are others is what is compared, too.
    let known = Known { baseline: Arc::clone(&before), other_settings: true };
    let now = check::report(&args_of_check, env, (terminal, cancel), Some(&known))?;
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

    /// What the commit's kernels need, found by checking it in a folder of its own. Its compilations are kept, as those of any run.
    fn baseline(
        &self,
        args: &CheckArgs,
        env: &Env,
        (terminal, cancel): (&Terminal, &Cancel),
    ) -> Result<Baseline, RunError> {
        let waiting = || terminal.status("Blocking", "waiting for another occlint that checks a revision");
        let _lock = FolderLock::take(&self.folder, waiting)?;
        terminal.status("Checking", &self.name);
        let tree = self.repository.check_out(&self.sha, &self.folder.join("tree"))?;
        let manifest = tree.folder.join(&self.manifest);
        if manifest.is_file() {
            return self.check(args, manifest, env, (terminal, cancel));
        }
        if args.compile.allow_empty {
            return Ok(Baseline::default());
        }
        let message = format!("nothing was compared: `{}` has no `{}`", self.name, self.manifest.display());
        Err(RunError::cannot(
            message,
            "is the package new, or was its folder another? `--allow-empty` judges all its kernels as new ones",
        ))
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
}
