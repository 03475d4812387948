//! `--partition K/N`: which units are this machine's, and what all parts of a run have in common.

use std::path::Path;
use std::str::FromStr;

use occlint::compile::Unit;
use occlint::expect::Config;
use occlint::session::is_linked;
use occlint::sys::files;
use occlint::toolkit::Toolkit;

use crate::cli::{CheckArgs, LevelArgs};
use crate::error::RunError;

/// The K-th of N parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Partition {
    /// 1 to `of`.
    pub(crate) part: u32,
    pub(crate) of: u32,
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|_| plain)
        };
        let both = text.split_once('/').and_then(|(part, of)| Some((number(part)?, number(of)?)));
        let (part, of) = both.ok_or("write it like `2/4`: the second of four parts")?;
        if part == 0 || part > of {
            return Err(format!("parts are counted from 1 to {of}"));
        }
        Ok(Self { part, of })
    }
}

impl std::fmt::Display for Partition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl Partition {
    /// The units of a package that are of this part: by FNV-1a of the package's name and the unit's path in the workspace, its
    /// halves folded, modulo N. Relocatable code is linked together, and what binaries hold is compared: each stays together, by the name alone.
    pub(crate) fn own(self, package: &str, config: &Config, mut units: Vec<Unit>) -> Vec<Unit> {
        units.retain(|unit| {
            let together = unit.kind.is_binary() || is_linked(config, unit);
            let mut hash = Digest::default();
            hash.add(package);
            if !together {
                hash.add(&everywhere(&unit.name));
            }
            hash.folded() % u64::from(self.of) == u64::from(self.part - 1)
        });
        units
    }
}

/// A path or flag without what cargo puts into the names of build folders, which differs from machine to machine:
/// `build/gpu-0123456789abcdef/out` is `build/gpu/out`.
pub(crate) fn everywhere(text: &str) -> String {
    let part = |part: &str| match part.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            name.to_owned()
        }
        _ => part.to_owned(),
    };
    text.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// The arguments that decide what a run finds.
pub(crate) fn of_arguments(args: &CheckArgs) -> Digest {
    let (mut digest, compile) = (Digest::default(), &args.compile);
    digest.add(env!("CARGO_PKG_VERSION"));
    digest.add(&args.partition.map_or(0, |partition| partition.of).to_string());
    digest.add(&format!("{:?} {}", compile.experiments, compile.max_experiments));
    digest.add(&format!("{:?} {}", compile.kernel, args.baseline.same_compiler));
    digest.add(&args.build.in_words());
    let LevelArgs { allow, warn, deny, exit_zero: _ } = &args.levels;
    for levels in [allow, warn, deny] {
        digest.add(&levels.join(","));
    }
    digest
}

/// What decides a package's findings.
pub(crate) struct Package<'a> {
    pub(crate) name: &'a str,
    /// The workspace's.
    pub(crate) root: &'a Path,
    pub(crate) config: &'a Config,
    /// All, whichever part they are of.
    pub(crate) units: &'a [Unit],
    pub(crate) archs: &'a [String],
    pub(crate) toolkit: &'a Toolkit,
    /// Its manifest, sources and headers, whether a unit is among them or not.
    pub(crate) files: &'a [(String, Vec<u8>)],
}

impl Package<'_> {
    /// Adds it to the digest of the run.
    pub(crate) fn add_to(&self, digest: &mut Digest) -> Result<(), RunError> {
        digest.add(self.name);
        digest.add(&self.toolkit.version.to_string());
        digest.add(&self.archs.join(","));
        for flag in self.config.flags.iter().chain(&self.config.defines).chain(&self.config.include) {
            digest.add(&self.plain(&flag.value));
        }
        for unit in self.units {
            digest.add(&everywhere(&unit.name));
            for flag in unit.call.iter().flat_map(|call| &call.flags) {
                digest.add(&self.plain(flag));
            }
            digest.bytes(&files::read_bytes(&unit.source)?);
        }
        for (name, bytes) in self.files {
            digest.add(name);
            digest.bytes(bytes);
        }
        let known = self.config.known.iter().flat_map(|baseline| baseline.entries.iter());
        known.for_each(|entry| digest.add(&format!("{entry:?}")));
        Ok(())
    }

    /// A flag without the folders of this machine.
    fn plain(&self, flag: &str) -> String {
        let mut flag = flag.to_owned();
        for folder in [self.root, &self.toolkit.root] {
            let folder = folder.to_string_lossy();
            if folder.len() > 1 {
                flag = flag.replace(&*folder, "");
            }
        }
        everywhere(&flag)
    }
}

/// FNV-1a, 64 bits, of texts and where each ends: the same on every machine and in every version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    pub(crate) fn add(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Bytes, then a byte that is in no UTF-8 text.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The upper half on the lower one, whose lowest bits alone are mixed too little to divide by a small number.
    fn folded(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    pub(crate) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use occlint::compile::BuildCall;

    use super::*;

    #[test]
    fn parts_are_read() {
        assert_eq!("2/4".parse(), Ok(Partition { part: 2, of: 4 }));
        for bad in ["", "2", "0/4", "5/4", "1/0", "+1/2", "1/2/3", "-1/2", "a/b", "1/99999999999", " 1/2"] {
            assert!(bad.parse::<Partition>().is_err(), "{bad}");
        }
    }

    fn names(part: u32, of: u32, units: &[Unit]) -> Vec<String> {
        let own = Partition { part, of }.own("demo", &Config::default(), units.to_vec());
        own.into_iter().map(|unit| unit.name).collect()
    }

    #[test]
    fn every_unit_is_in_one_part_and_in_the_same_for_ever() {
        let units: Vec<Unit> =
            (0..40).map(|n| Unit::new(format!("kernels/{n}.cu"), format!("/x/{n}.cu"))).collect();
        for of in 1..=5 {
            let mut all: Vec<String> = (1..=of).flat_map(|part| names(part, of, &units)).collect();
            all.sort();
            let mut right: Vec<String> = units.iter().map(|unit| unit.name.clone()).collect();
            right.sort();
            assert_eq!(all, right);
        }
        // computed apart: FNV-1a of `demo`, 0xff, `kernels/0.cu`, 0xff
        let hash = b"demo\xffkernels/0.cu\xff".iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let part = u32::try_from((hash ^ (hash >> 32)) % 3).unwrap() + 1;
        assert!(names(part, 3, &units).contains(&"kernels/0.cu".to_owned()));
    }

    #[test]
    fn what_is_linked_stays_together() {
        let call = |flags: &[&str]| {
            Some(Arc::new(BuildCall {
                flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
                folder: "/x".into(),
                vars: Vec::new(),
                archs: Vec::new(),
            }))
        };
        let unit = |n: u32| Unit {
            call: call(&["-rdc=true"]),
            ..Unit::new(format!("{n}.cu"), format!("/x/{n}.cu"))
        };
        let mut units: Vec<Unit> = (0..8).map(unit).collect();
        units.extend((0..8).map(|n| Unit::new(format!("{n}.cubin"), format!("/x/{n}.cubin"))));
        let sizes: Vec<usize> = (1..=4).map(|part| names(part, 4, &units).len()).collect();
        assert_eq!((sizes.iter().max(), sizes.iter().sum::<usize>()), (Some(&16), 16));
    }

    #[test]
    fn a_build_folders_hash_decides_nothing() {
        assert_eq!(everywhere("target/build/gpu-0123456789abcdef/out/k.cu"), "target/build/gpu/out/k.cu");
        assert_eq!(everywhere("a-b/k-0123.cu"), "a-b/k-0123.cu");
    }
}
