//! Why bytes are no cubin that can be read.

use std::fmt;

/// Why bytes are no cubin that can be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CubinError {
    /// No 64-bit little-endian ELF file.
    NotElf,
    /// An ELF file for another machine; its `e_machine`.
    Machine(u16),
    /// An architecture number that no cubin has.
    Architecture(u32),
    /// The file ends before, or points outside of itself for, what is named.
    Truncated(&'static str),
    /// What is named contradicts itself or something else in the file.
    Malformed(&'static str),
}

impl fmt::Display for CubinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotElf => write!(f, "it is no 64-bit ELF file"),
            Self::Machine(machine) => write!(f, "it is an ELF file for machine {machine}, a cubin has 190"),
            Self::Architecture(number) => {
                write!(f, "its header says `sm_{number}`, which is no architecture")
            }
            Self::Truncated(what) => write!(f, "it is truncated: {what} lies outside the file"),
            Self::Malformed(what) => write!(f, "it is damaged: {what}"),
        }
    }
}

impl std::error::Error for CubinError {}
