//! What changed between two states of kernels: a table, Markdown, JSON lines.

use std::collections::{BTreeMap, BTreeSet};

use super::json::value::json;
use super::json::{entry_value, finding_line};
use super::markdown::{folded, text as safe};
use crate::arch::Arch;
use crate::baseline::{Change, ChangeKind, Differences, Entry};
use crate::check::Report;
use crate::finding::Level;
use crate::report::{FORMAT_VERSION, words};
use crate::text::{self, count, escape_json, sanitize, shorten_name, without_signature, wrap};

/// The widest list of architectures before it takes another line.
const ARCHS: usize = 14;
const INDENT: &str = "    ";
const FOOT: &str = "fewer blocks are a lower ceiling and not a slower kernel: measure";

/// Changes that differ in nothing but the architecture.
struct Row<'a> {
    name: String,
    archs: Vec<Arch>,
    change: &'a Change,
}

/// Renders the changes, regressions first, readable at `width` columns (80 and more): a kernel's name, below it what
/// was and what is; architectures that say the same are one row. `unchanged`: kernels on an architecture that are the same.
pub fn changes(differences: &Differences, width: usize) -> String {
    let Differences { changes, unchanged } = differences;
    let unchanged = *unchanged;
    let rows = rows(changes);
    if rows.is_empty() {
        return foot(changes, unchanged, width);
    }
    let cells: Vec<[String; 5]> = rows.iter().map(|row| cells(row.change)).collect();
    let heads = ["regs", "spill st/ld", "shared", "blocks/SM", "limiter"];
    let widths: [usize; 5] = std::array::from_fn(|column| {
        let of_rows = cells.iter().map(|cells| text::width(&cells[column]));
        of_rows.max().unwrap_or(0).max(heads[column].len())
    });
    let archs =
        rows.iter().flat_map(|row| arch_lines(&row.archs)).map(|line| line.len()).max().unwrap_or(0).max(4);
    // two columns between two cells
    let limiter_fits = 2 + archs + widths.iter().map(|width| width + 2).sum::<usize>() <= width;
    let line = |arch: &str, cells: [&str; 5]| {
        let mut line = format!("  {}", padded(arch, archs));
        for (cell, width) in cells.iter().zip(widths).take(4) {
            let room = width.saturating_sub(text::width(cell));
            line.push_str(&format!("  {}{cell}", " ".repeat(room)));
        }
        if limiter_fits {
            line.push_str(&format!("  {}", cells[4]));
        }
        line.trim_end().to_owned() + "\n"
    };
    let mut out = line("arch", heads);
    let mut above = None;
    for (row, cells) in rows.iter().zip(&cells) {
        let kind = tag(row.change.kind());
        if above != Some((&row.change.key, kind)) {
            let room = width.saturating_sub(kind.len()).max(20);
            out.push_str(&format!("{}{kind}\n", shorten_name(&row.name, room)));
            above = Some((&row.change.key, kind));
        }
        let mut archs = arch_lines(&row.archs).into_iter();
        out.push_str(&line(&archs.next().unwrap_or_default(), cells.each_ref().map(String::as_str)));
        archs.for_each(|more| out.push_str(&format!("  {more}\n")));
        let notes = notes(row.change, (!limiter_fits).then_some(&cells[4]));
        for note in wrap(&notes.join("; "), width.saturating_sub(INDENT.len())) {
            out.push_str(&if note.is_empty() { String::new() } else { format!("{INDENT}{note}\n") });
        }
    }
    out + &foot(changes, unchanged, width)
}

/// What has no column of its own: the block, spills to shared memory, limiters where those have no room.
fn notes(change: &Change, limiter: Option<&String>) -> Vec<String> {
    let of = |field: fn(&Entry) -> Option<u32>, what: &str| {
        let (was, is) = (change.before.as_ref()?, change.after.as_ref()?);
        let (was, is) = (field(was), field(is));
        (was != is).then(|| format!("{what} {} → {}", known(was), known(is)))
    };
    let block = of(|entry| entry.block, "block");
    let shared = of(|entry| entry.shared_spills, "spill instructions to shared memory");
    let limiter = limiter.filter(|words| !words.is_empty()).map(|words| format!("limiter {words}"));
    let renamed = change.renamed_from.as_ref().map(|key| format!("was `{}`", sanitize(key)));
    renamed.into_iter().chain(limiter).chain(block).chain(shared).collect()
}

