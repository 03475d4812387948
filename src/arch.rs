//! Architectures and their limits per SM: the table that residency is computed from.

use std::fmt;
use std::str::FromStr;

/// A GPU architecture as compilers name it: `sm_90`, `sm_90a`, `sm_120f`.
///
/// Ordering is by compute capability, then by variant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Arch {
    cc_tenths: u16,
    variant: Option<Variant>,
}

/// The letter after an architecture's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
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

    /// The front end's architecture that goes with it by itself: `compute_90a` for `sm_90a`.
    pub fn front(self) -> String {
        self.to_string().replacen("sm_", "compute_", 1)
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
        let plain = (2..=3).contains(&digits.len())
            && digits.bytes().all(|b| b.is_ascii_digit())
            && !digits.starts_with('0');
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
        if TABLE.iter().any(|limits| limits.cc_tenths == self.0.cc_tenths) {
            let since = if self.0.variant == Some(Variant::Family) { "sm_100f" } else { "sm_90a" };
            return write!(f, "there is no {}: the first with that letter is {since}", self.0);
        }
        write!(f, "occlint has no residency limits for {}; the nearest that it knows: ", self.0)?;
        let cc = self.0.cc_tenths;
        let below = TABLE.iter().rev().find(|limits| limits.cc_tenths < cc);
        let above = TABLE.iter().find(|limits| limits.cc_tenths > cc);
        for (at, limits) in below.into_iter().chain(above).enumerate() {
            let and = if at == 0 { "" } else { " and " };
            write!(f, "{and}sm_{}", limits.cc_tenths)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownArch {}

impl Arch {
    /// The limits of this architecture.
    ///
    /// # Errors
    /// An architecture that the table does not have, or one with a letter that nvcc refuses (`sm_80a`, `sm_90f`).
    pub fn limits(self) -> Result<&'static Limits, UnknownArch> {
        let first = match self.variant {
            None => 0,
            Some(Variant::Accelerated) => 90,
            Some(Variant::Family) => 100,
        };
        let known = |limits: &&Limits| limits.cc_tenths == self.cc_tenths && limits.cc_tenths >= first;
        TABLE.iter().find(known).ok_or(UnknownArch(self))
    }
}

/// Every architecture of the table, ascending, without variants.
pub fn known() -> impl Iterator<Item = Arch> {
    TABLE.iter().map(|limits| Arch::from_cc_tenths(limits.cc_tenths))
}

const KIB: u32 = 1024;
const VOLTA: &[u32] = &[0, 8, 16, 32, 64, 96];
const TURING: &[u32] = &[32, 64];
const AMPERE: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164];
const ADA: &[u32] = &[0, 8, 16, 32, 64, 100];
const HOPPER: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228];
const RUBIN: &[u32] = &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 328];

/// Parts before 8.0: no reserve, a unit of 256 bytes, no barrier limit.
const fn before_8(
    cc_tenths: u16,
    threads_blocks: (u32, u32),
    shared_kib: (u32, u32),
    carveouts: &'static [u32],
) -> Limits {
    Limits {
        cc_tenths,
        max_threads: threads_blocks.0,
        max_blocks: threads_blocks.1,
        registers: 65_536,
        registers_per_block: 65_536,
        sub_partitions: 4,
        shared_bytes: shared_kib.0 * KIB,
        opt_in_shared_bytes: shared_kib.1 * KIB,
        reserved_shared_bytes: 0,
        shared_unit_bytes: 256,
        barrier_pool: None,
        carveouts_kib: carveouts,
    }
}

/// Parts from 8.0 on: 1 KiB of reserve in each block, a unit of 128 bytes; one KiB less than the SM's can be opted in to.
const fn from_8(
    cc_tenths: u16,
    threads_blocks: (u32, u32),
    shared_kib: u32,
    barrier_pool: Option<u32>,
    carveouts: &'static [u32],
) -> Limits {
    let old = before_8(cc_tenths, threads_blocks, (shared_kib, shared_kib - 1), carveouts);
    Limits { reserved_shared_bytes: KIB, shared_unit_bytes: 128, barrier_pool, ..old }
}

