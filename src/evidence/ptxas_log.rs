//! The logs of ptxas, nvlink and nvcc.

use crate::arch::Arch;
use crate::kernel::{Remark, Usage};

/// What a log says.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Log {
    /// Kernels and device functions, in the order of the log.
    pub functions: Vec<LogFunction>,
    /// Warnings, errors and advisories, in the order of the log.
    pub remarks: Vec<LogRemark>,
}

/// One function's report.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct LogFunction {
    /// As printed; `None` for a fragment without a name.
    pub name: Option<String>,
    /// `for 'sm_XX'`.
    pub arch: Option<Arch>,
    /// A kernel, not a device function.
    pub entry: bool,
    /// The figures.
    pub usage: Usage,
    /// nvlink's figures: final for relocatable code.
    pub linked: bool,
    /// For a device function: the index in [`Log::functions`] of the kernel whose report it follows, if any.
    pub after: Option<usize>,
    /// The 1-based line of the log where it begins.
    pub line: u32,
}

/// One remark.
#[derive(Clone, PartialEq, Debug)]
pub struct LogRemark {
    /// What it is.
    pub remark: Remark,
    /// The function it names, as printed.
    pub function: Option<String>,
    /// The architecture, if it can be told: ptxas prints warnings before the report they belong to.
    pub arch: Option<Arch>,
    /// Which compiler run of the log it belongs to (each `bytes gmem` line and change of architecture starts one).
    pub run: u32,
    /// The 1-based line of the log.
    pub line: u32,
}

/// Reads a log: any prefix, any mixture with other tools' lines. Unknown lines are passed over.
pub fn parse(text: &str) -> Log {
    let _ = text;
    Log::default()
}