fn foot(changes: &[Change], unchanged: usize, width: usize) -> String {
    let lines = [counted(changes, unchanged), FOOT.to_owned()];
    lines.iter().flat_map(|line| wrap(line, width)).map(|line| line + "\n").collect()
}

/// `2 with fewer blocks, 1 with more spills, 3 others changed, 1 new, 1 gone, 12 unchanged`: kernels on architectures.
fn counted(changes: &[Change], unchanged: usize) -> String {
    let of = |kind| changes.iter().filter(|change| change.kind() == kind).count();
    let kinds = [
        (of(ChangeKind::FewerBlocks), "with fewer blocks"),
        (of(ChangeKind::MoreSpills), "with more spills"),
        (of(ChangeKind::Other), "otherwise changed"),
        (of(ChangeKind::New), "new"),
        (of(ChangeKind::Gone), "gone"),
        (unchanged, "unchanged"),
    ];
    let parts: Vec<String> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if parts.is_empty() { "no kernels".to_owned() } else { parts.join(", ") }
}

/// One row for the architectures of a kernel that changed alike, in the order of the changes.
fn rows(changes: &[Change]) -> Vec<Row<'_>> {
    let titles = Titles::of(changes);
    let mut rows: Vec<Row<'_>> = Vec::new();
    for change in changes {
        match rows.last_mut().filter(|row| same(row.change, change)) {
            Some(row) => row.archs.push(change.arch),
            None => {
                let name = sanitize(titles.name(&change.key));
                rows.push(Row { name, archs: vec![change.arch], change });
            }
        }
    }
    rows
}

fn same(a: &Change, b: &Change) -> bool {
    let alike = |a: &Option<Entry>, b: &Option<Entry>| match (a, b) {
        (Some(a), Some(b)) => a.has_figures_of(b),
        (a, b) => a.is_none() && b.is_none(),
    };
    a.key == b.key && alike(&a.before, &b.before) && alike(&a.after, &b.after)
}

/// Keys as people read them: without the package where all have the same, without signatures where nothing is overloaded.
struct Titles<'a> {
    package: Option<&'a str>,
    names: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Titles<'a> {
    fn of(changes: &'a [Change]) -> Self {
        let package = |key: &'a str| key.split_once('/').map(|(package, _)| package);
        let first = changes.first().and_then(|change| package(&change.key));
        let one = changes.iter().all(|change| package(&change.key) == first);
        let mut titles = Self { package: first.filter(|_| one), names: BTreeMap::new() };
        for change in changes {
            let full = titles.full(&change.key);
            titles.names.entry(without_signature(full)).or_default().insert(full);
        }
        titles
    }

    fn full<'b>(&self, key: &'b str) -> &'b str {
        let without = |package| key.strip_prefix(package)?.strip_prefix('/');
        self.package.and_then(without).unwrap_or(key)
    }

    fn name<'b>(&self, key: &'b str) -> &'b str {
        let full = self.full(key);
        let short = without_signature(full);
        if self.names.get(short).is_some_and(|names| names.len() > 1) { full } else { short }
    }
}

fn tag(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::New => "  (new)",
        ChangeKind::Gone => "  (gone)",
        ChangeKind::FewerBlocks | ChangeKind::MoreSpills | ChangeKind::Other => "",
    }
}

fn arch_lines(archs: &[Arch]) -> Vec<String> {
    wrap(&words::arch_list(archs), ARCHS)
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text::width(text))))
}