const fn half_registers_per_block(limits: Limits) -> Limits {
    Limits { registers_per_block: 32_768, ..limits }
}

/// From the vendor's occupancy header and data sheets; held against the oracles in `tests/oracles.rs`.
///
/// Columns: compute capability × 10, (threads, blocks) per SM, shared memory in KiB (before 8.0 per SM and per
/// block; then per SM), barrier pool, carve-outs.
static TABLE: &[Limits] = &[
    before_8(50, (2048, 32), (64, 48), &[]),
    before_8(52, (2048, 32), (96, 48), &[]),
    half_registers_per_block(before_8(53, (2048, 32), (64, 48), &[])),
    Limits { sub_partitions: 2, ..before_8(60, (2048, 32), (64, 48), &[]) },
    before_8(61, (2048, 32), (96, 48), &[]),
    half_registers_per_block(before_8(62, (2048, 32), (64, 48), &[])),
    before_8(70, (2048, 32), (96, 96), VOLTA),
    before_8(72, (2048, 32), (96, 96), VOLTA),
    before_8(75, (1024, 16), (64, 64), TURING),
    from_8(80, (2048, 32), 164, None, AMPERE),
    from_8(86, (1536, 16), 100, None, ADA),
    from_8(87, (1536, 16), 164, None, AMPERE),
    from_8(88, (1536, 16), 100, None, ADA),
    from_8(89, (1536, 24), 100, None, ADA),
    from_8(90, (2048, 32), 228, Some(64), HOPPER),
    from_8(100, (2048, 32), 228, Some(64), HOPPER),
    from_8(101, (1536, 24), 228, Some(24), HOPPER),
    from_8(103, (2048, 32), 228, Some(32), HOPPER),
    from_8(107, (1024, 16), 328, Some(16), RUBIN),
    from_8(110, (1536, 24), 228, Some(24), HOPPER),
    from_8(120, (1536, 24), 100, Some(24), ADA),
    from_8(121, (1536, 24), 100, Some(24), ADA),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for name in ["sm_50", "sm_90", "sm_90a", "sm_120f", "sm_121"] {
            assert_eq!(name.parse::<Arch>().map(|arch| arch.to_string()).as_deref(), Ok(name));
        }
        for name in [
            "",
            "sm_",
            "sm_9",
            "sm_90b",
            "sm_09",
            "sm_09x",
            "sm_090",
            "sm_90aa",
            "sm_90é",
            "90",
            "compute_90",
            "sm_9000",
            "sm_٩٠",
            "sm_a",
            "SM_90",
            "sm_90 ",
        ] {
            assert!(name.parse::<Arch>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn an_architecture_outside_the_table_is_an_error_that_names_it() {
        for (cc_tenths, names) in [(35, "sm_50"), (81, "sm_80 and sm_86"), (999, "sm_121")] {
            let error = Arch::from_cc_tenths(cc_tenths).limits().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "occlint has no residency limits for sm_{cc_tenths}; the nearest that it knows: {names}"
                )
            );
        }
        assert_eq!("sm_90a".parse::<Arch>().unwrap().limits().unwrap().cc_tenths, 90);
    }

    #[test]
    fn a_letter_that_came_later_is_refused() {
        for name in ["sm_90a", "sm_100a", "sm_100f", "sm_121f"] {
            assert!(name.parse::<Arch>().unwrap().limits().is_ok(), "{name}");
        }
        for (name, since) in [("sm_80a", "sm_90a"), ("sm_89f", "sm_100f"), ("sm_90f", "sm_100f")] {
            let error = name.parse::<Arch>().unwrap().limits().unwrap_err().to_string();
            assert_eq!(error, format!("there is no {name}: the first with that letter is {since}"));
        }
    }

    #[test]
    fn the_table_has_each_part_once() {
        let all: Vec<u16> = known().map(Arch::cc_tenths).collect();
        let parts =
            [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 107, 110, 120, 121];
        assert_eq!(all, parts);
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.is_sorted_by(|a, b| a.cc_tenths < b.cc_tenths));
    }
}
