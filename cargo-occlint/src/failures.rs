//! What could not be compiled: the compiler's own words, under ours.

use occlint::check::Report;
use occlint::report::sanitize;
use occlint::session::Failure;

use crate::terminal::Terminal;

/// Lines of a compiler's output that are shown.
const SHOWN_LINES: usize = 40;

/// Prints each failure; the same words for several architectures are printed once.
pub(crate) fn print(failures: &[Failure], report: &Report, terminal: &Terminal) {
    let mut rest: Vec<&Failure> = failures.iter().collect();
    while let Some(first) = rest.first().copied() {
        let same = |other: &&Failure| other.unit == first.unit && text(other) == text(first);
        let archs: Vec<String> = rest.iter().filter(|f| same(f)).map(|f| f.arch.to_string()).collect();
        rest.retain(|other| !same(other));
        terminal.err(&paragraph(first, &archs.join(", ")));
    }
    for (unit, remark) in &report.errors {
        terminal.err(&format!(
            "error: the compiler reported an error in {}: {}\n",
            sanitize(unit),
            sanitize(&remark.text)
        ));
    }
}

fn text(failure: &Failure) -> (String, Vec<String>) {
    let lines = failure.error.output().unwrap_or_default().lines();
    // The report's own lines name the architecture: only complaints are compared and shown.
    let complaints = lines.filter(|line| !is_report(line)).map(sanitize).collect();
    (failure.error.to_string(), complaints)
}

fn is_report(line: &str) -> bool {
    line.starts_with("ptxas info") || line.contains("bytes stack frame")
}

fn paragraph(failure: &Failure, archs: &str) -> String {
    let (message, lines) = text(failure);
    let mut text = format!("error: cannot check `{}` for {archs}: {message}\n", sanitize(&failure.unit));
    for line in lines.iter().take(SHOWN_LINES) {
        text.push_str(&format!("  | {line}\n"));
    }
    if lines.len() > SHOWN_LINES {
        text.push_str(&format!("  | … and {} lines more\n", lines.len() - SHOWN_LINES));
    }
    if let Some(help) = failure.error.help(failure.arch) {
        text.push_str(&format!("  help: {help}\n"));
    }
    text
}
