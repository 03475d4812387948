//! Where a cubin contradicts the other witnesses.

use std::fmt;

use crate::arch::Arch;

/// A cubin that cannot be read, or that contradicts the other witnesses of its compilation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CubinProblem {
    /// It cannot be read.
    Unreadable(
        /// Why.
        String,
    ),
    /// It is for another architecture.
    Architecture {
        /// What it is for.
        cubin: Arch,
        /// What was compiled for.
        asked: Arch,
    },
    /// It lacks a kernel.
    NoKernel(
        /// Its demangled name.
        String,
    ),
    /// A figure is not that of the log.
    Figure {
        /// The kernel, demangled.
        kernel: String,
        /// What is counted: `registers`, `bytes of shared memory`.
        what: &'static str,
        /// In the log.
        log: u32,
        /// In the cubin.
        cubin: u32,
    },
}

impl fmt::Display for CubinProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "the cubin cannot be read: {error}"),
            Self::Architecture { cubin, asked } => write!(f, "the cubin is for {cubin}, not for {asked}"),
            Self::NoKernel(kernel) => write!(f, "the cubin does not have `{kernel}`"),
            Self::Figure { kernel, what, log, cubin } => {
                write!(f, "`{kernel}` uses {log} {what} in the log and {cubin} in the cubin")
            }
        }
    }
}
