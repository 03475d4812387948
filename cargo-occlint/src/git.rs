//! What is asked of git: which commit a name means, and its files in a folder of their own.

use std::path::{Path, PathBuf};

use occlint::sys::files;
use occlint::sys::process::{self, Call, Cancel, ProcessError};
use occlint::text::sanitize;

use crate::error::RunError;

/// A repository with a working tree.
#[derive(Debug)]
pub(crate) struct Repository<'a> {
    /// Where its working tree begins.
    pub(crate) top: PathBuf,
    /// Where it keeps what all of its working trees share.
    common: PathBuf,
    cancel: &'a Cancel,
}

/// Variables by which git would take another repository or index than that of the folder: hooks set them.
const OF_ANOTHER: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"];

impl<'a> Repository<'a> {
    /// The repository that a folder is in.
    ///
    /// # Errors
    /// There is no git, or the folder is in no repository.
    pub(crate) fn of(folder: &Path, cancel: &'a Cancel) -> Result<Self, RunError> {
        let ask = |what: &str| git(folder, &["rev-parse", "--path-format=absolute", what], cancel);
        let top = PathBuf::from(ask("--show-toplevel")?.trim_end_matches('\n'));
        let common = PathBuf::from(ask("--git-common-dir")?.trim_end_matches('\n'));
        Ok(Self { top: top.canonicalize().unwrap_or(top), common, cancel })
    }

    /// The commit that a name means, as 40 (or 64) hexadecimal digits.
    ///
    /// # Errors
    /// There is none of that name.
    pub(crate) fn commit(&self, name: &str) -> Result<String, RunError> {
        if name.is_empty() || name.starts_with('-') {
            let message = format!("`{}` is no revision", sanitize(name));
            return Err(RunError::Usage {
                message,
                help: Some("name a branch, a tag or a commit".to_owned()),
            });
        }
        let wanted = format!("{name}^{{commit}}");
        let found =
            git(&self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted], self.cancel);
        found.map(|sha| sha.trim().to_owned()).map_err(|error| match error {
            RunError::Interrupted => error,
            _ => RunError::cannot(
                format!("there is no revision `{}` here", sanitize(name)),
                "name a branch, a tag or a commit; a shallow clone has few: fetch it first (`git fetch origin NAME`)",
            ),
        })
    }

    /// The files of a commit in a folder, until the value is dropped. What an earlier run left there is removed.
    ///
    /// # Errors
    /// git cannot write them.
    pub(crate) fn check_out(&self, sha: &str, folder: &Path) -> Result<Tree<'_>, RunError> {
        let tree = Tree { repository: self, folder: folder.to_owned() };
        tree.remove();
        let path = folder.to_string_lossy();
        git(&self.top, &["worktree", "add", "--detach", "--force", "--quiet", &path, sha], self.cancel)?;
        tree.submodules()?;
        Ok(tree)
    }
}

/// A commit's files.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    repository: &'a Repository<'a>,
    pub(crate) folder: PathBuf,
}

impl Tree<'_> {
    /// Fills submodules from what the repository has of them: nothing is fetched. One that it does not have stays empty, and
    /// what needs it says so.
    fn submodules(&self) -> Result<(), RunError> {
        if !self.folder.join(".gitmodules").is_file() {
            return Ok(());
        }
        let list =
            ["config", "--file", ".gitmodules", "--name-only", "--get-regexp", r"^submodule\..*\.path$"];
        let names = git(&self.folder, &list, self.repository.cancel)?;
        let names = names.lines().filter_map(|line| line.strip_prefix("submodule.")?.strip_suffix(".path"));
        for name in names {
            let local = self.repository.common.join("modules").join(name);
            if !local.is_dir() {
                continue;
            }
            let key = format!("submodule.{name}");
            let path = git(
                &self.folder,
                &["config", "--file", ".gitmodules", &format!("{key}.path")],
                self.repository.cancel,
            )?;
            let from = format!("{key}.url={}", local.display());
            let update = [
                "-c",
                &from,
                "-c",
                "protocol.file.allow=always",
                "submodule",
                "update",
                "--init",
                "--quiet",
                "--",
                path.trim(),
            ];
            git(&self.folder, &update, self.repository.cancel)?;
        }
        Ok(())
    }

    /// Removes this working tree, and what the repository knows of it: not of others, whose disks may only be absent. What cannot be
    /// removed is removed by the next run.
    fn remove(&self) {
        let _ = files::remove_folder(&self.folder);
        for entry in files::entries(&self.repository.common.join("worktrees")).unwrap_or_default() {
            let of = files::read_text(&entry.join("gitdir")).unwrap_or_default();
            if Path::new(of.trim_end_matches('\n')) == self.folder.join(".git") {
                let _ = files::remove_folder(&entry);
            }
        }
    }
}

impl Drop for Tree<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}

/// What git prints.
fn git(folder: &Path, args: &[&str], cancel: &Cancel) -> Result<String, RunError> {
    // Hooks are for the author's own working tree.
    let mut call = Call::new("git").args(["-c", "core.hooksPath=/dev/null"]).args(args);
    call.folder = Some(folder.to_owned());
    call.vars.extend(OF_ANOTHER.map(|name| (name.into(), None)));
    let scratch = files::scratch().map_err(RunError::File)?;
    let output = process::run(&call, scratch.path(), cancel).map_err(|error| match error {
        ProcessError::Interrupted => RunError::Interrupted,
        error => RunError::cannot(error.to_string(), "git is needed to compare with a revision"),
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = sanitize(output.stderr.trim().lines().last().unwrap_or("it said nothing"));
    let command = args.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    Err(RunError::cannot(
        format!("`git {command}` fails: {said}"),
        "this compares with what git has of the package",
    ))
}
