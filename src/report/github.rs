//! GitHub: workflow commands that annotate the lines of a pull request.

use crate::check::Report;
use crate::finding::Level;
use crate::report::ci::{Review, Told, told};

/// Renders one annotation per group of findings.
pub fn github(report: &Report, Review { failures, below }: Review<'_>) -> String {
    let failed = failures.iter().map(|failure| format!("::error title=occlint::{}\n", data(failure)));
    failed.chain(told(report, below).iter().map(line)).collect()
}

fn line(told: &Told) -> String {
    let command = if told.level == Level::Deny { "error" } else { "warning" };
    let mut properties = Vec::new();
    if let Some((file, line, column)) = &told.place {
        properties.push(format!("file={}", property(file)));
        properties.push(format!("line={line}"));
        properties.extend(column.map(|column| format!("col={column}")));
    }
    properties.push(format!("title={}", property(&format!("occlint: {}", told.lint))));
    let text = [std::slice::from_ref(&told.message), &told.more].concat().join("\n");
    format!("::{command} {}::{}\n", properties.join(","), data(&text))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
