//! The table of kernels (`--kernels`).

use crate::check::{CheckedKernel, Report};
use crate::occupancy::{MAX_REGISTERS, Step};
use crate::report::summary::foreign_kernel;
use crate::report::text::{sanitize, shorten_name, wrap};

const HEAD: &str = "  arch     regs bar  shared  stack   spill st/ld block  blocks/SM  occ.\n";
const INDENT: &str = "           ";
const FOOT: &str = "blocks/SM is what fits; occupancy is a ceiling, not a score; ? is unknown\n";

/// Renders one row per kernel and architecture, readable at `width` columns (80 and more); those of libraries only
/// with `foreign`. A kernel's name stands above its rows, the distance to the next step below each.
pub fn kernels(report: &Report, width: usize, foreign: bool) -> String {
    let shown: Vec<&CheckedKernel> =
        report.kernels.iter().filter(|checked| foreign || !foreign_kernel(checked)).collect();
    if shown.is_empty() {
        return "no kernels\n".to_owned();
    }
    let mut out = HEAD.to_owned();
    let mut above: Option<&CheckedKernel> = None;
    for checked in shown {
        let same = |above: &CheckedKernel| {
            above.kernel.name.key == checked.kernel.name.key && above.kernel.place == checked.kernel.place
        };
        if !above.is_some_and(same) {
            out.push_str(&title(checked, width));
        }
        out.push_str(&row(checked));
        out.push_str(&distance(checked, width));
        above = Some(checked);
    }
    out + FOOT
}

fn title(checked: &CheckedKernel, width: usize) -> String {
    let kernel = &checked.kernel;
    let place = match &kernel.place {
        Some(place) => format!("{}:{}", place.file, place.line),
        None => kernel.units.first().cloned().unwrap_or_default(),
    };
    let place = shorten_name(&sanitize(&place), width / 2);
    let room = width.saturating_sub(place.chars().count() + 2).max(20);
    format!("{}  {place}\n", shorten_name(&sanitize(&kernel.name.demangled), room))
}

fn row(checked: &CheckedKernel) -> String {
    let usage = &checked.kernel.usage;
    let arch = checked.kernel.arch.map_or_else(|| "?".to_owned(), |arch| arch.to_string());
    let spills = format!("{}/{}", figure(usage.spill_store_bytes), figure(usage.spill_load_bytes));
    let residency = checked.residency.as_ref();
    let occupancy = residency.map_or_else(|| "?".to_owned(), |r| format!("{:.0} %", r.occupancy() * 100.0));
    format!(
        "  {arch:<8} {:>4} {:>3} {:>7} {:>6} {spills:>13} {:>5} {:>10} {occupancy:>5}\n",
        figure(usage.registers),
        figure(usage.barriers),
        figure(usage.static_shared_bytes),
        figure(usage.stack_frame_bytes),
        figure(checked.block.map(|block| block.threads)),
        figure(residency.map(|residency| residency.blocks)),
    )
}

/// What limits the residency, and the distance to the next step; nothing where residency is unknown.
fn distance(checked: &CheckedKernel, width: usize) -> String {
    let Some(residency) = &checked.residency else { return String::new() };
    let limiters: Vec<&str> = residency.limiters().iter().map(|limiter| limiter.word()).collect();
    let mut parts = vec![format!("limited by {}", limiters.join(", "))];
    if let Some(steps) = checked.steps {
        let step = |step: Step, unit: &str| {
            format!("{} fewer → {}", count(step.amount, unit), count(step.blocks, "block"))
        };
        parts.extend(steps.fewer_registers.map(|fewer| step(fewer, "register")));
        parts.extend(steps.fewer_shared_bytes.map(|fewer| step(fewer, "shared byte")));
        let most = checked.kernel.usage.registers.unwrap_or(0).saturating_add(steps.free_registers);
        if residency.blocks > 0 && most < MAX_REGISTERS {
            parts.push(format!("{} more would be free", count(steps.free_registers, "register")));
        }
    }
    let lines = wrap(&parts.join("; "), width.saturating_sub(INDENT.len()));
    lines.iter().map(|line| format!("{INDENT}{line}\n")).collect()
}

fn count(n: u32, what: &str) -> String {
    match n {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

fn figure(figure: Option<u32>) -> String {
    figure.map_or_else(|| "?".to_owned(), |figure| figure.to_string())
}
