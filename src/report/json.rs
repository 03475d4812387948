//! JSON lines: never grouped or merged.

mod frontier;
mod spills;
pub(super) mod value;

use value::{ToJson, Value, json, object};

use crate::arch::Arch;
use crate::baseline::Entry;
use crate::check::{Candidate, CheckedKernel, Report};
use crate::finding::{Finding, Label, Piece, Subject};
use crate::kernel::{DeviceFunction, Link, LocalMemory, UnboundedStack};
use crate::occupancy::{Limiter, Residency, Step};
use crate::report::group::{arch_of, group_id, is_foreign};
use crate::report::{Part, Summary};
use crate::text::escape_json;

/// The version of the format, in every line as `format_version`.
pub const FORMAT_VERSION: u32 = 1;

/// Renders kernels, findings and the summary, one JSON object a line. What is unknown is `null`.
pub fn json(report: &Report, summary: &Summary) -> String {
    let kernels = report.kernels.iter().map(kernel_line);
    let findings = report.findings.iter().map(finding_line);
    let parts = summary.parts.iter().map(part_line);
    let lines = kernels.chain(findings).chain(parts).chain(std::iter::once(summary_line(summary)));
    lines.map(written).collect()
}

/// The line of one finding.
pub fn finding_json(finding: &Finding) -> String {
    written(finding_line(finding))
}

/// The last line.
pub fn summary_json(summary: &Summary) -> String {
    written(summary_line(summary))
}

fn written(line: Value) -> String {
    let mut text = String::with_capacity(2048);
    line.write(&mut text);
    escape_json(text) + "\n"
}

/// What a part of a run says about a package, for `merge`.
fn part_line(part: &Part) -> Value {
    let candidate = |candidate: &Candidate| {
        json!({
            "id": candidate.id,
            "pattern": candidate.pattern,
            "finding": finding_line(&candidate.finding),
        })
    };
    let gone = |(key, arch): &(String, Arch)| json!({"key": key, "arch": arch.to_string()});
    let open = part.open.as_ref().map(|open| {
        json!({
            "candidates": open.candidates.iter().map(candidate).collect::<Vec<_>>(),
            "met": open.met,
            "gone": open.gone.iter().map(gone).collect::<Vec<_>>(),
        })
    });
    json!({
        "reason": "part",
        "format_version": FORMAT_VERSION,
        "package": part.package,
        "units": part.units,
        "kernels": part.kernels,
        "findings": part.findings,
        "archs": part.archs,
        "baseline": part.baseline,
        "open": open,
    })
}

fn kernel_line(checked: &CheckedKernel) -> Value {
    let kernel = &checked.kernel;
    let (usage, bounds, place) = (&kernel.usage, &kernel.bounds, kernel.place.as_ref());
    let target = &checked.expectation.target;
    let line = json!({
        "reason": "kernel",
        "format_version": FORMAT_VERSION,
        "name": kernel.name.demangled,
        "mangled": kernel.name.mangled,
        "key": kernel.name.key,
        "qualified": kernel.name.qualified,
        "source": place.map(|place| &place.file),
        "line": place.map(|place| place.line),
        "units": kernel.units,
        "foreign": checked.is_foreign(),
        "arch": arch(kernel.arch),
        "registers": usage.registers,
        "barriers": usage.barriers,
        "static_smem": usage.static_shared_bytes,
        "dynamic_smem": target.dynamic_shared_bytes,
        "uses_dynamic_smem": kernel.dynamic_shared,
        "stack": usage.stack_frame_bytes,
        "cumulative_stack": usage.cumulative_stack_bytes,
        "unbounded_stack": kernel.unbounded_stack.as_ref().map(unbounded),
        "local_bytes": usage.local_bytes,
        "spill_stores": usage.spill_store_bytes,
        "spill_loads": usage.spill_load_bytes,
        "bounds": json!({
            "max_threads": bounds.max_threads.map(product),
            "required_threads": bounds.required_threads.map(product),
            "min_blocks": bounds.min_blocks,
            "max_registers": bounds.max_registers,
            "max_cluster_rank": bounds.max_cluster_rank,
        }),
    });
    let parts = [line, derived(checked), frontier::of(kernel), spills::of(kernel)].into_iter();
    object(parts.flat_map(Value::into_fields).collect())
}

