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
            .split(|c: char| c.is_whitespace() || c == ',')
            .find_map(|word| Self::parse(word.strip_prefix('V')?))
    }

    /// Reads `13.0.88`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(str::parse);
        let mut next = || parts.next()?.ok();
        let version = Self { major: next()?, minor: next()?, build: next()? };
        next().is_none().then_some(version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_what_nvcc_prints() {
        let output = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0\n";
        assert_eq!(Version::parse_output(output), Some(Version { major: 13, minor: 0, build: 88 }));
        for garbage in ["", "V", "V13", "Vx.y.z", "V1.2.3.4", "nvcc 13.0.88", "V99999.0.0"] {
            assert_eq!(Version::parse_output(garbage), None, "{garbage}");
        }
    }
}
