//! Architectures and their limits per SM: the table that residency is computed from.

use std::fmt;
use std::str::FromStr;

/// A GPU architecture as compilers name it: `sm_90`, `sm_90a`, `sm_120f`.
///
/// Ordering is by compute capability, then by variant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Arch {
    cc_tenths: u16,
    variant: Option<Variant>,
}

/// The letter after an architecture's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variant {
    /// `a`: code for exactly this part.
    Accelerated,
    /// `f`: code for this family of parts.
    Family,
}

impl Arch {
    /// The architecture with this compute capability × 10 (`90` for `sm_90`) and no variant.
    pub const fn from_cc_tenths(cc_tenths: u16) -> Self {
        Self { cc_tenths, variant: None }
    }

    /// Compute capability × 10: 90 for `sm_90a`, 103 for `sm_103`.
    pub const fn cc_tenths(self) -> u16 {
        self.cc_tenths
    }

    /// The letter after the number, if any.
    pub const fn variant(self) -> Option<Variant> {
        self.variant
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.variant {
            None => "",
            Some(Variant::Accelerated) => "a",
            Some(Variant::Family) => "f",
        };
        write!(f, "sm_{}{letter}", self.cc_tenths)
    }
}

/// A text that is no architecture name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseArchError {
    text: String,
}

impl fmt::Display for ParseArchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no architecture name; write it like `sm_90`, `sm_90a` or `sm_120f`", self.text)
    }
}

impl std::error::Error for ParseArchError {}

impl FromStr for Arch {
    type Err = ParseArchError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseArchError { text: text.to_owned() };
        let rest = text.strip_prefix("sm_").ok_or_else(error)?;
        let (digits, variant) = match rest.as_bytes().last() {
            Some(b'a') => (&rest[..rest.len() - 1], Some(Variant::Accelerated)),
            Some(b'f') => (&rest[..rest.len() - 1], Some(Variant::Family)),
            _ => (rest, None),
        };
        let plain = (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let cc_tenths = if plain { digits.parse().map_err(|_| error())? } else { return Err(error()) };
        Ok(Self { cc_tenths, variant })
    }
}

/// What one SM of an architecture holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Compute capability × 10.
    pub cc_tenths: u16,
    /// Threads per SM.
    pub max_threads: u32,
    /// Blocks per SM.
    pub max_blocks: u32,
    /// Registers per SM (65,536 on every part in the table).
    pub registers: u32,
    /// Registers per block.
    pub registers_per_block: u32,
    /// Sub-partitions of an SM that registers are divided among (4; 2 on 6.0).
    pub sub_partitions: u32,
    /// Shared memory per SM in bytes.
    pub shared_bytes: u32,
    /// Opt-in shared memory per block in bytes, without the reserve.
    pub opt_in_shared_bytes: u32,
    /// Shared memory that the driver reserves per block, bytes: 1,024 from 8.0, else 0.
    pub reserved_shared_bytes: u32,
    /// Granularity of shared memory in bytes: 128 from 8.0, else 256.
    pub shared_unit_bytes: u32,
    /// Named barriers per SM; `None` where they do not limit residency (before 9.0).
    pub barrier_pool: Option<u32>,
    /// Sizes that the shared memory of an SM can be carved to, KiB, ascending; empty before 7.0.
    pub carveouts_kib: &'static [u32],
}

/// An architecture that the table does not have: an error, never a guess.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownArch(
    /// The architecture.
    pub Arch,
);

impl fmt::Display for UnknownArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "occlint has no residency limits for {}; it knows the compute capabilities 5.0 to 12.1",
            self.0
        )
    }
}

impl std::error::Error for UnknownArch {}

impl Arch {
    /// The limits of this architecture.
    ///
    /// # Errors
    /// An architecture that the table does not have.
    pub fn limits(self) -> Result<&'static Limits, UnknownArch> {
        TABLE.iter().find(|limits| limits.cc_tenths == self.cc_tenths).ok_or(UnknownArch(self))
    }
}

static TABLE: &[Limits] = &[];