/// What follows from the figures, and what is known beside them.
fn derived(checked: &CheckedKernel) -> Value {
    let kernel = &checked.kernel;
    let residency = checked.residency.as_ref();
    let functions: Vec<Value> = kernel.functions.iter().map(function).collect();
    let local: Option<Vec<Value>> =
        kernel.local_memory.as_ref().map(|all| all.iter().map(local_memory).collect());
    json!({
        "block": checked.block.map(|block| block.threads),
        "block_from": checked.block.map(|block| block.from.word()),
        "residency": residency.map(|residency| residency.blocks),
        "occupancy": residency.map(Residency::occupancy),
        "limiters": residency.map(|r| r.limiters().into_iter().map(Limiter::key).collect::<Vec<_>>()),
        "limits": residency.map(limits),
        "registers_allocated": residency.map(|residency| residency.registers_allocated),
        "shared_memory_allocated": residency.map(|residency| residency.shared_allocated_bytes),
        "steps": checked.steps.map(|steps| json!({
            "fewer_registers": steps.fewer_registers.map(step),
            "free_registers": steps.free_registers,
            "blocks_past_free_registers": steps.blocks_past_free_registers,
            "fewer_smem": steps.fewer_shared_bytes.map(step),
            "free_smem": steps.free_shared_bytes,
            "blocks_past_free_smem": steps.blocks_past_free_shared,
        })),
        "functions": functions,
        "local_memory": local,
        "code": digits(kernel.code),
        "settings": kernel.settings.as_deref(),
        "compiler": kernel.compiler.as_deref(),
        "renamed_from": checked.renamed_from,
        "linked": kernel.link.linked(),
        "compiled_registers": kernel.link.compiled_registers(),
        "preliminary_because": match &kernel.link {
            Link::Preliminary { why } => Some(why),
            Link::NotRelocatable | Link::Linked { .. } => None,
        },
        "before": checked.before.as_ref().map(entry_value),
    })
}

pub(super) fn finding_line(finding: &Finding) -> Value {
    let (kernel, key, unit) = match &finding.subject {
        Subject::Kernel { name, key, .. } => (Some(name), Some(key), None),
        Subject::Unit { unit, .. } => (None, None, Some(unit)),
        Subject::Config => (None, None, None),
    };
    let place = finding.labels.first();
    let labels = finding.labels.iter().map(|label| {
        let (column, length) = column_and_length(label).unzip();
        json!({"file": label.file, "line": label.line, "column": column, "length": length, "text": label.text})
    });
    json!({
        "reason": "finding",
        "format_version": FORMAT_VERSION,
        "lint": finding.lint,
        "level": finding.level.word(),
        "kernel": kernel,
        "key": key,
        "unit": unit,
        "arch": arch(arch_of(finding)),
        "file": place.map(|label| &label.file),
        "line": place.map(|label| label.line),
        "column": place.and_then(column_and_length).map(|(column, _)| column),
        "message": finding.message(),
        "template": template(finding),
        "weight": finding.weight,
        "labels": labels.collect::<Vec<_>>(),
        "notes": finding.notes,
        "help": help_and_table(finding),
        "table": finding.table,
        "foreign": is_foreign(finding),
        "group": group_id(finding),
    })
}

/// Where on its line a label begins, in characters from 1, and how many bytes it covers.
fn column_and_length(label: &Label) -> Option<(u32, usize)> {
    let (source, range) = label.span.as_ref()?;
    let (line, column) = source.line_column(range.start.min(source.text().len()));
    (line == label.line).then_some((column, range.len()))
}

