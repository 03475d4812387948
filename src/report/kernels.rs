//! The table of kernels (`--kernels`).

use crate::arch::Arch;
use crate::check::{CheckedKernel, Report};
use crate::kernel::{DeviceFunction, Kernel, Link, UnboundedStack};
use crate::occupancy::{MAX_REGISTERS, Step};
use crate::order::{Map, Set};
use crate::report::group::{arch_of, kernel_key};
use crate::report::summary;
use crate::text::{self, sanitize, shorten_name, without_signature, wrap};

const HEAD: &str = "  arch     regs bar  shared  stack   spill st/ld block  blocks/SM    occ.\n";
const INDENT: &str = "           ";
const PRELIMINARY: &str = "~ is preliminary: the device link has not confirmed it\n";
const FOOT: &str = "blocks/SM is what fits; occupancy is a ceiling, not a score; ? is unknown\n";

/// Renders one row per kernel and architecture, readable at `width` columns (80 and more); those of libraries only
/// with `foreign`, else they are counted. A kernel's name stands above its rows; below each stand where its block comes
/// from, what limits the residency and the distance to the next step.
pub fn kernels(report: &Report, width: usize, foreign: bool) -> String {
    let shown: Vec<&CheckedKernel> =
        report.kernels.iter().filter(|checked| foreign || !checked.is_foreign()).collect();
    let hidden = hidden(report, foreign);
    if shown.is_empty() {
        return format!("no kernels\n{hidden}");
    }
    let titles = Titles::of(&shown);
    let unlaunchable = unlaunchable(report);
    let mut out = HEAD.to_owned();
    let mut above: Option<&CheckedKernel> = None;
    for checked in shown {
        let same = |above: &CheckedKernel| {
            above.kernel.name.key == checked.kernel.name.key && above.kernel.place == checked.kernel.place
        };
        if !above.is_some_and(same) {
            out.push_str(&title(checked, &titles, width));
        }
        out.push_str(&row(checked));
        out.push_str(&distance(checked, unlaunchable.contains(&identity(&checked.kernel)), width));
        above = Some(checked);
    }
    let preliminary = report.kernels.iter().any(|checked| checked.kernel.link.linked() == Some(false));
    out + FOOT + if preliminary { PRELIMINARY } else { "" } + &hidden
}

fn identity(kernel: &Kernel) -> (&str, Option<Arch>) {
    (&kernel.name.key, kernel.arch)
}

/// Kernels that no launch of theirs can succeed with: blocks that fit by registers and shared memory say nothing then.
fn unlaunchable(report: &Report) -> Set<(&str, Option<Arch>)> {
    let found = report.findings.iter().filter(|finding| finding.lint == "unlaunchable");
    found.filter_map(|finding| Some((kernel_key(finding)?, arch_of(finding)))).collect()
}

/// How many kernels of libraries are not shown.
fn hidden(report: &Report, foreign: bool) -> String {
    match summary(report).foreign_kernels {
        n if n > 0 && !foreign => {
            let n = count(u32::try_from(n).unwrap_or(u32::MAX), "kernel");
            format!("{n} of libraries, outside the package: --foreign shows them\n")
        }
        _ => String::new(),
    }
}

/// How many kernels share a name without its signature: overloads are shown in full.
struct Titles<'a>(Map<&'a str, Set<&'a str>>);

