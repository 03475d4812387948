//! Facts that several lints put into words.

use std::ops::Range;
use std::sync::Arc;

use crate::arch::{Arch, Limits};
use crate::check::CheckedKernel;
use crate::finding::Label;
use crate::kernel::{CodeLine, Link, Place, Remedy};
use crate::lints::frontier_words::is_met;
use crate::occupancy::{Limiter, MAX_BLOCK_THREADS, MAX_REGISTERS, Residency, Resources, residency};
use crate::text::count;

/// Threads of a warp.
const WARP: u32 = 32;
/// Registers are given out per warp in multiples of this.
const REGISTER_UNIT: u32 = 256;

/// What limits a block and what each limit allows: `72 registers → 7 blocks (registers); shared memory 100, warps 12,
/// blocks 24, barriers no limit`.
pub(crate) fn limits_note(kernel: &CheckedKernel, threads: u32, found: &Residency) -> String {
    let limiters = found.limiters();
    let uses: Vec<String> = limiters.iter().map(|&limiter| usage_of(kernel, threads, limiter)).collect();
    let reached: Vec<&str> = limiters.iter().map(|limiter| limiter.word()).collect();
    let rest: Vec<String> = Limiter::ALL
        .iter()
        .filter(|limiter| !limiters.contains(limiter))
        .map(|&limiter| match found.limit(limiter) {
            Some(blocks) => format!("{} {blocks}", limiter.word()),
            None => format!("{} no limit", limiter.word()),
        })
        .collect();
    let rest = if rest.is_empty() { String::new() } else { format!("; {}", rest.join(", ")) };
    format!("{} → {} ({}){rest}", and(&uses), count(found.blocks, "block"), reached.join(", "))
}

fn usage_of(kernel: &CheckedKernel, threads: u32, limiter: Limiter) -> String {
    let usage = &kernel.kernel.usage;
    match limiter {
        Limiter::Registers => {
            let registers = count(usage.registers.unwrap_or(0), "register");
            match &kernel.kernel.link {
                Link::Preliminary { .. } => format!("{registers} (preliminary: not linked)"),
                link => match link.compiled_registers().filter(|&before| usage.registers != Some(before)) {
                    Some(before) => format!("{registers} ({before} at compile time)"),
                    None => registers,
                },
            }
        }
        Limiter::SharedMemory => {
            let fixed = usage.static_shared_bytes.unwrap_or(0);
            let dynamic = kernel.expectation.target.dynamic_shared_bytes.unwrap_or(0);
            format!("{} of shared memory", count(fixed.saturating_add(dynamic), "byte"))
        }
        Limiter::Warps => count(threads, "thread"),
        Limiter::Blocks => "the architecture's maximum".to_owned(),
        Limiter::Barriers => count(usage.barriers.unwrap_or(0), "named barrier"),
    }
}

/// What the device link made of the registers, or why it has not: for findings about registers.
pub(crate) fn link_note(kernel: &CheckedKernel) -> Option<String> {
    match &kernel.kernel.link {
        Link::NotRelocatable => None,
        Link::Preliminary { why } => Some(format!("the figures are preliminary: {why}")),
        Link::Linked { compiled } => {
            let (before, after) = (compiled.registers?, kernel.kernel.usage.registers?);
            let words = || format!("{} at compile time, {after} linked", count(before, "register"));
            (before != after).then(words)
        }
    }
}

