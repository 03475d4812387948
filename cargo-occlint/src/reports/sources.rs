//! The sources that a report speaks of, where they are here: for drawing only.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use occlint::source::SourceText;
use occlint::sys::files::SourceMap;

/// Finds sources below the workspace, or the current folder.
pub(crate) struct Sources {
    folders: Vec<PathBuf>,
    texts: SourceMap,
    /// By the name in the report.
    known: Mutex<BTreeMap<String, Option<Arc<SourceText>>>>,
}

impl Sources {
    /// Of the workspace around the current folder.
    pub(crate) fn here() -> Self {
        Self::around(&std::env::current_dir().unwrap_or_default())
    }

    /// Of the workspace around `folder`: the outermost folder with a Cargo.toml, then `folder` itself.
    pub(crate) fn around(folder: &Path) -> Self {
        let outermost = folder.ancestors().filter(|folder| folder.join("Cargo.toml").is_file()).last();
        let folders = outermost.into_iter().chain([folder]);
        let folders = folders.filter_map(|folder| folder.canonicalize().ok()).collect();
        Self { folders, texts: SourceMap::default(), known: Mutex::default() }
    }

    /// The text of a file that a report names. A report can name any file of this machine, whose lines would be shown: only
    /// what lies below the folders is read.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<SourceText>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(name) {
            return known.clone();
        }
        let found = self.find(name);
        known.insert(name.to_owned(), found.clone());
        found
    }

    fn find(&self, name: &str) -> Option<Arc<SourceText>> {
        let path = Path::new(name);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        self.folders.iter().find_map(|folder| {
            let real = folder.join(path).canonicalize().ok().filter(|real| real.starts_with(folder))?;
            self.texts.get(&real, name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("workspace/member");
        std::fs::create_dir_all(&inner).unwrap();
        for (name, text) in [
            ("secret", "x"),
            ("workspace/Cargo.toml", ""),
            ("workspace/k.cu", "one"),
            ("workspace/member/m.cu", "two"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let sources = Sources::around(&inner);
        let text = |name: &str| sources.get(name).map(|source| source.text().to_owned());
        assert_eq!((text("k.cu").as_deref(), text("m.cu").as_deref()), (Some("one"), Some("two")));
        assert_eq!(text("member/m.cu").as_deref(), Some("two"));
        for name in ["../secret", "../../secret", "/etc/passwd", "", "nothing.cu", "member"] {
            assert_eq!(text(name), None, "{name}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("secret"), inner.join("link.cu")).unwrap();
            assert_eq!(text("link.cu"), None);
        }
    }
}
