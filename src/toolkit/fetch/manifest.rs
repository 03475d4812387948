//! What a fetched folder says it holds: written last, so that a folder without it is never used.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::sys::files::{self, FileError};
use crate::toolkit::releases::{Machine, Wheel};
use crate::toolkit::{Toolkit, Version};

const FILE: &str = "occlint-toolkit.txt";
const FORMAT: &str = "occlint toolkit, format 1";

/// The requirements of these wheels in pip's own form, one a line.
pub(super) fn requirements(wheels: &[&Wheel], machine: Machine) -> String {
    wheels
        .iter()
        .map(|wheel| format!("{}=={} --hash=sha256:{}\n", wheel.name, wheel.version, wheel.sha256(machine)))
        .collect()
}

/// A short name for these requirements: FNV-1a, 64 bits. It keeps sets of wheels apart; the manifest is what is trusted.
pub(super) fn digest(requirements: &str) -> String {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", requirements.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(any(feature = "fetch", test))]
/// Writes the manifest of `folder`: `root` is the toolkit's folder in it.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(
    folder: &Path,
    root: &Path,
    version: Version,
    requirements: &str,
) -> Result<(), FileError> {
    let text = format!("{FORMAT}\nversion {version}\nroot {}\n{requirements}", root.display());
    files::write_atomically(&folder.join(FILE), text.as_bytes())
}

/// The toolkit in `folder`, if it is whole and made of exactly these requirements. Runs no process.
///
/// # Errors
/// Something is there and cannot be read: that says nothing about whether it is whole.
pub(super) fn read(folder: &Path, release: &str, requirements: &str) -> Result<Option<Toolkit>, FileError> {
    let text = match files::read_text(&folder.join(FILE)) {
        Err(error) if is_absent(&error.cause) => return Ok(None),
        text => text?,
    };
    let Some((root, version)) = parse(&text, release, requirements) else { return Ok(None) };
    let root = folder.join(root);
    if lacks(&root)?.is_some() {
        return Ok(None);
    }
    let bin = root.join("bin");
    Ok(Some(Toolkit::in_bin(&bin.join("nvcc"), &bin, version, format!("pinned {release}"))))
}

/// The toolkit's folder and version, if the manifest is one of this release and these requirements.
fn parse(text: &str, release: &str, requirements: &str) -> Option<(PathBuf, Version)> {
    let rest = text.strip_prefix(FORMAT)?.strip_prefix("\nversion ")?;
    let (version, rest) = rest.split_once("\nroot ")?;
    let (root, listed) = rest.split_once('\n')?;
    let root = PathBuf::from(root);
    let inside = root.components().all(|part| matches!(part, Component::Normal(_)));
    let version = Version::parse(version).filter(|version| version.is_of(release))?;
    (inside && listed == requirements).then_some((root, version))
}

/// The first file that no compilation can do without and that this toolkit does not have, or only empty.
///
/// # Errors
/// It cannot be told: a folder on the way cannot be read.
pub(super) fn lacks(root: &Path) -> Result<Option<&'static str>, FileError> {
    for name in ["bin/nvcc", "bin/ptxas", "nvvm/bin/cicc", "include/cuda_runtime.h"] {
        let path = root.join(name);
        let there = match path.metadata() {
            Ok(metadata) => metadata.is_file() && metadata.len() > 0,
            Err(cause) if is_absent(&cause) => false,
            Err(cause) => return Err(FileError { doing: "read", path, cause }),
        };
        if !there || (!name.ends_with(".h") && !files::is_executable(&path)) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn is_absent(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolkit::Release;
    use crate::toolkit::stand_in::script;

    #[test]
    fn requirements_are_exact_and_hashed() {
        let wheels = Release::named("13.0").unwrap().wheels(&[]).unwrap();
        let text = requirements(&wheels, Machine::X86_64);
        assert!(text.starts_with("nvidia-cuda-nvcc==13.0.88 --hash=sha256:"), "{text}");
        assert_eq!(text.lines().count(), 7);
        assert_ne!(digest(&text), digest(&requirements(&wheels, Machine::Aarch64)));
    }

    #[test]
    fn the_digest_is_fnv_1a() {
        // The published test vectors of FNV-1a, 64 bits.
        assert_eq!(digest(""), "cbf29ce484222325");
        assert_eq!(digest("a"), "af63dc4c8601ec8c");
        assert_eq!(digest("foobar"), "85944171f73967e8");
    }

    #[test]
    fn only_a_whole_folder_of_these_wheels_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let bin = folder.join("nvidia/cu13/bin");
        std::fs::create_dir_all(&bin).unwrap();
        let version = Version { major: 13, minor: 0, build: 88 };
        write(folder, Path::new("nvidia/cu13"), version, "a==1\n").unwrap();
        assert_eq!(read(folder, "13.0", "a==1\n").unwrap(), None, "no nvcc in it");
        let files = ["bin/nvcc", "bin/ptxas", "nvvm/bin/cicc", "include/cuda_runtime.h"];
        for name in files {
            script(&folder.join("nvidia/cu13").join(name), "");
        }
        let read = |release: &str, wheels: &str| super::read(folder, release, wheels).unwrap();
        let toolkit = read("13.0", "a==1\n").unwrap();
        for name in files {
            let path = folder.join("nvidia/cu13").join(name);
            let whole = std::fs::read(&path).unwrap();
            std::fs::write(&path, "").unwrap();
            assert_eq!(read("13.0", "a==1\n"), None, "{name} is empty");
            std::fs::write(&path, whole).unwrap();
        }
        assert_eq!((toolkit.version, toolkit.nvcc), (version, bin.join("nvcc")));
        assert_eq!(toolkit.origin, "pinned 13.0");
        assert_eq!(read("13.0", "a==2\n"), None, "other wheels");
        assert_eq!(read("13.5", "a==1\n"), None, "another release");
        write(folder, Path::new("../cu13"), version, "a==1\n").unwrap();
        assert_eq!(read("13.0", "a==1\n"), None, "outside the folder");
        std::fs::write(folder.join(FILE), FORMAT).unwrap();
        assert_eq!(read("13.0", "a==1\n"), None, "cut off");
    }
}
