//! Paths as people see them, and which of them are the author's own.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::order::Set;
use crate::source::SourceText;
use crate::sys::files::SourceMap;

/// The folders that decide how a path is shown and whose it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Roots {
    /// The workspace: shown paths are relative to it.
    pub workspace: PathBuf,
    /// The package: compilers run there.
    pub package: PathBuf,
    /// Folders inside the workspace that are not the author's: the target folder, the toolkit.
    pub foreign: Vec<PathBuf>,
    /// Files that the configuration names as sources: the author's own, wherever they lie.
    pub named: Set<PathBuf>,
}

impl Roots {
    /// A path that a compiler printed, made absolute and free of `.` and `..`.
    pub fn absolute(&self, printed: &str) -> PathBuf {
        clean(&self.package.join(printed))
    }

    /// An absolute path as people see it: relative to the workspace with forward slashes; absolute outside.
    pub fn shown(&self, path: &Path) -> String {
        let shown = path.strip_prefix(&self.workspace).unwrap_or(path);
        shown.to_string_lossy().replace('\\', "/")
    }

    /// Whether a file is a library's: outside workspace and package, or in a folder that is not the author's.
    pub fn is_foreign(&self, path: &Path) -> bool {
        let inside = path.starts_with(&self.workspace) || path.starts_with(&self.package);
        let foreign = !inside || self.foreign.iter().any(|folder| path.starts_with(folder));
        foreign && !self.named.contains(path)
    }

    /// These folders in words: what is read of a compilation depends on them.
    pub fn in_words(&self) -> String {
        let Self { workspace, package, foreign, named } = self;
        let inside =
            |path: &Path| path.starts_with(workspace) && !foreign.iter().any(|f| path.starts_with(f));
        let named: Vec<&PathBuf> = named.iter().filter(|path| !inside(path)).collect();
        format!("{workspace:?} {package:?} {foreign:?} {named:?}")
    }

    /// Answers the evidence's question about a printed path. A file of others has a text only where the preprocessor
    /// really `entered` it: a `#line` can name any file of the machine, and its lines would be shown.
    pub(crate) fn lookup(
        &self,
        sources: &SourceMap,
        entered: &dyn Fn(&Path) -> bool,
        printed: &str,
    ) -> (String, bool, Option<Arc<SourceText>>) {
        let path = self.absolute(printed);
        let name = self.shown(&path);
        let foreign = self.is_foreign(&path);
        let text = if foreign && !entered(&path) { None } else { sources.get(&path, &name) };
        (name, foreign, text)
    }
}

/// Takes `.` and `..` out without asking the file system.
fn clean(path: &Path) -> PathBuf {
    // Most paths have none, nor a slash too many.
    let bytes = path.as_os_str().as_encoded_bytes();
    if !bytes.windows(2).any(|two| matches!(two, b"/." | b"//")) && !bytes.ends_with(b"/") {
        return path.to_owned();
    }
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots() -> Roots {
        let named = Set::from(["/elsewhere/k.cu".into()]);
        Roots { workspace: "/w".into(), package: "/w/p".into(), foreign: vec!["/w/target".into()], named }
    }

    #[test]
    fn printed_paths_are_shown_relative_to_the_workspace() {
        assert_eq!(roots().shown(&roots().absolute("src/../k/./a.cu")), "p/k/a.cu");
        assert_eq!(roots().shown(&roots().absolute("/usr/include/x.h")), "/usr/include/x.h");
    }

    #[test]
    fn the_text_of_a_foreign_file_needs_an_include() {
        let folder = tempfile::tempdir().unwrap();
        let (own, foreign) = (folder.path().join("p/k.cu"), folder.path().join("secret"));
        let roots = Roots {
            workspace: folder.path().join("p"),
            package: folder.path().join("p"),
            foreign: Vec::new(),
            named: Set::new(),
        };
        std::fs::create_dir(&roots.package).unwrap();
        for path in [&own, &foreign] {
            std::fs::write(path, "text").unwrap();
        }
        let text = |entered: &[&PathBuf], path: &Path| {
            let entered = |path: &Path| entered.iter().any(|own| *own == path);
            roots.lookup(&SourceMap::default(), &entered, path.to_str().unwrap()).2.is_some()
        };
        assert!(text(&[], &own) && text(&[&foreign], &foreign));
        assert!(!text(&[], &foreign) && !text(&[&own], Path::new("../secret")));
    }

    #[test]
    fn what_lies_outside_or_in_the_target_folder_is_foreign() {
        let foreign = |path: &str| roots().is_foreign(Path::new(path));
        assert!(foreign("/usr/include/cub.cuh") && foreign("/w/target/home/cub.cuh"));
        assert!(!foreign("/w/p/k.cu") && !foreign("/w/shared/h.cuh"));
        assert!(!foreign("/elsewhere/k.cu") && foreign("/elsewhere/h.cuh"));
    }
}
