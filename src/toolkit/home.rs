//! The folder for fetched toolkits.

use std::path::PathBuf;

use crate::sys::env::Env;

/// `OCCLINT_HOME`, else `occlint` in the user's cache folder (`XDG_CACHE_HOME`, else `.cache` in `HOME`).
pub fn home(env: &Env) -> Option<PathBuf> {
    let absolute = |path: PathBuf| std::path::absolute(path).ok();
    if let Some(home) = env.var("OCCLINT_HOME") {
        return absolute(PathBuf::from(home));
    }
    // The specification of XDG_CACHE_HOME says that a relative path there is to be ignored.
    let cache = env.var("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| env.var("HOME").map(|home| PathBuf::from(home).join(".cache")));
    cache.map(|cache| cache.join("occlint"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_variable_wins_over_the_users_cache() {
        let all = [("OCCLINT_HOME", "/o"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        let of = |from: usize| home(&Env::from_pairs(all[from..].iter().copied()));
        assert_eq!(of(0), Some("/o".into()));
        assert_eq!(of(1), Some("/x/occlint".into()));
        assert_eq!(of(2), Some("/h/.cache/occlint".into()));
        assert_eq!(of(3), None);
        assert_eq!(
            home(&Env::from_pairs([("XDG_CACHE_HOME", "rel"), ("HOME", "/h")])),
            Some("/h/.cache/occlint".into())
        );
    }
}