/// The message with `{kernel}` and `{arch}` where those stand in it; other braces are doubled.
fn template(finding: &Finding) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
        Piece::Kernel => "{kernel}".to_owned(),
        Piece::Arch => "{arch}".to_owned(),
    };
    finding.headline.pieces().iter().map(piece).collect()
}

/// What to do next, and what other bounds cost, as lines.
fn help_and_table(finding: &Finding) -> Option<String> {
    let parts: Vec<&str> =
        [&finding.help, &finding.table].into_iter().flatten().map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// A digest as text: JSON's numbers are not wide enough everywhere.
fn digits(code: Option<u64>) -> Option<String> {
    code.map(|code| format!("{code:016x}"))
}

/// What is kept of a kernel, as an object.
#[cfg(feature = "baseline")]
pub(super) fn entry_value(entry: &Entry) -> Value {
    json!({
        "registers": entry.registers,
        "spill_stores": entry.spill_stores,
        "spill_loads": entry.spill_loads,
        "shared_spills": entry.shared_spills,
        "static_smem": entry.static_smem,
        "block": entry.block,
        "residency": entry.residency,
        "limiters": entry.limiters,
        "free_registers": entry.free_registers,
        "free_smem": entry.free_smem,
        "settings": entry.settings.as_deref(),
        "compiler": entry.compiler.as_deref(),
        "code": digits(entry.code),
    })
}

/// Without the feature there is no entry.
#[cfg(not(feature = "baseline"))]
fn entry_value(entry: &Entry) -> Value {
    match *entry {}
}

fn summary_line(summary: &Summary) -> Value {
    json!({
        "reason": "summary",
        "format_version": FORMAT_VERSION,
        "kernels": summary.kernels,
        "archs": summary.archs,
        "denied": summary.denied,
        "warnings": summary.warnings,
        "groups": summary.groups,
        "residency_unknown": summary.unjudged,
        "waived": summary.waived,
        "known": summary.known,
        "improved": summary.improved,
        "renamed": summary.renamed,
        "within_limits": summary.within_limits,
        "foreign_kernels": summary.foreign_kernels,
        "foreign_findings": summary.foreign_findings,
        "failures": summary.failures,
        "partition": summary.partition,
        "run": summary.run,
    })
}

fn limits(residency: &Residency) -> Value {
    let limit = |limiter: Limiter| (limiter.key(), residency.limit(limiter).to_json());
    object(Limiter::ALL.into_iter().map(limit).collect())
}

/// Why the stack's depth is unknown, in a word.
const fn unbounded(stack: &UnboundedStack) -> &'static str {
    match stack {
        UnboundedStack::Reported => "reported",
        UnboundedStack::Recursion(_) => "recursion",
        UnboundedStack::IndirectCall => "indirect-call",
        UnboundedStack::Alloca => "alloca",
    }
}

fn step(step: Step) -> Value {
    json!({"amount": step.amount, "blocks": step.blocks})
}

fn function(function: &DeviceFunction) -> Value {
    json!({
        "name": function.name.demangled,
        "mangled": function.name.mangled,
        "stack": function.stack_frame_bytes,
        "spill_stores": function.spill_store_bytes,
        "spill_loads": function.spill_load_bytes,
    })
}

fn local_memory(memory: &LocalMemory) -> Value {
    json!({
        "kind": memory.kind.word(),
        "bytes": memory.bytes,
        "name": memory.name,
        "file": memory.at.as_ref().map(|at| &at.file),
        "line": memory.at.as_ref().map(|at| at.line),
    })
}

fn arch(arch: Option<Arch>) -> Option<String> {
    arch.map(|arch| arch.to_string())
}

fn product(dimensions: [u32; 3]) -> u64 {
    dimensions.iter().fold(1, |product: u64, &d| product.saturating_mul(u64::from(d)))
}
