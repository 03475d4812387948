//! Facts that several lints put into words.

use std::ops::Range;
use std::sync::Arc;

use crate::arch::Limits;
use crate::check::CheckedKernel;
use crate::finding::Label;
use crate::kernel::Place;
use crate::occupancy::{Limiter, MAX_REGISTERS, Residency, Resources, residency};

/// `72 registers → 7 blocks (registers); shared memory 100, warps 12, blocks 24, barriers no limit`.
pub(crate) fn limits_note(kernel: &CheckedKernel, found: &Residency) -> String {
    let limiters = found.limiters();
    let word = |limiter: &Limiter| limiter.word();
    let reached: Vec<&str> = limiters.iter().map(word).collect();
    let rest: Vec<String> = Limiter::ALL
        .iter()
        .filter(|limiter| !limiters.contains(limiter))
        .map(|&limiter| match found.limit(limiter) {
            Some(blocks) => format!("{} {blocks}", limiter.word()),
            None => format!("{} no limit", limiter.word()),
        })
        .collect();
    let registers =
        kernel.kernel.usage.registers.map_or("unknown registers".to_owned(), |n| count(n, "register"));
    let rest = if rest.is_empty() { String::new() } else { format!("; {}", rest.join(", ")) };
    format!("{registers} → {} ({}){rest}", count(found.blocks, "block"), reached.join(", "))
}

/// `1 block`, `2 blocks`.
pub(crate) fn count(n: u32, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
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

/// Residency for the block that the bounds themselves give.
pub(crate) fn residency_of_bounds(kernel: &CheckedKernel) -> Option<(u32, Residency)> {
    let threads = kernel.kernel.bounds.block()?.threads;
    Some((threads, residency(kernel.limits?, &resources(kernel, threads)?)))
}

/// The most registers per thread with which `blocks` blocks of `threads` fit: arithmetic, not what a compiler does.
pub(crate) fn registers_that_fit(limits: &Limits, threads: u32, blocks: u32) -> Option<u32> {
    (1..=MAX_REGISTERS).rev().find(|&registers| {
        let resources = Resources { block_threads: threads, registers, ..Resources::default() };
        residency(limits, &resources).registers.is_some_and(|limit| limit >= blocks)
    })
}

/// A label on `__launch_bounds__(…)`, else on the kernel's name.
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
