//! The configuration of a package, with what the command line says on top.

use std::path::PathBuf;
use std::sync::Arc;

use occlint::expect::{self, Config, Date, NameGlob};
use occlint::source::SourceText;
use occlint::sys::clock;
use occlint::sys::env::Env;
use occlint::sys::files;

use crate::cli::CheckArgs;
use crate::error::RunError;
use crate::levels;
use crate::workspace::{Member, Workspace};

/// The configuration of one package with the command line's levels on top.
pub(crate) fn config(
    member: &Member,
    workspace: &Workspace,
    (args, env): (&CheckArgs, &Env),
) -> Result<Config, RunError> {
    let text = |path: PathBuf| -> Result<Arc<SourceText>, RunError> {
        let name = path.strip_prefix(&workspace.root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        Ok(SourceText::new(name, files::read_text(&path).map_err(RunError::File)?))
    };
    let root = text(workspace.root.join("Cargo.toml"))?;
    let own =
        if member.folder == workspace.root { Arc::clone(&root) } else { text(member.manifest.clone())? };
    parsed(&root, &own, (args, env))
}

fn parsed(
    root: &Arc<SourceText>,
    own: &Arc<SourceText>,
    (args, env): (&CheckArgs, &Env),
) -> Result<Config, RunError> {
    let mut config = expect::parse(root, own).map_err(RunError::Config)?;
    asked(&mut config, args, env)?;
    Ok(config)
}

/// Puts what the command line says, and the day, into a configuration.
pub(crate) fn asked(config: &mut Config, args: &CheckArgs, env: &Env) -> Result<(), RunError> {
    config.today = clock::unix_seconds(env).and_then(Date::of_unix_seconds);
    config.only = args.compile.kernel.as_ref().map(NameGlob::new);
    config.compare.same_compiler = args.baseline.same_compiler;
    levels::apply(&args.levels, &mut config.levels)
}

/// A dependency's own configuration: its levels, targets and waivers. What compiles it is the build's.
pub(super) fn config_of_dependency(
    member: &Member,
    workspace: &Workspace,
    (args, env): (&CheckArgs, &Env),
) -> Result<Config, RunError> {
    if workspace.members.contains(&member.folder) {
        return config(member, workspace, (args, env));
    }
    let text = files::read_text(&member.manifest).map_err(RunError::File)?;
    let own = SourceText::new(member.manifest.to_string_lossy(), text);
    parsed(&own, &own, (args, env))
}
