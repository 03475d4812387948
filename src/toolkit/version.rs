//! Versions of nvcc and ptxas.

use std::fmt;

/// A release with its build: 13.0.88.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// 13 of 13.0.88.
    pub major: u16,
    /// 0 of 13.0.88.
    pub minor: u16,
    /// 88 of 13.0.88.
    pub build: u16,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.build)
    }
}

impl Version {
    /// Reads the output of `nvcc --version` (or `ptxas --version`): its `V13.0.88`.
    pub fn parse_output(output: &str) -> Option<Self> {
        output
            .lines()
            .filter(|line| line.contains("release "))
            .flat_map(|line| line.split([',', ' ']))
            .find_map(|word| Self::parse(word.trim().strip_prefix('V')?))
    }

    /// Reads `13.0.88`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| part.parse::<u16>().ok());
        let version = Self { major: parts.next()??, minor: parts.next()??, build: parts.next()?? };
        parts.next().is_none().then_some(version)
    }

    /// Whether this is a build of the release `13.0`.
    pub fn is_of(self, release: &str) -> bool {
        format!("{}.{}", self.major, self.minor) == release
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NVCC: &str = "nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2025 NVIDIA Corporation\n\
        Built on Wed_Aug_20_01:58:59_PM_PDT_2025\nCuda compilation tools, release 13.0, V13.0.88\n\
        Build cuda_13.0.r13.0/compiler.36424714_0\n";

    #[test]
    fn reads_what_nvcc_prints() {
        assert_eq!(Version::parse_output(NVCC), Some(Version { major: 13, minor: 0, build: 88 }));
        assert_eq!(Version::parse_output(&NVCC.replace('\n', "\r\n")).unwrap().to_string(), "13.0.88");
        let old = "Cuda compilation tools, release 9.2, V9.2.148\n";
        assert_eq!(Version::parse_output(old), Some(Version { major: 9, minor: 2, build: 148 }));
    }

    #[test]
    fn refuses_what_is_no_version() {
        for text in [
            "",
            "V13.0.88",
            "release 13.0, V13.0",
            "release x, V13.0.88.1",
            "release , V99999.0.1",
            "clang 18",
        ] {
            assert_eq!(Version::parse_output(text), None, "{text}");
        }
    }

    #[test]
    fn knows_its_release() {
        let version = Version { major: 13, minor: 0, build: 88 };
        assert!(version.is_of("13.0") && !version.is_of("13") && !version.is_of("13.5"));
    }
}
