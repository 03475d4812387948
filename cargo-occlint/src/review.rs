//! Where a workspace lies in the repository that is reviewed.

use std::path::{Path, PathBuf};

use occlint::sys::env::Env;

/// Variables in which pipelines say where the repository lies.
const OF_PIPELINES: [&str; 2] = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"];

/// The path from the repository to a workspace: empty, or with `/` at its end. The repository is the one that the pipeline names,
/// else the nearest folder above with a `.git`.
pub(crate) fn below(workspace: &Path, env: &Env) -> String {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let workspace = real(workspace);
    let named = OF_PIPELINES.iter().filter_map(|name| env.var(name)).map(|path| real(Path::new(path)));
    let named = named.into_iter().find(|top| workspace.starts_with(top));
    let found = || workspace.ancestors().find(|folder| folder.join(".git").exists()).map(PathBuf::from);
    let Some(top) = named.or_else(found) else { return String::new() };
    let rest = workspace.strip_prefix(&top).unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/");
    if rest.is_empty() { rest } else { format!("{rest}/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pipeline_s_word_comes_before_what_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("a/b/c");
        std::fs::create_dir_all(&workspace).unwrap();
        let none = Env::default();
        let named = |path: &Path| Env::from_pairs([("GITHUB_WORKSPACE", path.as_os_str())]);
        assert_eq!(below(&workspace, &named(folder.path())), "a/b/c/");
        assert_eq!(below(&workspace, &named(&workspace)), "");
        std::fs::create_dir(folder.path().join("a/.git")).unwrap();
        assert_eq!(below(&workspace, &none), "b/c/");
        assert_eq!(below(&workspace, &named(Path::new("/elsewhere"))), "b/c/");
        assert_eq!(below(&folder.path().join("a"), &none), "");
    }
}
