//! SARIF 2.1.0: results for code scanning.

use crate::check::Report;
use crate::digest::hex;
use crate::finding::Level;
use crate::lints::{LINTS, Lint};
use crate::report::ci::{Review, Told, told};
use crate::report::json::value::{Value, json};
use crate::text::escape_json;

/// The schema that the report names.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Renders one result per group of findings; what could not be checked makes the invocation one that failed.
pub fn sarif(report: &Report, Review { failures, below }: Review<'_>) -> String {
    let results: Vec<Value> = told(report, below).iter().map(result).collect();
    let notes: Vec<Value> =
        failures.iter().map(|text| json!({"level": "error", "message": json!({"text": text})})).collect();
    let rules: Vec<Value> = LINTS.iter().map(|lint| rule(lint)).collect();
    let driver = json!({
        "name": "occlint",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let run = json!({
        "tool": json!({"driver": driver}),
        "columnKind": "unicodeCodePoints",
        "invocations": vec![json!({
            "executionSuccessful": failures.is_empty(),
            "toolExecutionNotifications": notes,
        })],
        "results": results,
    });
    let log = json!({"$schema": SCHEMA, "version": "2.1.0", "runs": vec![run]});
    escape_json(log.to_string()) + "\n"
}

fn rule(lint: &Lint) -> Value {
    let level = match lint.default {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Allow => "none",
    };
    json!({
        "id": lint.name,
        "shortDescription": json!({"text": lint.summary}),
        "help": json!({"text": lint.docs, "markdown": lint.docs}),
        "defaultConfiguration": json!({"level": level}),
    })
}

fn result(told: &Told) -> Value {
    let text = [std::slice::from_ref(&told.message), &told.more].concat().join("\n");
    let locations: Vec<Value> = told
        .place
        .iter()
        .map(|(file, line, column)| {
            let region = match column {
                Some(column) => json!({"startLine": line, "startColumn": column}),
                None => json!({"startLine": line}),
            };
            json!({"physicalLocation": json!({"artifactLocation": json!({"uri": uri(file)}), "region": region})})
        })
        .collect();
    json!({
        "ruleId": told.lint,
        "level": if told.level == Level::Deny { "error" } else { "warning" },
        "message": json!({"text": text}),
        "locations": locations,
        "partialFingerprints": json!({"occlint/v1": hex(&told.id)}),
    })
}

/// A path as a URI reference: relative ones stay relative.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
