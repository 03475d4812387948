//! Markdown: a comment on a pull request.

use crate::baseline::Entry;
use crate::check::{CheckedKernel, Report};
use crate::finding::Level;
use crate::report::ci::{Told, told};
use crate::report::{Summary, closing_line};
use crate::text::{percent, sanitize};

/// Renders what was denied as a table, the rest and what changed against the baseline folded up.
pub fn markdown(report: &Report, summary: &Summary, failures: &[String]) -> String {
    let told = told(report, "");
    let (denied, rest): (Vec<&Told>, Vec<&Told>) = told.iter().partition(|told| told.level == Level::Deny);
    let whole = if failures.is_empty() { "" } else { "not everything was checked; " };
    let mut out = format!("### occlint: {whole}{}\n\n", text(&closing_line(summary)));
    for failure in failures {
        out.push_str(&format!("- **not checked**: {}\n", text(failure)));
    }
    out.push_str(if failures.is_empty() { "" } else { "\n" });
    out.push_str(&table(&denied));
    if !rest.is_empty() {
        out.push_str(&folded(&format!("{} more", rest.len()), &table(&rest)));
    }
    let changed: Vec<String> = report.kernels.iter().filter_map(change).collect();
    if !changed.is_empty() {
        let head = "| kernel | arch | registers | spill stores/loads | shared memory | blocks per SM | limiters |\n\
                    |---|---|---|---|---|---|---|\n";
        let rows = format!("{head}{}", changed.concat());
        out.push_str(&folded(&format!("{} changed against the baseline", changed.len()), &rows));
    }
    out + "Blocks per SM are a ceiling and not a score: measure.\n"
}

fn table(rows: &[&Told]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let row = |told: &&Told| {
        let place = told.place.as_ref().map(|(file, line, _)| format!("{file}:{line}")).unwrap_or_default();
        format!("| {} | {} | {} |\n", text(told.lint), text(&told.message), text(&place))
    };
    format!("| lint | finding | place |\n|---|---|---|\n{}\n", rows.iter().map(row).collect::<String>())
}

pub(super) fn folded(title: &str, body: &str) -> String {
    format!("<details><summary>{}</summary>\n\n{body}\n</details>\n\n", text(title))
}

/// A kernel whose figures are not those of the baseline.
fn change(checked: &CheckedKernel) -> Option<String> {
    let (before, now) = (checked.before.as_ref()?, Entry::now(checked));
    let both = |was: Option<u32>, is: Option<u32>| match (was, is) {
        (was, is) if was == is => known(is),
        (was, is) => format!("{} → {}", known(was), known(is)),
    };
    let spills = |entry: &Entry| format!("{}/{}", known(entry.spill_stores), known(entry.spill_loads));
    let limiters = |entry: &Entry| entry.limiters.join(", ").replace('_', " ");
    let words = |was: String, is: String| if was == is { is } else { format!("{was} → {is}") };
    let figures = |entry: &Entry| {
        (entry.registers, spills(entry), entry.static_smem, entry.residency, entry.limiters.clone())
    };
    if figures(before) == figures(&now) {
        return None;
    }
    let occupancy = checked.residency.as_ref().map(|r| format!(" ({})", percent(r.occupancy())));
    let cells = [
        sanitize(&checked.kernel.name.demangled),
        checked.kernel.arch?.to_string(),
        both(before.registers, now.registers),
        words(spills(before), spills(&now)),
        both(before.static_smem, now.static_smem),
        both(before.residency, now.residency) + &occupancy.unwrap_or_default(),
        words(limiters(before), limiters(&now)),
    ];
    Some(format!("| {} |\n", cells.iter().map(|cell| text(cell)).collect::<Vec<_>>().join(" | ")))
}

fn known(value: Option<u32>) -> String {
    value.map_or_else(|| "?".to_owned(), |value| value.to_string())
}

/// A text in which nothing is Markdown, HTML or somebody's name.
pub(super) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in sanitize(text).chars() {
        match c {
            ' ' | '.' | ',' | ';' | '/' | '(' | ')' | '%' | '=' | '+' | '?' => out.push(c),
            c if c.is_ascii_punctuation() => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
