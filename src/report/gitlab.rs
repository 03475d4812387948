//! GitLab: a code quality report.

use crate::check::Report;
use crate::digest::hex;
use crate::finding::Level;
use crate::report::ci::{Review, Told, told};
use crate::report::json::value::{Value, json};
use crate::text::escape_json;

/// Renders one issue per group of findings, and one for each thing that could not be checked.
pub fn gitlab(report: &Report, Review { failures, below }: Review<'_>) -> String {
    let manifest = format!("{below}Cargo.toml");
    let mut issues: Vec<Value> = failures
        .iter()
        .map(|text| {
            issue(text, "not-checked", &hex(&format!("not checked: {text}")), "blocker", &manifest, 1)
        })
        .collect();
    issues.extend(told(report, below).iter().map(|told| of_group(told, &manifest)));
    escape_json(Value::Array(issues).to_string()) + "\n"
}

fn of_group(told: &Told, manifest: &str) -> Value {
    let severity = if told.level == Level::Deny { "critical" } else { "minor" };
    let (file, line) = told.place.as_ref().map_or((manifest, 1), |(file, line, _)| (file.as_str(), *line));
    issue(&told.message, told.lint, &hex(&told.id), severity, file, line)
}

fn issue(text: &str, lint: &str, fingerprint: &str, severity: &str, file: &str, line: u32) -> Value {
    json!({
        "description": text,
        "check_name": format!("occlint::{lint}"),
        "fingerprint": fingerprint,
        "severity": severity,
        "location": json!({"path": file, "lines": json!({"begin": line})}),
    })
}
