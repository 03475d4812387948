//! What could not be compiled: the compiler's own words, under ours.

use occlint::check::Report;
use occlint::report::{complaints, plain, sanitize};
use occlint::session::Failure;

use crate::terminal::Terminal;

/// Prints each failure; the same words for several architectures are printed once.
pub(crate) fn print(failures: &[Failure], report: &Report, terminal: &Terminal) {
    // Once each: a compiler may print a hundred megabytes.
    let mut rest: Vec<Told<'_>> = failures.iter().map(|failure| (failure, text(failure))).collect();
    while !rest.is_empty() {
        let first = rest.remove(0);
        let same = |other: &Told<'_>| other.0.unit == first.0.unit && other.1 == first.1;
        let others = rest.iter().filter(|other| same(other)).map(|other| other.0.arch);
        let archs = std::iter::once(first.0.arch).chain(others).flatten();
        let archs: Vec<String> = archs.map(|arch| arch.to_string()).collect();
        rest.retain(|other| !same(other));
        terminal.err(&paragraph(&first, &archs.join(", ")));
    }
    for (unit, remark) in &report.errors {
        terminal.err(&format!(
            "error: the compiler reported an error in {}: {}\n",
            sanitize(unit),
            sanitize(&remark.text)
        ));
    }
}

/// What could not be checked, a line each, for the formats of reviews.
pub(crate) fn lines(failures: &[Failure], report: &Report) -> Vec<String> {
    let line = |failure: &Failure| {
        let arch = failure.arch.map(|arch| arch.to_string()).unwrap_or_default();
        sanitize(&headline(failure, &failure.error.to_string(), &arch))
    };
    let mut all: Vec<String> = failures.iter().map(line).collect();
    let error = |(unit, remark): &(String, occlint::kernel::Remark)| {
        sanitize(&format!("the compiler reported an error in {unit}: {}", remark.text))
    };
    all.extend(report.errors.iter().map(error));
    all
}

/// A failure, its message and the compiler's complaints, line by line.
type Told<'a> = (&'a Failure, (String, Vec<String>));

/// The report's own lines name the architecture: only complaints are compared and shown.
fn text(failure: &Failure) -> (String, Vec<String>) {
    (failure.error.to_string(), complaints(failure.error.output().unwrap_or_default()))
}

fn paragraph((failure, (message, lines)): &Told<'_>, archs: &str) -> String {
    plain(&headline(failure, message, archs), lines, failure.error.help(failure.arch).as_deref())
}

fn headline(failure: &Failure, message: &str, archs: &str) -> String {
    let archs = if archs.is_empty() { String::new() } else { format!(" for {archs}") };
    format!("cannot check `{}`{archs}: {message}", failure.unit)
}