/// Registers, spills, shared memory, blocks per SM, limiters: `was → is`, or one figure where that is both.
fn cells(change: &Change) -> [String; 5] {
    let of = |figure: fn(&Entry) -> String| {
        let (was, is) = (change.before.as_ref().map(figure), change.after.as_ref().map(figure));
        match (was, is) {
            (Some(was), Some(is)) if was == is => is,
            (Some(was), Some(is)) => format!("{was} → {is}"),
            (was, is) => is.or(was).unwrap_or_default(),
        }
    };
    [
        of(|entry| known(entry.registers)),
        of(|entry| format!("{}/{}", known(entry.spill_stores), known(entry.spill_loads))),
        of(|entry| known(entry.static_smem)),
        of(|entry| known(entry.residency)),
        of(limiters),
    ]
}

/// A baseline's limiters are any text.
fn limiters(entry: &Entry) -> String {
    let words = sanitize(&entry.limiters.join(", ").replace('_', " "));
    if words.is_empty() { "?".to_owned() } else { words }
}

fn known(value: Option<u32>) -> String {
    value.map_or_else(|| "?".to_owned(), |value| value.to_string())
}

/// Renders the changes for a comment on a pull request: fewer blocks and more spills as a table, the rest folded up, what is
/// unchanged counted.
pub fn changes_markdown(differences: &Differences) -> String {
    let Differences { changes, unchanged } = differences;
    let unchanged = *unchanged;
    let rows = rows(changes);
    let is_worse =
        |row: &&Row<'_>| matches!(row.change.kind(), ChangeKind::FewerBlocks | ChangeKind::MoreSpills);
    let (worse, rest): (Vec<&Row<'_>>, Vec<&Row<'_>>) = rows.iter().partition(is_worse);
    let mut out = format!("### occlint: {}\n\n", safe(&counted(changes, unchanged)));
    if !worse.is_empty() {
        out.push_str(&format!("{}\n", table(&worse)));
    }
    if !rest.is_empty() {
        let title = format!("{} changed otherwise", count(rest.len(), "row"));
        out.push_str(&folded(&title, &table(&rest)));
    }
    out + "Fewer blocks are a lower ceiling and not a slower kernel: measure.\n"
}

fn table(rows: &[&Row<'_>]) -> String {
    let head = "| kernel | arch | registers | spill stores/loads | shared memory | blocks per SM | limiters |\n\
                |---|---|---|---|---|---|---|\n";
    let line = |row: &&Row<'_>| {
        let [registers, spills, shared, mut residency, limiters] = cells(row.change);
        for note in notes(row.change, None) {
            residency.push_str(&format!("; {note}"));
        }
        let name = format!("{}{}", row.name, tag(row.change.kind()));
        let cells = [name, words::arch_list(&row.archs), registers, spills, shared, residency, limiters]
            .map(|c| safe(&c));
        format!("| {} |\n", cells.join(" | "))
    };
    format!("{head}{}", rows.iter().map(line).collect::<String>())
}

/// Renders the changes as JSON lines: one `change` each, then the findings of `report`, then one `changes` with counts.
pub fn changes_json(differences: &Differences, report: &Report) -> String {
    let Differences { changes, unchanged } = differences;
    let lines = changes.iter().map(|change| {
        json!({
            "reason": "change",
            "format_version": FORMAT_VERSION,
            "kind": word(change.kind()),
            "key": change.key,
            "renamed_from": change.renamed_from,
            "arch": change.arch.to_string(),
            "before": change.before.as_ref().map(entry_value),
            "after": change.after.as_ref().map(entry_value),
        })
    });
    let of = |level| report.findings.iter().filter(|finding| finding.level == level).count();
    let last = json!({
        "reason": "changes",
        "format_version": FORMAT_VERSION,
        "changed": changes.len(),
        "unchanged": *unchanged,
        "denied": of(Level::Deny),
        "warnings": of(Level::Warn),
    });
    let findings = report.findings.iter().map(finding_line);
    let lines = lines.chain(findings).chain(std::iter::once(last));
    lines.map(|line| escape_json(line.to_string()) + "\n").collect()
}

fn word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::FewerBlocks => "fewer-blocks",
        ChangeKind::MoreSpills => "more-spills",
        ChangeKind::Other => "other",
        ChangeKind::New => "new",
        ChangeKind::Gone => "gone",
    }
}

#[cfg(test)]
mod tests;
