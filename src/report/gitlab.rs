//! GitLab: a code quality report.

use crate::check::Report;
use crate::digest::hex;
use crate::finding::Level;
use crate::report::ci::{Told, told};
use crate::report::json::value::{Value, json};
use crate::text::escape_json;

/// Renders one issue per group of findings, and one for each thing that could not be checked.
pub fn gitlab(report: &Report, failures: &[String]) -> String {
    let mut issues: Vec<Value> = failures
        .iter()
        .map(|text| {
            issue(text, "not-checked", &hex(&format!("not checked: {text}")), "blocker", "Cargo.toml", 1)
        })
        .collect();
    issues.extend(told(report).iter().map(of_group));
    escape_json(Value::Array(issues).to_string()) + "\n"
}

fn of_group(told: &Told) -> Value {
    let severity = if told.level == Level::Deny { "critical" } else { "minor" };
    let (file, line) =
        told.place.as_ref().map_or(("Cargo.toml", 1), |(file, line, _)| (file.as_str(), *line));
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
