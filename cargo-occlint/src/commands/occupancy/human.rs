//! The answer in words.

use std::fmt::Write;

use occlint::arch::Limits;
use occlint::occupancy::{Limiter, Residency, Steps};

use super::args::Question;

/// Limit by limit, with the arithmetic.
pub(super) fn answer(question: &Question, limits: &Limits, residency: &Residency, steps: &Steps) -> String {
    let limiters = residency.limiters();
    let words: Vec<&str> = limiters.iter().map(|limiter| limiter.word()).collect();
    let mut text = format!(
        "{} fit on one SM of {}, limited by {}\n\n  {:<14} {:>8}\n",
        count(residency.blocks, "block"),
        question.arch,
        words.join(" and "),
        "limit",
        "blocks"
    );
    for limiter in Limiter::ALL {
        let blocks =
            residency.limit(limiter).map_or_else(|| "no limit".to_owned(), |blocks| blocks.to_string());
        let mark = if limiters.contains(&limiter) { "<" } else { " " };
        let why = why(limiter, question, limits, residency);
        let _ = writeln!(text, "  {:<14} {blocks:>8} {mark} {why}", limiter.word());
    }
    let percent = residency.occupancy() * 100.0;
    let resident = residency.blocks * residency.warps_per_block;
    let _ = writeln!(
        text,
        "\n  theoretical occupancy {percent:.1} %: {resident} of {} warps. It is a ceiling and not a score",
        residency.max_warps
    );
    text.push_str(&steps_words(residency, steps));
    text
}

fn why(limiter: Limiter, question: &Question, limits: &Limits, residency: &Residency) -> String {
    let resources = &question.resources;
    match limiter {
        Limiter::Registers if resources.registers == 0 => "none used".to_owned(),
        Limiter::Registers => {
            format!("{} of {} registers a block", residency.registers_allocated, limits.registers)
        }
        Limiter::SharedMemory => {
            let reserve = match limits.reserved_shared_bytes {
                0 => String::new(),
                bytes => format!(", {bytes} of them the driver's"),
            };
            format!("{} of {} bytes a block{reserve}", residency.shared_allocated_bytes, limits.shared_bytes)
        }
        Limiter::Warps => format!("{} of {} warps a block", residency.warps_per_block, residency.max_warps),
        Limiter::Blocks => "the most that the SM holds".to_owned(),
        Limiter::Barriers => match (limits.barrier_pool, resources.barriers) {
            (None, _) => "not before compute capability 9.0".to_owned(),
            (Some(_), 0) => "none used".to_owned(),
            (Some(pool), used) => format!("{used} of {pool} named barriers a block"),
        },
    }
}

fn steps_words(residency: &Residency, steps: &Steps) -> String {
    let mut text = String::new();
    if let Some(step) = steps.fewer_registers {
        let _ = writeln!(
            text,
            "  {} fewer per thread: {}",
            count(step.amount, "register"),
            count(step.blocks, "block")
        );
    }
    if let Some(step) = steps.fewer_shared_bytes {
        let _ = writeln!(
            text,
            "  {} of shared memory fewer: {}",
            count(step.amount, "byte"),
            count(step.blocks, "block")
        );
    }
    if residency.blocks > 0 {
        let past = count(steps.blocks_past_free_registers, "block");
        let _ = writeln!(
            text,
            "  {} more are free; one past them: {past}",
            count(steps.free_registers, "register")
        );
    }
    text.push_str("  More blocks can be faster or slower: measure\n");
    text
}

fn count(n: u32, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}
