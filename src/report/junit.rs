//! JUnit: a test case for each kernel and architecture.

use crate::arch::Arch;
use crate::check::{CheckedKernel, Report};
use crate::finding::{Finding, Level, Subject};
use crate::order::Map;
use crate::report::group::is_foreign;
use crate::text::sanitize;

/// Renders the kernels as test cases, denied findings as their failures, and what could not be checked as errors.
pub fn junit(report: &Report, failures: &[String]) -> String {
    let own: Vec<&CheckedKernel> = report.kernels.iter().filter(|checked| !checked.is_foreign()).collect();
    let mut about: Map<(&str, Option<Arch>), Vec<&Finding>> = Map::new();
    for finding in &report.findings {
        if let Subject::Kernel { key, arch, .. } = &finding.subject {
            about.get_or_default((key.as_str(), *arch)).push(finding);
        }
    }
    let one = |checked: &&CheckedKernel| {
        let findings = about.get(&(checked.kernel.name.key.as_str(), checked.kernel.arch));
        case(checked, findings.map_or(&[], Vec::as_slice))
    };
    let mut cases: Vec<String> = own.iter().map(one).collect();
    let others = report.findings.iter().filter(|finding| !matches!(finding.subject, Subject::Kernel { .. }));
    cases.extend(others.map(|finding| {
        let body = if finding.level == Level::Deny { failure(finding) } else { out(&[finding]) };
        testcase("occlint", finding.lint, &body)
    }));
    cases.extend(
        failures
            .iter()
            .map(|text| testcase("occlint", "compile", &format!("<error message=\"{}\"/>", xml(text)))),
    );
    let denied = report.findings.iter().filter(|f| f.level == Level::Deny && !is_foreign(f)).count();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"occlint\" tests=\"{}\" failures=\"{denied}\" \
         errors=\"{}\">\n{}</testsuite>\n</testsuites>\n",
        cases.len(),
        failures.len(),
        cases.concat()
    )
}

fn case(checked: &CheckedKernel, findings: &[&Finding]) -> String {
    let kernel = &checked.kernel;
    let (denied, rest): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| finding.level == Level::Deny);
    let arch = kernel.arch.map(|arch| format!(" on {arch}")).unwrap_or_default();
    let source = kernel.place.as_ref().map(|place| place.file.as_str());
    let source = source.or(kernel.units.first().map(String::as_str)).unwrap_or("occlint");
    let body = denied.iter().map(|finding| failure(finding)).collect::<String>() + &out(&rest);
    testcase(source, &format!("{}{arch}", kernel.name.demangled), &body)
}

fn testcase(class: &str, name: &str, body: &str) -> String {
    format!("<testcase classname=\"{}\" name=\"{}\">{body}</testcase>\n", xml(class), xml(name))
}

fn failure(finding: &Finding) -> String {
    let place = finding.labels.first().map(|label| format!("{}:{}\n", label.file, label.line));
    let lines: Vec<&str> = finding.notes.iter().chain(&finding.help).map(String::as_str).collect();
    let body = place.unwrap_or_default() + &lines.join("\n");
    format!(
        "<failure type=\"{}\" message=\"{}\">{}</failure>",
        xml(finding.lint),
        xml(&finding.message()),
        lined(&body)
    )
}

/// Findings that fail nothing.
fn out(findings: &[&Finding]) -> String {
    let line =
        |finding: &&Finding| format!("{}[{}]: {}", finding.level.word(), finding.lint, finding.message());
    let lines: Vec<String> = findings.iter().map(line).collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!("<system-out>{}</system-out>", lined(&lines.join("\n")))
    }
}

fn lined(text: &str) -> String {
    text.lines().map(xml).collect::<Vec<_>>().join("\n")
}

fn xml(text: &str) -> String {
    let text = sanitize(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // what XML 1.0 has no character for
    text.replace('"', "&quot;").replace('\'', "&apos;").replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
