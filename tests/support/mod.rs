//! What the tests that run a real compiler share: the toolkits, fetched once into the target folder.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};

use occlint::sys::env::Env;
use occlint::sys::process::Cancel;
use occlint::toolkit::{FetchOptions, Toolkit, pinned};

/// The folder for fetched toolkits: `OCCLINT_HOME`, else one in the target folder that all tests share.
pub(crate) fn home() -> PathBuf {
    let own = Env::from_process().var("OCCLINT_HOME").map(PathBuf::from);
    own.unwrap_or_else(|| {
        let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
        temporary.parent().unwrap_or(temporary).join("occlint-home")
    })
}

/// This process's environment with [`home`] in it.
pub(crate) fn env() -> Env {
    let process = Env::from_process();
    let vars = process.vars().map(|(name, value)| (name.to_owned(), value.to_owned()));
    Env::from_pairs(vars.chain([("OCCLINT_HOME".into(), home().into_os_string())]))
}

/// The toolkit of this release, fetched on first use.
pub(crate) fn toolkit(release: &str) -> Toolkit {
    let progress = |line: &str| eprintln!("{line}");
    let options =
        FetchOptions { env: &env(), offline: false, extra: &[], progress: &progress, cancel: &Cancel::new() };
    match pinned(release, options) {
        Ok(toolkit) => toolkit,
        Err(error) => panic!("{error}\n{}", error.help().unwrap_or_default()),
    }
}