impl<'a> Titles<'a> {
    fn of(shown: &[&'a CheckedKernel]) -> Self {
        let mut names: Map<&str, Set<&str>> = Map::new();
        for checked in shown {
            let name = &checked.kernel.name.demangled;
            names.get_or_default(without_signature(name)).insert(name);
        }
        Self(names)
    }

    fn name(&self, full: &'a str) -> &'a str {
        let short = without_signature(full);
        if self.0.get(short).is_some_and(|names| names.len() > 1) { full } else { short }
    }
}

fn title(checked: &CheckedKernel, titles: &Titles<'_>, width: usize) -> String {
    let kernel = &checked.kernel;
    let place = match &kernel.place {
        Some(place) => format!("{}:{}", place.file, place.line),
        None => kernel.units.first().cloned().unwrap_or_default(),
    };
    let place = shorten_name(&sanitize(&place), width / 2);
    let room = width.saturating_sub(text::width(&place) + 2).max(20);
    format!("{}  {place}\n", shorten_name(&sanitize(titles.name(&kernel.name.demangled)), room))
}

fn row(checked: &CheckedKernel) -> String {
    let usage = &checked.kernel.usage;
    let arch = checked.kernel.arch.map_or_else(|| "?".to_owned(), |arch| arch.to_string());
    let spills = format!("{}/{}", figure(usage.spill_store_bytes), figure(usage.spill_load_bytes));
    let residency = checked.residency.as_ref();
    let occupancy = residency.map_or_else(|| "?".to_owned(), |r| text::percent(r.occupancy()));
    format!(
        "  {arch:<8} {:>4} {:>3} {:>7} {:>6} {spills:>13} {:>5} {:>10} {occupancy:>7}\n",
        registers(checked),
        figure(usage.barriers),
        figure(usage.static_shared_bytes),
        figure(stack(&checked.kernel)),
        figure(checked.block.map(|block| block.threads)),
        figure(residency.map(|residency| residency.blocks)),
    )
}

/// The stack, bytes per thread: of device code that is linked, with the frames of all that it calls.
fn stack(kernel: &Kernel) -> Option<u32> {
    let usage = &kernel.usage;
    let is_bounded = matches!(kernel.unbounded_stack, None | Some(UnboundedStack::IndirectCall));
    match kernel.link {
        Link::NotRelocatable => usage.stack_frame_bytes,
        Link::Linked { .. } => {
            usage.cumulative_stack_bytes.or(usage.stack_frame_bytes).filter(|_| is_bounded)
        }
        Link::Preliminary { .. } => {
            let calls_nothing = kernel.spills.as_ref().is_some_and(|spills| spills.unread.is_empty());
            usage.stack_frame_bytes.filter(|_| calls_nothing && kernel.functions.is_empty() && is_bounded)
        }
    }
}

/// What the row leaves open: that no launch succeeds, what the device link changed, where the block comes from, what limits the residency, the distance to the next step; or
/// why no residency is known.
fn distance(checked: &CheckedKernel, unlaunchable: bool, width: usize) -> String {
    let mut parts: Vec<String> = unlaunchable.then(|| "unlaunchable".to_owned()).into_iter().collect();
    parts.extend(link(checked));
    match (&checked.residency, checked.block) {
        (Some(residency), block) => {
            let limiters: Vec<&str> = residency.limiters().iter().map(|limiter| limiter.word()).collect();
            parts.extend(block.map(|block| format!("block by {}", block.from.word())));
            parts.push(format!("limited by {}", limiters.join(", ")));
            parts.extend(steps(checked));
        }
        (None, _) if checked.kernel.arch.is_none() => parts.push("the architecture is unknown".to_owned()),
        (None, _) if checked.limits.is_none() => {
            parts.push("the architecture's limits are unknown".to_owned());
        }
        (None, None) => parts.push("neither bounds nor a target say the block".to_owned()),
        (None, Some(_)) => {}
    }
    parts.extend(dynamic_shared(checked));
    parts.extend(callees(checked));
    let unread = checked.kernel.spills.as_ref().and_then(|spills| spills.unread.words());
    parts.extend(unread.map(|words| sanitize(&words)));
    if parts.is_empty() {
        return String::new();
    }
    let lines = wrap(&parts.join("; "), width.saturating_sub(INDENT.len()));
    lines.iter().map(|line| format!("{INDENT}{line}\n")).collect()
}

/// The distance to the next step by registers and by shared memory.
fn steps(checked: &CheckedKernel) -> Vec<String> {
    let Some(steps) = checked.steps else { return Vec::new() };
    let step = |step: Step, unit: &str| {
        format!("{} fewer → {}", count(step.amount, unit), count(step.blocks, "block"))
    };
    let mut parts = Vec::new();
    parts.extend(steps.fewer_registers.map(|fewer| step(fewer, "register")));
    parts.extend(steps.fewer_shared_bytes.map(|fewer| step(fewer, "shared byte")));
    let most = checked.kernel.usage.registers.unwrap_or(0).saturating_add(steps.free_registers);
    if checked.residency.is_some_and(|found| found.blocks > 0) && most < MAX_REGISTERS {
        parts.push(format!("{} more would be free", count(steps.free_registers, "register")));
    }
    parts
}

/// Registers, marked where the device link has not confirmed them.
fn registers(checked: &CheckedKernel) -> String {
    let mark = if checked.kernel.link.linked() == Some(false) { "~" } else { "" };
    format!("{mark}{}", figure(checked.kernel.usage.registers))
}

/// What the device link made of the figures, or why it has not.
fn link(checked: &CheckedKernel) -> Option<String> {
    match &checked.kernel.link {
        Link::NotRelocatable => None,
        Link::Preliminary { why } => Some(format!("preliminary: {}", sanitize(why))),
        Link::Linked { compiled } => {
            let (before, after) = (compiled.registers?, checked.kernel.usage.registers?);
            Some(format!("{before} registers at compile time, {after} linked"))
        }
    }
}

/// Dynamic shared memory: the target's, which the residency counts, or that nothing says how much there is.
fn dynamic_shared(checked: &CheckedKernel) -> Option<String> {
    match checked.expectation.target.dynamic_shared_bytes {
        Some(0) => None,
        Some(bytes) => Some(format!("with {} of dynamic shared memory", count(bytes, "byte"))),
        None if checked.kernel.dynamic_shared == Some(true) => {
            Some("dynamic shared memory is not counted: blocks/SM is an upper bound".to_owned())
        }
        None => None,
    }
}

/// The worst spills of the functions that it calls, which the row does not have.
fn callees(checked: &CheckedKernel) -> Option<String> {
    let bytes = |bytes: Option<u32>| bytes.unwrap_or(0);
    let spills =
        |function: &DeviceFunction| (bytes(function.spill_store_bytes), bytes(function.spill_load_bytes));
    let worst =
        checked.kernel.functions.iter().map(spills).max_by_key(|&(stores, loads)| stores.max(loads))?;
    (worst != (0, 0)).then(|| format!("a function it calls spills {}/{}", worst.0, worst.1))
}

fn count(n: u32, what: &str) -> String {
    if n == 0 { format!("no {what}") } else { text::count(n, what) }
}

fn figure(figure: Option<u32>) -> String {
    figure.map_or_else(|| "?".to_owned(), |figure| figure.to_string())
}
