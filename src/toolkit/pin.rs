//! A pin: which wheels, with which hashes, in which folder.

use std::path::{Path, PathBuf};

use crate::compile::stable_hash;
use crate::toolkit::{RELEASES, Release, ToolkitError, Wheel};

/// A release with extras for this machine.
#[derive(Debug)]
pub(super) struct Pin {
    pub(super) release: &'static Release,
    /// Lines for pip: `name==version --hash=sha256:…`.
    pub(super) requirements: String,
}

impl Pin {
    /// Looks a release up in the table.
    pub(super) fn new(asked: &str, extra: &[String], platform: Platform) -> Result<Self, ToolkitError> {
        let unknown = || ToolkitError::UnknownRelease { asked: asked.to_owned() };
        let release = RELEASES.iter().find(|release| release.name == asked).ok_or_else(unknown)?;
        let machine = platform.machine().ok_or_else(|| ToolkitError::Platform {
            release: asked.to_owned(),
            platform: platform.words(),
        })?;
        let mut wheels: Vec<&Wheel> = release.wheels.iter().collect();
        for name in extra {
            let found = release.extras.iter().find(|(known, _)| known == name);
            let known = || release.extras.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let (_, wheel) =
                found.ok_or_else(|| ToolkitError::UnknownExtra { asked: name.clone(), known: known() })?;
            if !wheels.iter().any(|have| have.name == wheel.name) {
                wheels.push(wheel);
            }
        }
        wheels[release.wheels.len()..].sort_by_key(|wheel| wheel.name);
        let requirements = wheels.iter().map(|wheel| requirement(wheel, machine)).collect();
        Ok(Self { release, requirements })
    }

    /// Where it is kept: another list of wheels is another folder.
    pub(super) fn folder(&self, home: &Path) -> PathBuf {
        home.join("toolkits").join(format!(
            "{}-{:016x}",
            self.release.name,
            stable_hash(self.requirements.as_bytes())
        ))
    }
}

/// Which processor's wheels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Machine {
    X86,
    Arm,
}

fn requirement(wheel: &Wheel, machine: Machine) -> String {
    let hash = if machine == Machine::X86 { wheel.x86_64 } else { wheel.aarch64 };
    if hash.is_empty() {
        String::new()
    } else {
        format!("{}=={} --hash=sha256:{hash}\n", wheel.name, wheel.version)
    }
}

/// An operating system and a processor, in the words of `std::env::consts`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Platform {
    os: &'static str,
    arch: &'static str,
}

impl Platform {
    /// This machine's.
    pub(super) const fn here() -> Self {
        Self { os: std::env::consts::OS, arch: std::env::consts::ARCH }
    }

    fn machine(self) -> Option<Machine> {
        match (self.os, self.arch) {
            ("linux", "x86_64") => Some(Machine::X86),
            ("linux", "aarch64") => Some(Machine::Arm),
            _ => None,
        }
    }

    fn words(self) -> String {
        format!("{} on {}", self.os, self.arch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: Platform = Platform { os: "linux", arch: "x86_64" };

    fn pin(release: &str, extra: &[&str]) -> Result<Pin, ToolkitError> {
        let extra: Vec<String> = extra.iter().map(|&name| name.to_owned()).collect();
        Pin::new(release, &extra, LINUX)
    }

    #[test]
    fn every_release_has_exact_hashes_for_both_processors() {
        let names: Vec<&str> = RELEASES.iter().map(|release| release.name).collect();
        assert_eq!(names, ["13.0", "13.1", "13.2", "13.3", "13.4", "13.5"]);
        for release in RELEASES {
            assert_eq!(release.wheels.len(), 7, "{}", release.name);
            assert!(release.extras.iter().any(|(name, _)| *name == "curand"), "{}", release.name);
            for wheel in release.wheels {
                for hash in [wheel.x86_64, wheel.aarch64] {
                    assert!(
                        hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()),
                        "{} {hash}",
                        wheel.name
                    );
                }
            }
        }
    }

    #[test]
    fn requirements_are_pinned_and_hashed() {
        let requirements = pin("13.0", &["curand", "curand"]).unwrap().requirements;
        assert_eq!(requirements.lines().count(), 8);
        assert!(requirements.lines().all(|line| line.contains("==") && line.contains(" --hash=sha256:")));
        assert!(requirements.starts_with("nvidia-cuda-nvcc==13.0.88 "), "{requirements}");
    }

    #[test]
    fn extras_have_their_own_folder_whatever_their_order() {
        let folder = |extra: &[&str]| pin("13.0", extra).unwrap().folder(Path::new("/h"));
        assert_ne!(folder(&[]), folder(&["curand"]));
        assert_eq!(folder(&["curand", "cufft"]), folder(&["cufft", "curand"]));
    }

    #[test]
    fn what_the_table_does_not_have_is_refused() {
        assert!(matches!(pin("12.9", &[]), Err(ToolkitError::UnknownRelease { .. })));
        assert!(matches!(pin("13", &[]), Err(ToolkitError::UnknownRelease { .. })));
        assert!(matches!(pin("13.0", &["curnad"]), Err(ToolkitError::UnknownExtra { .. })));
        let mac = Platform { os: "macos", arch: "aarch64" };
        assert!(matches!(Pin::new("13.0", &[], mac), Err(ToolkitError::Platform { .. })));
        let arm = Pin::new("13.0", &[], Platform { os: "linux", arch: "aarch64" }).unwrap();
        assert_ne!(arm.requirements, pin("13.0", &[]).unwrap().requirements);
    }
}
