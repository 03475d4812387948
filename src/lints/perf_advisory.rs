//! `perf-advisory`.

use crate::check::{CheckedKernel, UnitFacts};
use crate::finding::Headline;
use crate::kernel::{Remark, RemarkKind};
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Passes on what ptxas says of a potential performance loss (C7507 to C7519 and their like): wgmma instructions
    /// that are serialized, injected waits. Each is its own finding. An ignored `setmaxnreg` is `bounds-dropped`.
    ///
    /// ## Why it matters
    /// A serialized wgmma pipeline can cost most of a kernel's speed, and the line drowns in the build's output.
    ///
    /// ## Example
    /// ```text
    /// (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources
    /// ```
    ///
    /// ## What to try
    /// Do not touch accumulators between the start and the wait of a pipeline stage; give it registers. Measure.
    ///
    /// ## Configuration
    /// `allow = ["perf-advisory"]` of a kernel; the level: `lints.perf-advisory`.
    PERF_ADVISORY: "perf-advisory", Warn,
    "ptxas says potential performance loss (C75xx)", Check::Both(check, check_unit)
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    each_code(&kernel.kernel.remarks, "", drafts);
}

/// The same for remarks that name no kernel.
fn check_unit(unit: &UnitFacts, drafts: &mut Vec<Draft>) {
    each_code(&unit.remarks, "in ", drafts);
}

/// One draft for each code: the same advisory at several PTX lines is one cause.
fn each_code(remarks: &[Remark], prefix: &str, drafts: &mut Vec<Draft>) {
    let code = |remark: &Remark| match remark.kind {
        RemarkKind::Advisory { code, .. } => Some(code),
        _ => None,
    };
    let mut codes: Vec<u32> = remarks.iter().filter_map(code).collect();
    codes.sort_unstable();
    codes.dedup();
    for wanted in codes {
        let of_code: Vec<&Remark> = remarks.iter().filter(|remark| code(remark) == Some(wanted)).collect();
        let Some(first) = of_code.first() else { continue };
        let times = if of_code.len() > 1 { format!(" ({} times)", of_code.len()) } else { String::new() };
        let headline = Headline::new()
            .text(prefix)
            .kernel()
            .text(format!(": ptxas advisory C{wanted}{times} on "))
            .arch();
        let mut notes = vec![first.text.clone()];
        let lines: Vec<String> =
            of_code.iter().filter_map(|remark| ptx_line(remark)).map(|n| n.to_string()).collect();
        if !lines.is_empty() {
            notes.push(format!("lines of the PTX: {}", lines.join(", ")));
        }
        drafts.push(Draft { weight: of_code.len() as u64, notes, ..Draft::new(headline) });
    }
}

fn ptx_line(remark: &Remark) -> Option<u32> {
    match remark.kind {
        RemarkKind::Advisory { ptx_line, .. } => ptx_line,
        _ => None,
    }
}
