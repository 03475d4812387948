//! A unit: one source file with its flags.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::arch::Arch;
use crate::compile::Settings;
use crate::digest;

/// What a source file is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SourceKind {
    /// CUDA C++: compiled by nvcc.
    Cuda,
    /// PTX: assembled by ptxas alone.
    Ptx,
    /// A cubin: read as it is.
    Cubin,
    /// A fat binary, an object or a library that embeds cubins: read after cuobjdump has taken them out.
    Container,
}

impl SourceKind {
    /// What a file is by its extension: `.ptx`, `.cubin`, `.fatbin`, `.o`, `.a` or `.so`, else CUDA C++.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("ptx") => Self::Ptx,
            Some("cubin") => Self::Cubin,
            Some("fatbin" | "o" | "a" | "so") => Self::Container,
            _ => Self::Cuda,
        }
    }

    /// It was compiled before: no compiler runs, and its architectures are its own.
    pub const fn is_binary(self) -> bool {
        matches!(self, Self::Cubin | Self::Container)
    }
}

/// How a build that does not know occlint compiles a unit. The configuration's flags, includes and defines do not apply to
/// it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BuildCall {
    /// Its flags, as far as they decide the device code.
    pub flags: Vec<String>,
    /// The folder that the build compiles it in.
    pub folder: PathBuf,
    /// The variables of the build that a compiler reads.
    pub vars: Vec<(String, String)>,
    /// The architectures it is compiled for, each with the front end's (`compute_80`), ascending.
    pub archs: Vec<(Arch, String)>,
}

/// One source file to check.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Unit {
    /// Relative to the workspace root, with forward slashes.
    pub name: String,
    /// Absolute.
    pub source: PathBuf,
    /// What it is.
    pub kind: SourceKind,
    /// How a build compiles it; `None`: as the configuration says.
    pub call: Option<Arc<BuildCall>>,
}

impl Unit {
    /// A unit of this file; the kind follows from its extension.
    pub fn new(name: impl Into<String>, source: impl Into<PathBuf>) -> Self {
        let source = source.into();
        Self { name: name.into(), kind: SourceKind::of(&source), source, call: None }
    }

    /// Its flags: its build's own, else the configuration's.
    pub fn flags<'a>(&'a self, settings: &'a Settings) -> &'a [String] {
        self.call.as_ref().map_or(&settings.flags, |call| &call.flags)
    }

    /// A path that the compiler printed of it: relative to its build's folder, if it has one.
    pub fn printed(&self, path: &str) -> String {
        match &self.call {
            Some(call) => call.folder.join(path).to_string_lossy().into_owned(),
            None => path.to_owned(),
        }
    }

    /// The architectures to compile it for: its build's own, else those that are asked for.
    pub fn archs(&self, asked: &[Arch]) -> Vec<Arch> {
        match &self.call {
            Some(call) => call.archs.iter().map(|(arch, _)| *arch).collect(),
            None => asked.to_vec(),
        }
    }

    /// The file name without its extension: what nvcc calls the intermediates.
    pub fn stem(&self) -> String {
        self.source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The unit's own folder below `work`: readable, and never shared by two sources of one name.
    pub fn folder(&self, work: &Path) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let stem: String = self.stem().chars().map(plain).take(40).collect();
        work.join(format!("{stem}-{:016x}", digest::fnv1a(self.name.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_name_have_their_own_folders() {
        let work = Path::new("/w");
        let one = Unit::new("a/k.cu", "/p/a/k.cu").folder(work);
        let two = Unit::new("b/k.cu", "/p/b/k.cu").folder(work);
        assert_ne!(one, two);
        assert!(one.starts_with("/w") && one.file_name().unwrap().to_string_lossy().starts_with("k-"));
    }

    #[test]
    fn a_hostile_name_gives_a_plain_folder() {
        let folder = Unit::new("x", "/p/..$(é) k.cu").folder(Path::new("/w"));
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            !name.starts_with("__$") && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
        );
    }

    #[test]
    fn the_extension_says_what_a_source_is() {
        assert_eq!(Unit::new("k.PTX", "/k.PTX").kind, SourceKind::Ptx);
        assert_eq!(Unit::new("k.cu", "/k.cu").kind, SourceKind::Cuda);
        assert_eq!(Unit::new("k", "/k").kind, SourceKind::Cuda);
        assert_eq!(Unit::new("k.cubin", "/k.cubin").kind, SourceKind::Cubin);
        for name in ["k.fatbin", "k.cu.o", "libk.a", "libk.so"] {
            assert_eq!(Unit::new(name, name).kind, SourceKind::Container, "{name}");
        }
    }
}
