//! The table of kernels (`--kernels`).

use crate::check::{CheckedKernel, Report};
use crate::report::summary::foreign_kernel;
use crate::report::text::{sanitize, shorten_name};

const HEAD: &str = "  arch     regs bar  shared  stack   spill st/ld block  blocks/SM  occ. limiters\n";
const FOOT: &str = "residency is what fits on one SM; occupancy is a ceiling, not a score; ? is unknown\n";

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
        out.push_str(&distance(checked));
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
    let limiters = residency.map_or_else(
        || "?".to_owned(),
        |r| r.limiters().iter().map(|limiter| limiter.word()).collect::<Vec<_>>().join(", "),
    );
    format!(
        "  {arch:<8} {:>4} {:>3} {:>7} {:>6} {spills:>13} {:>5} {:>10} {occupancy:>5} {limiters}\n",
        figure(usage.registers),
        figure(usage.barriers),
        figure(usage.static_shared_bytes),
        figure(usage.stack_frame_bytes),
        figure(checked.block.map(|block| block.threads)),
        figure(residency.map(|residency| residency.blocks)),
    )
}

/// The distance to the next step, where residency is known and any step is near enough to exist.
fn distance(checked: &CheckedKernel) -> String {
    let Some(steps) = checked.steps else { return String::new() };
    let plural = |n: u32, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let fewer = steps
        .fewer_registers
        .map(|step| format!("{} less: {}", plural(step.amount, "register"), plural(step.blocks, "block")));
    let shared = steps.fewer_shared_bytes.map(|step| {
        format!("{} of shared memory less: {}", plural(step.amount, "byte"), plural(step.blocks, "block"))
    });
    let registers = checked.kernel.usage.registers.unwrap_or(0);
    let within = registers.saturating_add(steps.free_registers) < 255;
    let more = within.then(|| format!("{} more are free", plural(steps.free_registers, "register")));
    let parts: Vec<String> = [fewer, shared, more].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!("           {}\n", parts.join("; ")) }
}

fn figure(figure: Option<u32>) -> String {
    figure.map_or_else(|| "?".to_owned(), |figure| figure.to_string())
}
