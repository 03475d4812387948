//! The logs of ptxas, nvlink and nvcc.
//!
//! Reading goes in three steps: a line is cut at each tool's word (`line`), a piece becomes a message (`message`,
//! `remark`), and messages build functions and remarks (`reader`). What a log says before the report that it
//! belongs to is placed afterwards (`finish`).

mod finish;
mod line;
mod message;
mod reader;
mod remark;

use crate::arch::Arch;
use crate::kernel::{Remark, Usage};

/// What a log says.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Log {
    /// Kernels and device functions, in the order of the log; those known from a warning alone come last.
    pub functions: Vec<LogFunction>,
    /// Warnings, errors and advisories, in the order of the log.
    pub remarks: Vec<LogRemark>,
}

/// One function's report.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct LogFunction {
    /// As printed; `None` for a fragment without a name.
    pub name: Option<String>,
    /// `for 'sm_XX'`; a device function has that of the kernel whose report it stands with.
    pub arch: Option<Arch>,
    /// A kernel, not a device function. A function known from a warning alone is taken for a kernel.
    pub entry: bool,
    /// The figures.
    pub usage: Usage,
    /// nvlink's figures: final for relocatable code.
    pub linked: bool,
    /// For a device function: the index in [`Log::functions`] of the kernel whose report it follows, if any.
    pub after: Option<usize>,
    /// Which compiler run of the log it belongs to, as in [`LogRemark::run`].
    pub run: u32,
    /// There is no report of it: a warning names it.
    pub from_warning: bool,
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
///
/// Linear in the length of the text. Figures that are missing, cut off or too large for 32 bits are `None`, never a
/// wrong number.
pub fn parse(text: &str) -> Log {
    let mut reader = reader::Reader::default();
    for (index, line) in text.split('\n').enumerate() {
        reader.line(u32::try_from(index + 1).unwrap_or(u32::MAX), line);
    }
    finish::finish(reader)
}

#[cfg(test)]
mod tests;
