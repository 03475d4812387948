//! Where a cubin contradicts the other witnesses.

use std::fmt;

use crate::arch::Arch;
use crate::kernel::Usage;

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
    /// The log reports a kernel for another architecture.
    Reported {
        /// The kernel, demangled.
        kernel: String,
        /// What the log reports it for.
        log: Arch,
        /// What was linked for.
        asked: Arch,
    },
    /// It has a kernel that neither log nor PTX has.
    OtherKernel(
        /// Its demangled name.
        String,
    ),
    /// A bound is not that of the PTX.
    Bound {
        /// The kernel, demangled.
        kernel: String,
        /// Which: `.maxntid`, `.reqntid`.
        directive: &'static str,
        /// In the PTX.
        ptx: Option<[u32; 3]>,
        /// In the cubin.
        cubin: Option<[u32; 3]>,
    },
    /// A figure is not that of the log.
    Figure {
        /// The kernel, demangled.
        kernel: String,
        /// What is counted: `registers`, `barriers`, `bytes of shared memory`, `bytes of stack frame`.
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
            Self::Reported { kernel, log, asked } => {
                write!(f, "the log reports `{kernel}` for {log}, not for {asked}")
            }
            Self::OtherKernel(kernel) => {
                write!(f, "the cubin has `{kernel}`, which neither the log nor the PTX has")
            }
            Self::Bound { kernel, directive, ptx, cubin } => {
                let (ptx, cubin) = (dimensions(*ptx), dimensions(*cubin));
                write!(f, "`{kernel}` has {ptx} of `{directive}` in the PTX and {cubin} in the cubin")
            }
            Self::Figure { kernel, what, log, cubin } => {
                write!(f, "`{kernel}` uses {log} {what} in the log and {cubin} in the cubin")
            }
        }
    }
}

fn dimensions(bound: Option<[u32; 3]>) -> String {
    bound.map_or_else(|| "none".to_owned(), |[x, y, z]| format!("{x}, {y}, {z}"))
}

/// Where figures of the log and of the cubin differ. Barriers are not compared: nvlink prints other numbers than it links
/// (13.5: 5 of one kernel for the next one, which has none).
pub(super) fn contradictions(kernel: &str, log: &Usage, cubin: &Usage) -> impl Iterator<Item = CubinProblem> {
    let registers = ("registers", log.registers, cubin.registers);
    let shared = ("bytes of shared memory", log.static_shared_bytes, cubin.static_shared_bytes);
    [registers, shared].into_iter().filter_map(move |(what, log, cubin)| {
        let (log, cubin) = log.zip(cubin).filter(|(log, cubin)| log != cubin)?;
        Some(CubinProblem::Figure { kernel: kernel.to_owned(), what, log, cubin })
    })
}
