//! `perf-advisory`.

use crate::check::{CheckedKernel, UnitFacts};
use crate::finding::Headline;
use crate::kernel::{Remark, RemarkKind};
use crate::lints::{Check, Draft, declare_lint};
use crate::order;

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
    "ptxas says potential performance loss (C75xx)", Check::Both(check, check_unit), rank: 7
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    each_code(&kernel.kernel.remarks, "", drafts);
}

/// The same for remarks that name no kernel.
fn check_unit(unit: &UnitFacts, drafts: &mut Vec<Draft>) {
    each_code(&unit.remarks, "in ", drafts);
}

const HELP: &str =
    "look at what the advisory names: registers, calls, accumulators touched in between; measure a change";

/// One draft for each code: the same advisory at several PTX lines is one cause.
fn each_code(remarks: &[Remark], prefix: &str, drafts: &mut Vec<Draft>) {
    let code = |remark: &Remark| match remark.kind {
        RemarkKind::Advisory { code, .. } => Some(code),
        _ => None,
    };
    let mut codes: Vec<u32> = remarks.iter().filter_map(code).collect();
    order::sort(&mut codes);
    codes.dedup();
    for wanted in codes {
        let of_code: Vec<&Remark> = remarks.iter().filter(|remark| code(remark) == Some(wanted)).collect();
        let Some(first) = of_code.first() else { continue };
        let headline = Headline::new()
            .text(prefix)
            .kernel()
            .text(format!(": ptxas advisory C{wanted} on "))
            .arch()
            .text(format!(": {}", essence(&first.text)));
        let mut notes = Vec::new();
        let lines: Vec<String> =
            of_code.iter().filter_map(|remark| ptx_line(remark)).map(|n| n.to_string()).collect();
        if !lines.is_empty() {
            notes.push(format!("lines of the PTX: {}", lines.join(", ")));
        }
        let help = Some(HELP.to_owned());
        drafts.push(Draft { weight: of_code.len() as u64, notes, help, ..Draft::new(headline) });
    }
}

fn ptx_line(remark: &Remark) -> Option<u32> {
    match remark.kind {
        RemarkKind::Advisory { ptx_line, .. } => ptx_line,
        _ => None,
    }
}

/// The advisory without its code, its preamble and the function that it names; cut at a length that fits a line or two.
fn essence(text: &str) -> String {
    const LONGEST: usize = 160;
    let body = match text.split_once("Loss:") {
        Some((_, body)) => body,
        None => text.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(text, |(_, body)| body),
    };
    let body = body.split(" in the function '").next().unwrap_or(body);
    let body = body.trim().trim_end_matches('.');
    let mut cut: String = body.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    if body.chars().count() > LONGEST {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::essence;

    #[test]
    fn the_essence_is_what_the_advisory_says() {
        let text = "(C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to \
                    insufficient register resources for the wgmma pipeline in the function '_Z2wgPfmmi' in line 105";
        let expected = "wgmma.mma_async instructions are serialized due to insufficient register resources for the \
                        wgmma pipeline";
        assert_eq!(essence(text), expected);
        assert_eq!(essence("(C7519) wgmma is serialized."), "wgmma is serialized");
        assert_eq!(essence("no\u{1b}code"), "no code");
        assert_eq!(essence(&"x".repeat(500)).chars().count(), 161);
    }
}