/// `a, b and c`.
pub(crate) fn and(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// What a kernel's blocks need, with this block of threads; `None` where the registers are unknown.
pub(crate) fn resources(kernel: &CheckedKernel, block_threads: u32) -> Option<Resources> {
    let usage = &kernel.kernel.usage;
    Some(Resources {
        block_threads,
        registers: usage.registers?,
        static_shared_bytes: usage.static_shared_bytes.unwrap_or(0),
        dynamic_shared_bytes: kernel.expectation.target.dynamic_shared_bytes.unwrap_or(0),
        barriers: usage.barriers.unwrap_or(0),
        carveout_percent: None,
    })
}

/// Residency for the block that the bounds themselves give; for the target's where they give none.
pub(crate) fn residency_of_bounds(kernel: &CheckedKernel) -> Option<(u32, Residency)> {
    let threads = kernel.kernel.bounds.block().or(kernel.block)?.threads;
    Some((threads, residency(kernel.limits?, &resources(kernel, threads)?)))
}

/// The most blocks of this many threads that an SM has room for, whatever else a block uses.
pub(crate) fn most_blocks(limits: &Limits, threads: u32) -> u32 {
    let warps = threads.div_ceil(WARP).max(1);
    if threads > MAX_BLOCK_THREADS { 0 } else { (limits.max_threads / WARP / warps).min(limits.max_blocks) }
}

/// The most registers per thread with which `blocks` blocks of `threads` fit: arithmetic, not what a compiler does.
pub(crate) fn registers_that_fit(limits: &Limits, threads: u32, blocks: u32) -> Option<u32> {
    let warps = threads.div_ceil(WARP).max(1);
    let resident = u64::from(warps) * u64::from(blocks.max(1));
    let per_partition = resident.div_ceil(u64::from(limits.sub_partitions));
    let by_residency = u64::from(limits.registers / limits.sub_partitions) / per_partition;
    // a launch is checked as if every part had four sub-partitions
    let by_launch = limits.registers_per_block / warps.checked_next_multiple_of(4)?;
    let per_warp = u32::try_from(by_residency).ok()?.min(by_launch) / REGISTER_UNIT * REGISTER_UNIT;
    (per_warp > 0).then_some((per_warp / WARP).min(MAX_REGISTERS))
}

/// What a shortfall costs: the resident threads that are missing, and then the bytes that spill for them today and with
/// the cheapest change that was assembled and meets what is asked.
pub(crate) fn shortfall_weight(kernel: &CheckedKernel, threads: u32, missing: u32) -> u64 {
    let usage = &kernel.kernel.usage;
    let today = usage.spill_store_bytes.unwrap_or(0).saturating_add(usage.spill_load_bytes.unwrap_or(0));
    let missing = (u64::from(missing) * u64::from(threads)).min(u64::from(u32::MAX));
    missing << 32 | u64::from(today.saturating_add(cheapest_way(kernel)))
}

/// The fewest bytes that spill where the blocks asked for fit; more than any kernel spills where nothing meets them.
fn cheapest_way(kernel: &CheckedKernel) -> u32 {
    const NONE_MEETS: u32 = 1 << 24;
    let Some(frontier) = &kernel.kernel.frontier else { return 0 };
    let meets = |remedy: &&Remedy| remedy.asked.is_some() && remedy.residency >= remedy.asked;
    let bytes = |remedy: &Remedy| remedy.spill_store_bytes.saturating_add(remedy.spill_load_bytes);
    frontier.remedies.iter().filter(meets).map(bytes).min().unwrap_or(NONE_MEETS)
}

/// What to do where fewer blocks than `asked` fit: what those would leave to each block, or the most that can be asked.
pub(crate) fn shortfall_help(
    kernel: &CheckedKernel,
    threads: u32,
    asked: u32,
    found: &Residency,
) -> Option<String> {
    let (limits, arch) = (kernel.limits?, kernel.kernel.arch?);
    let most = most_blocks(limits, threads);
    if most < asked {
        return ask_at_most(kernel, most, threads, arch);
    }
    let short = |limiter| found.limit(limiter).is_some_and(|limit| limit < asked);
    let mut room = Vec::new();
    if short(Limiter::Registers) {
        room.push(format!("{} per thread", count(registers_that_fit(limits, threads, asked)?, "register")));
    }
    if short(Limiter::SharedMemory) {
        room.push(format!("{} of shared memory per block", count(shared_that_fits(limits, asked), "byte")));
    }
    if short(Limiter::Barriers) {
        room.push(format!("{} per block", count(limits.barrier_pool? / asked, "named barrier")));
    }
    let blocks = format!("{} of {threads} threads", count(asked, "block"));
    let room = format!("by arithmetic, {blocks} have room for at most {}", and(&room));
    let mut ways = vec!["try that".to_owned()];
    ways.extend(smaller_block(kernel, threads, asked).map(|fits| format!("try blocks of {fits} threads")));
    ways.extend((found.blocks > 0).then(|| format!("ask for {}", count(found.blocks, "block"))));
    Some(match ways.as_slice() {
        [only] => format!("{room}: {only}, and measure"),
        [one, other] => format!("{room}: {one}, or {other}, and measure both"),
        all => format!("{room}: {}, and measure each", all.join(", or ")),
    })
}

/// The most that can be asked for; what that costs follows, where it was assembled.
pub(crate) fn ask_at_most(kernel: &CheckedKernel, most: u32, threads: u32, arch: Arch) -> Option<String> {
    let blocks = format!("ask for at most {} of {threads} threads on {arch}", count(most, "block"));
    let assembled = is_met(kernel);
    let costs = if assembled { "" } else { ", and measure what that costs in registers and spills" };
    (most > 0).then(|| format!("{blocks}{costs}"))
}

/// The largest block of whole warps of which `asked` fit, all else as it is: arithmetic. None where that is a warp or
/// less, or where smaller blocks do not help.
fn smaller_block(kernel: &CheckedKernel, threads: u32, asked: u32) -> Option<u32> {
    let limits = kernel.limits?;
    let fits = |threads: &u32| {
        resources(kernel, *threads).is_some_and(|resources| residency(limits, &resources).blocks >= asked)
    };
    let below = threads.saturating_sub(1).min(MAX_BLOCK_THREADS) / WARP;
    (2..=below).rev().map(|warps| warps * WARP).find(fits)
}

/// The most bytes of shared memory per block, static and dynamic, with which `blocks` blocks fit.
fn shared_that_fits(limits: &Limits, blocks: u32) -> u32 {
    let unit = limits.shared_unit_bytes;
    let each = limits.shared_bytes / blocks.max(1) / unit * unit;
    each.saturating_sub(limits.reserved_shared_bytes).min(limits.opt_in_shared_bytes)
}

/// A label on the bounds in the kernel's own declaration, else on its name.
pub(crate) fn label_on_bounds(kernel: &CheckedKernel, text: impl Into<String>) -> Vec<Label> {
    let text = text.into();
    let place = kernel.kernel.place.as_ref();
    place
        .map(|place| label_at(place, place.bounds.clone().or(place.declarator.clone()), text))
        .into_iter()
        .collect()
}

/// A label on the kernel's name.
pub(crate) fn label_on_name(kernel: &CheckedKernel, text: impl Into<String>) -> Vec<Label> {
    let text = text.into();
    let place = kernel.kernel.place.as_ref();
    place.map(|place| label_at(place, place.declarator.clone(), text)).into_iter().collect()
}

/// A label at a place, on these bytes of its text.
pub(crate) fn label_at(place: &Place, range: Option<Range<usize>>, text: String) -> Label {
    let span = place.text.as_ref().and_then(|source| Some((Arc::clone(source), range.clone()?)));
    Label { file: place.file.clone(), line: place.line, span, text }
}

/// A label where a target's value is written, beside the kernel's own.
pub(crate) fn label_on_target(kernel: &CheckedKernel, key: &str, text: impl Into<String>) -> Vec<Label> {
    let mut labels = label_on_name(kernel, "");
    let text = text.into();
    labels.extend(kernel.expectation.span(key).map(|span| Label::on(span, text)));
    labels
}

/// A label on a line of code: on the first `word` in it, else on all of it but the indentation.
pub(crate) fn label_on_line(at: &CodeLine, word: Option<&str>, text: String) -> Label {
    let span = at.text.as_ref().and_then(|source| {
        let line = source.line_range(at.line)?;
        let shown = &source.text()[line.clone()];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let whole_word = |&(start, found): &(usize, &str)| {
            !shown[..start].ends_with(is_part) && !shown[start + found.len()..].starts_with(is_part)
        };
        let named = word.filter(|word| !word.is_empty());
        let found = named.and_then(|word| shown.match_indices(word).find(whole_word));
        let range = match found {
            Some((start, found)) => start..start + found.len(),
            None => shown.len() - shown.trim_start().len()..shown.trim_end().len(),
        };
        (range.start < range.end)
            .then(|| (Arc::clone(source), line.start + range.start..line.start + range.end))
    });
    Label { file: at.file.clone(), line: at.line, span, text }
}
