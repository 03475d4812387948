//! What a compilation leaves.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "cache")]
use crate::compile::Kept;
use crate::compile::{Included, Moved};
#[cfg(feature = "cache")]
use crate::sys::files;
use crate::sys::files::FileError;

/// What the compilation of one unit for one architecture left.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Artefact {
    /// What nvcc and ptxas printed.
    pub log: Text,
    /// The PTX.
    pub ptx: Text,
    /// Where the cubin lies; with link-time optimisation the fat binary, which has no machine code yet.
    pub cubin: PathBuf,
    /// What is in it, where it was read already.
    pub image: Option<Arc<Vec<u8>>>,
    /// The device link finishes its code.
    pub relocatable: bool,
    /// Every file that went in: the source and its headers, as the preprocessor names them.
    pub files: Included,
    /// It was compiled when the workspace lay elsewhere: the cubin names files by where they were.
    pub moved: Option<Moved>,
    /// Where it is kept, if what is read out of it can be kept there too.
    #[cfg(feature = "cache")]
    pub kept: Option<Kept>,
}

impl Artefact {
    /// A path that its compiler printed, as one would print it now.
    pub fn now<'a>(&self, printed: &'a str) -> Cow<'a, str> {
        self.moved.as_ref().map_or(printed.into(), |moved| moved.path(printed))
    }

    /// Whether an earlier run read it already.
    pub fn is_read(&self) -> bool {
        #[cfg(feature = "cache")]
        let is = self.kept.as_ref().is_some_and(|kept| kept.evidence.is_some());
        #[cfg(not(feature = "cache"))]
        let is = false;
        is
    }
}

/// A text that a compilation left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Text {
    /// The text.
    Here(String),
    /// It is kept in a file, which is read where somebody asks: few do where evidence is kept.
    #[cfg(feature = "cache")]
    Kept {
        /// The file.
        path: PathBuf,
        /// The digest of its contents.
        sum: u64,
    },
}

impl Default for Text {
    fn default() -> Self {
        Self::Here(String::new())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Here(text)
    }
}

impl Text {
    /// The text, if no file must be read for it: that of what a device link finishes is always here.
    pub fn here(&self) -> Option<&str> {
        match self {
            Self::Here(text) => Some(text),
            #[cfg(feature = "cache")]
            Self::Kept { .. } => None,
        }
    }

    /// The text.
    ///
    /// # Errors
    /// The file cannot be read, or is not what it was.
    pub fn read(&self) -> Result<Cow<'_, str>, FileError> {
        match self {
            Self::Here(text) => Ok(text.into()),
            #[cfg(feature = "cache")]
            Self::Kept { path, sum } => {
                let text = files::read_text(path)?;
                if crate::digest::of_code(text.as_bytes()) == *sum {
                    return Ok(text.into());
                }
                let what = "it is not what was kept: `cargo occlint clean` forgets it";
                Err(FileError::of("read", path)(std::io::Error::other(what)))
            }
        }
    }
}
