//! The workspace: `cargo metadata`, and which of its packages are meant.

use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, MetadataCommand, Package};
use occlint::expect::nearest;
use occlint::order::Set;
use occlint::session::Roots;
use occlint::sys::env::Env;
use occlint::sys::files;
use occlint::sys::process::{self, Call, Cancel, ProcessError};

use crate::cli::SelectionArgs;
use crate::error::RunError;

/// The workspace and the packages to check.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) selected: Vec<Member>,
    /// All of a workspace was meant: members without kernels are skipped.
    pub(crate) whole: bool,
    /// The folders of all members: a member's sources end where the next begins.
    pub(crate) members: Vec<PathBuf>,
}

impl Workspace {
    /// The folders that decide whose a file of the package in `folder` is.
    pub(crate) fn roots(&self, folder: &Path) -> Roots {
        Roots {
            workspace: self.root.clone(),
            package: folder.to_owned(),
            foreign: vec![self.target.clone()],
            named: Set::new(),
        }
    }
}

/// A package of the workspace.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// What cargo calls it where a name may be ambiguous.
    pub(crate) id: String,
    /// It has a build script.
    pub(crate) has_build_script: bool,
    pub(crate) manifest: PathBuf,
    pub(crate) folder: PathBuf,
    /// Members that it depends on and that have a build script.
    pub(crate) builds_with: Vec<String>,
}

impl Member {
    fn new(package: &Package) -> Self {
        let manifest = package.manifest_path.clone().into_std_path_buf();
        let folder = manifest.parent().map(Path::to_owned).unwrap_or_default();
        let has_build_script = package.targets.iter().any(cargo_metadata::Target::is_custom_build);
        Self {
            name: package.name.to_string(),
            id: package.id.repr.clone(),
            has_build_script,
            manifest,
            folder,
            builds_with: Vec::new(),
        }
    }
}

/// Asks cargo for the workspace and picks the packages.
pub(crate) fn load(args: &SelectionArgs, env: &Env, cancel: &Cancel) -> Result<Workspace, RunError> {
    let metadata = metadata(args, env, cancel)?;
    let mut members: Vec<Member> = metadata.workspace_packages().into_iter().map(Member::new).collect();
    members.sort_by(|a, b| a.name.cmp(&b.name));
    for package in metadata.workspace_packages() {
        let of = |path: &Path| members.iter().find(|member| member.folder == path && member.has_build_script);
        let paths = package.dependencies.iter().filter_map(|dependency| dependency.path.as_ref());
        let mut built: Vec<String> =
            paths.filter_map(|path| Some(of(path.as_std_path())?.name.clone())).collect();
        built.sort();
        built.dedup();
        let own = members.iter_mut().find(|member| member.id == package.id.repr);
        own.into_iter().for_each(|member| member.builds_with.clone_from(&built));
    }
    let (selected, whole) = select(args, &metadata, &members)?;
    let target = match &args.target_dir {
        Some(folder) => std::path::absolute(folder)?,
        None => metadata.target_directory.clone().into_std_path_buf(),
    };
    let folders = members.iter().map(|member| member.folder.clone()).collect();
    let root = metadata.workspace_root.into_std_path_buf();
    Ok(Workspace { root, target, selected, whole, members: folders })
}

fn metadata(args: &SelectionArgs, env: &Env, cancel: &Cancel) -> Result<Metadata, RunError> {
    let mut command = MetadataCommand::new();
    command.no_deps();
    if let Some(cargo) = env.var("CARGO") {
        command.cargo_path(cargo);
    }
    if let Some(path) = &args.manifest_path {
        command.manifest_path(path);
    }
    command.other_options(args.lock_args().collect::<Vec<_>>());
    exec(&command, cancel)
}

/// Runs `cargo metadata` as every child runs: a cargo that hangs ends on Ctrl-C with all that it started.
fn exec(command: &MetadataCommand, cancel: &Cancel) -> Result<Metadata, RunError> {
    let command = command.cargo_command();
    let call = Call::new(command.get_program()).args(command.get_args());
    let scratch = files::scratch().map_err(RunError::File)?;
    let output = process::run(&call, scratch.path(), cancel).map_err(|error| match error {
        ProcessError::Interrupted => RunError::Interrupted,
        error => RunError::cannot(error.to_string(), "`cargo metadata` finds the packages: cargo is needed"),
    })?;
    if !output.status.success() {
        return Err(RunError::Metadata(cargo_metadata::Error::CargoMetadata { stderr: output.stderr }));
    }
    // A wrapper may print lines of its own.
    let json = output.stdout.lines().find(|line| line.starts_with('{'));
    let json = json.ok_or(RunError::Metadata(cargo_metadata::Error::NoJson))?;
    MetadataCommand::parse(json).map_err(RunError::Metadata)
}

fn select(
    args: &SelectionArgs,
    metadata: &Metadata,
    members: &[Member],
) -> Result<(Vec<Member>, bool), RunError> {
    for name in args.package.iter().chain(&args.exclude) {
        known(name, members)?;
    }
    let named = |names: &[String], member: &Member| names.contains(&member.name);
    if !args.package.is_empty() && !args.workspace {
        let selected = members.iter().filter(|member| named(&args.package, member)).cloned().collect();
        return Ok((selected, false));
    }
    if args.workspace {
        let selected: Vec<_> =
            members.iter().filter(|member| !named(&args.exclude, member)).cloned().collect();
        return Ok((selected, true));
    }
    // As cargo does: the package one stands in, else the workspace's default members.
    if let Some(here) = nearest_manifest(args)?.and_then(|path| members.iter().find(|m| m.manifest == path)) {
        return Ok((vec![here.clone()], false));
    }
    let default = metadata.workspace_default_packages();
    let is_default = |member: &&Member| default.iter().any(|package| *package.name == member.name);
    Ok((members.iter().filter(is_default).cloned().collect(), true))
}

/// `--manifest-path`, else the Cargo.toml of this folder or the nearest above it.
pub(crate) fn nearest_manifest(args: &SelectionArgs) -> Result<Option<PathBuf>, RunError> {
    if let Some(path) = &args.manifest_path {
        return Ok(Some(path.canonicalize().unwrap_or_else(|_| path.clone())));
    }
    let here = std::env::current_dir()?;
    let here = here.canonicalize().unwrap_or(here);
    Ok(here.ancestors().map(|folder| folder.join("Cargo.toml")).find(|path| path.is_file()))
}

fn known(name: &str, members: &[Member]) -> Result<(), RunError> {
    if members.iter().any(|member| member.name == name) {
        return Ok(());
    }
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the workspace has: {}", names.join(", ")),
    };
    Err(RunError::Usage { message: format!("the workspace has no package `{name}`"), help: Some(help) })
}
