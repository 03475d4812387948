//! The table of releases that can be pinned: exact wheels with their hashes.

mod table;

pub use table::RELEASES;

use crate::order;
use crate::toolkit::ToolkitError;

/// One release of the CUDA toolkit as wheels.
#[derive(Debug)]
pub struct Release {
    /// `13.0`.
    pub name: &'static str,
    /// What every pinned toolkit has: compiler, runtime, headers, disassemblers.
    pub base: &'static [Wheel],
    /// What `cuda-extra` can add.
    pub extra: &'static [Wheel],
}

/// One wheel at its exact version. 13.0 and 13.1 take the disassemblers of 13.2: there are no older ones.
#[derive(PartialEq, Eq, Debug)]
pub struct Wheel {
    /// `nvidia-cuda-nvcc`.
    pub name: &'static str,
    /// `13.0.88`.
    pub version: &'static str,
    /// SHA-256 of the x86-64 Linux wheel, in hex.
    pub x86_64: &'static str,
    /// SHA-256 of the aarch64 Linux wheel, in hex.
    pub aarch64: &'static str,
}

/// A machine that there are wheels for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Machine {
    X86_64,
    Aarch64,
}

impl Machine {
    /// The machine that this program was made for; `os` and `arch` as in [`std::env::consts`].
    pub(super) fn of(os: &str, arch: &str) -> Option<Self> {
        match (os, arch) {
            ("linux", "x86_64") => Some(Self::X86_64),
            ("linux", "aarch64") => Some(Self::Aarch64),
            _ => None,
        }
    }
}

impl Wheel {
    /// What `cuda-extra` calls it: `curand` for `nvidia-curand`, `nvrtc` for `nvidia-cuda-nvrtc`.
    pub fn short_name(&self) -> &'static str {
        let name = self.name.strip_prefix("nvidia-").unwrap_or(self.name);
        name.strip_prefix("cuda-").unwrap_or(name)
    }

    /// Its hash for this machine.
    pub(super) fn sha256(&self, machine: Machine) -> &'static str {
        match machine {
            Machine::X86_64 => self.x86_64,
            Machine::Aarch64 => self.aarch64,
        }
    }
}

impl Release {
    /// The release of this name.
    ///
    /// # Errors
    /// The table does not have it.
    pub fn named(name: &str) -> Result<&'static Self, ToolkitError> {
        let asked = || ToolkitError::UnknownRelease { asked: name.to_owned() };
        RELEASES.iter().find(|release| release.name == name.trim()).ok_or_else(asked)
    }

    /// The base wheels and those that `cuda-extra` names, by short or full name; each once, in the table's order.
    ///
    /// # Errors
    /// The release has no such extra wheel.
    pub fn wheels(&self, extra: &[String]) -> Result<Vec<&'static Wheel>, ToolkitError> {
        let is = |wheel: &Wheel, asked: &str| wheel.name == asked || wheel.short_name() == asked;
        let all = || self.base.iter().chain(self.extra);
        if let Some(asked) = extra.iter().find(|asked| !all().any(|wheel| is(wheel, asked))) {
            let mut known: Vec<String> =
                self.extra.iter().map(|wheel| wheel.short_name().to_owned()).collect();
            order::sort(&mut known);
            let release = self.name.to_owned();
            return Err(ToolkitError::UnknownExtra { asked: asked.clone(), release, known });
        }
        let wanted = self.extra.iter().filter(|wheel| extra.iter().any(|asked| is(wheel, asked)));
        Ok(self.base.iter().chain(wanted).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_release_is_whole() {
        let names: Vec<&str> = RELEASES.iter().map(|release| release.name).collect();
        assert_eq!(names, ["13.0", "13.1", "13.2", "13.3", "13.4", "13.5"]);
        for release in RELEASES {
            assert_eq!(release.base.len(), 7, "{}", release.name);
            let short: BTreeSet<&str> = release.extra.iter().map(Wheel::short_name).collect();
            assert_eq!(short.len(), release.extra.len(), "{}", release.name);
            for name in [
                "curand",
                "cublas",
                "cufft",
                "nvtx",
                "nvrtc",
                "cusparse",
                "cusolver",
                "profiler-api",
                "nvjitlink",
            ] {
                assert!(short.contains(name), "{} has no {name}", release.name);
            }
        }
    }

    #[test]
    fn every_hash_is_a_sha256_and_no_two_are_alike_in_a_release() {
        for release in RELEASES {
            let mut seen = BTreeSet::new();
            for wheel in release.base.iter().chain(release.extra) {
                for hash in [wheel.x86_64, wheel.aarch64] {
                    assert!(hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
                    assert!(seen.insert(hash), "{} {}", release.name, wheel.name);
                }
            }
        }
    }

    #[test]
    fn the_compiler_is_of_its_release_and_the_disassemblers_are_no_older_than_13_2() {
        for release in RELEASES {
            for wheel in release.base {
                let tool = wheel.name.ends_with("nvdisasm") || wheel.name.ends_with("cuobjdump");
                let expected = if tool && release.name < "13.2" { "13.2." } else { release.name };
                let cccl_by_its_own_count = wheel.name.ends_with("cccl") && release.name >= "13.3";
                assert!(cccl_by_its_own_count || wheel.version.starts_with(expected), "{wheel:?}");
            }
        }
    }

    #[test]
    fn extras_are_added_once_and_unknown_ones_refused() {
        let release = Release::named("13.0").unwrap();
        let extra = ["nvidia-curand", "curand", "nvcc"].map(str::to_owned);
        let wheels = release.wheels(&extra).unwrap();
        assert_eq!(wheels.len(), 8);
        assert_eq!(wheels[7].name, "nvidia-curand");
        let error = release.wheels(&["curan".to_owned()]).unwrap_err();
        assert!(error.help().unwrap().contains("curand"), "{error}");
    }

    #[test]
    fn machines_without_wheels() {
        assert_eq!(Machine::of("linux", "aarch64"), Some(Machine::Aarch64));
        assert_eq!(Machine::of("windows", "x86_64"), None);
        assert_eq!(Machine::of("macos", "aarch64"), None);
        assert_eq!(Machine::of("linux", "riscv64"), None);
    }
}
