//! The workspace, and meanwhile what the last run kept: cargo takes as long to answer as all else of a run that compiles
//! nothing.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use occlint::compile::{Ahead, Cache};
use occlint::sys::env::Env;
use occlint::sys::process::Cancel;

use crate::cli::CheckArgs;
use crate::error::RunError;
use crate::workspace::{self, Workspace};

/// Where a cache is below a target folder.
const IN_TARGET: &str = "occlint/cache";

/// Threads at most, cargo's among them.
const MOST: usize = 4;

/// Asks cargo for the workspace, and opens its cache.
pub(crate) fn workspace(
    args: &CheckArgs,
    env: &Env,
    cancel: &Cancel,
) -> Result<(Workspace, Option<Cache>), RunError> {
    let here = std::env::current_dir()?;
    // Runs in one folder mostly use the same compilations.
    let run = format!("{here:?} {:?}", args.selection.manifest_path);
    let guess = guess(args, env, &here);
    let known = AtomicBool::new(false);
    let (workspace, ahead) = std::thread::scope(|scope| {
        let ahead = guess.as_ref().map(|folder| {
            scope.spawn(|| {
                let ahead = Ahead::open(folder, &run).ok()?;
                let read = || ahead.read(&|| known.load(Ordering::Relaxed));
                // cargo has a core for itself.
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                std::thread::scope(|scope| {
                    (2..cores.min(MOST)).for_each(|_| drop(scope.spawn(read)));
                    read();
                });
                Some(ahead)
            })
        });
        let workspace = workspace::load(&args.selection, env, cancel);
        known.store(true, Ordering::Relaxed);
        (workspace, ahead.and_then(|ahead| ahead.join().ok()?))
    });
    let workspace = workspace?;
    if args.compile.no_cache {
        return Ok((workspace, None));
    }
    let folder = args.compile.cache_dir.clone().unwrap_or_else(|| workspace.target.join(IN_TARGET));
    let folder = std::path::absolute(&folder)?;
    let ahead = match ahead {
        Some(ahead) if guess.as_ref() == Some(&folder) => ahead,
        _ => Ahead::open(&folder, &run)?,
    };
    let cache = Cache::new(ahead, &workspace.root, env);
    Ok((workspace, Some(cache)))
}

/// The folder of the cache, where it can be told without cargo and is there.
fn guess(args: &CheckArgs, env: &Env, here: &Path) -> Option<PathBuf> {
    if args.compile.no_cache {
        return None;
    }
    let target = args.selection.target_dir.clone().or_else(|| env.var("CARGO_TARGET_DIR").map(PathBuf::from));
    let folder = match (&args.compile.cache_dir, target) {
        (Some(folder), _) => std::path::absolute(folder).ok()?,
        (None, Some(target)) => std::path::absolute(target.join(IN_TARGET)).ok()?,
        (None, None) => {
            let manifest = args.selection.manifest_path.as_ref().map(|path| here.join(path));
            let package = manifest.as_ref().and_then(|path| path.parent()).unwrap_or(here);
            let caches = package.ancestors().map(|folder| folder.join("target").join(IN_TARGET));
            caches.into_iter().find(|cache| cache.is_dir())?
        }
    };
    folder.is_dir().then_some(folder)
}
