//! One message: which of the shapes it has.

use crate::arch::Arch;
use crate::kernel::Usage;
use crate::text;

use super::line::Piece;
use super::remark::{self, Said};

/// A message that means something.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Message<'a> {
    /// `N bytes gmem`: a compiler run's report begins.
    Run {
        /// nvlink's `(target: sm_XX)`.
        target: Option<Arch>,
    },
    /// `Compiling entry function`.
    Entry {
        /// As printed.
        name: &'a str,
        /// `for 'sm_XX'`.
        arch: Option<Arch>,
    },
    /// `Function properties for`.
    Properties {
        /// As printed, without quotes.
        name: &'a str,
        /// nvlink's `(target: sm_XX)`.
        target: Option<Arch>,
    },
    /// Stack frame and spills.
    Frame(Usage),
    /// Registers and what follows them.
    Used(Usage),
    /// A warning, an error, an advisory.
    Remark(Said),
}

/// What the first line of a run ends with.
const GMEM: &str = " bytes gmem";

/// Reads a piece of a line.
pub(super) fn read(piece: Piece<'_>) -> Option<Message<'_>> {
    let text = piece.text;
    if text.is_empty() {
        return None;
    }
    let marked = piece.tool.is_some();
    if let Some(rest) = after(text, "Compiling entry function ", marked) {
        return entry(rest);
    }
    if let Some(rest) = after(text, "Function properties for ", marked) {
        return properties(rest);
    }
    let target_less = without_target(text);
    if let Some(said) = remark::classify(Piece { text: target_less, ..piece }) {
        return Some(Message::Remark(said));
    }
    if let Some(usage) = used(text, marked) {
        return Some(Message::Used(usage));
    }
    if marked && !text.starts_with(|c: char| c.is_ascii_digit() || c == 'b') {
        return None;
    }
    if text.contains("bytes stack frame") {
        return frame(target_less).map(Message::Frame);
    }
    let gmem = text.contains(GMEM).then(|| text.find(GMEM)).flatten()?;
    text[..gmem].ends_with(|c: char| c.is_ascii_digit()).then(|| Message::Run { target: target(text) })
}

/// The rest after `shape`: at the start of a tool's message, anywhere where the tool's word is missing.
fn after<'a>(text: &'a str, shape: &str, marked: bool) -> Option<&'a str> {
    if marked {
        text.strip_prefix(shape)
    } else {
        text::find(text, shape).map(|at| &text[at + shape.len()..])
    }
}

fn entry(rest: &str) -> Option<Message<'_>> {
    let body = rest.strip_prefix('\'')?;
    let (name, arch) = match text::rsplit_once(body, "' for '") {
        Some((name, arch)) => (name, arch.split('\'').next().and_then(|arch| arch.parse().ok())),
        None => (body.rsplit_once('\'')?.0, None),
    };
    (!name.is_empty()).then_some(Message::Entry { name, arch })
}

fn properties(rest: &str) -> Option<Message<'_>> {
    let name = match rest.strip_prefix('\'') {
        Some(body) => body.rsplit_once('\'')?.0,
        None => without_target(rest).trim_end_matches([' ', '\t', ':']),
    };
    (!name.is_empty()).then(|| Message::Properties { name, target: target(rest) })
}

/// Without nvlink's `(target: sm_XX)`, which it adds to the lines of its ptxas too.
fn without_target(text: &str) -> &str {
    match text.contains('(').then(|| text.rsplit_once(" (target: ")).flatten() {
        Some((rest, tail)) if tail.trim_end().ends_with(')') => rest,
        _ => text,
    }
}

/// `(target: sm_XX)`.
fn target(text: &str) -> Option<Arch> {
    let (_, rest) = text::rsplit_once(text, "(target: ")?;
    rest.split(')').next()?.trim().parse().ok()
}

/// `N bytes stack frame, N bytes spill stores, N bytes spill loads`, with any prefix.
fn frame(text: &str) -> Option<Usage> {
    let at = text::find(text, "bytes stack frame")?;
    let tail = text[at..].split(',').skip(1).map(str::trim);
    let mut usage = Usage { stack_frame_bytes: number_before(&text[..at]), ..Usage::default() };
    for field in tail {
        match amount(field) {
            Some((bytes, "bytes spill stores")) => usage.spill_store_bytes = bytes,
            Some((bytes, "bytes spill loads")) => usage.spill_load_bytes = bytes,
            _ => {}
        }
    }
    (usage != Usage::default()).then_some(usage)
}

/// The number that `text` ends with.
fn number_before(text: &str) -> Option<u32> {
    let text = text.trim_end();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit());
    text[digits.len()..].parse().ok()
}

/// `N unit` or `N+N unit`; the number is `None` if it does not fit.
fn amount(field: &str) -> Option<(Option<u32>, &str)> {
    let unit = field.trim_start_matches(|c: char| c.is_ascii_digit() || c == '+');
    let digits = &field[..field.len() - unit.len()];
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let sum = digits.split('+').try_fold(0_u32, |sum, part| sum.checked_add(part.parse().ok()?));
    Some((sum, unit.trim()))
}

/// Units of a `Used` line; `bytes cmem` is followed by a bank.
const UNITS: [&str; 10] = [
    "registers",
    "barriers",
    "bytes cumulative stack size",
    "bytes lmem",
    "bytes smem",
    "bytes cmem[",
    "stack",
    "textures",
    "surfaces",
    "samplers",
];

/// `Used N registers, …`: fields in any order.
fn used(text: &str, marked: bool) -> Option<Usage> {
    let words = ["Used ", "used "];
    let begins = !marked || words.iter().any(|word| text.starts_with(word));
    if !begins || !text.contains(" registers") {
        return None;
    }
    let rest = words.iter().find_map(|word| after(text, word, marked))?;
    let named = rest.contains('(').then(|| rest.split_once(" (target:")).flatten();
    let rest = named.map_or(rest, |(rest, _)| rest);
    let mut usage = Usage::default();
    let (mut registers, mut shared, mut whole) = (false, false, true);
    for field in rest.split(',').map(str::trim) {
        let Some((number, unit)) = amount(field.strip_prefix("used ").unwrap_or(field)) else {
            whole &= !"used ".starts_with(field);
            continue;
        };
        match unit {
            "registers" => (registers, usage.registers) = (true, number),
            "barriers" => usage.barriers = number,
            "bytes cumulative stack size" | "stack" => usage.cumulative_stack_bytes = number,
            "bytes lmem" => usage.local_bytes = number,
            "bytes smem" => (shared, usage.static_shared_bytes) = (true, number),
            cut => whole &= !UNITS.iter().any(|known| *known != cut && known.starts_with(cut)),
        }
    }
    // A report names shared memory only where there is some, unless the line was cut off.
    if whole && !shared {
        usage.static_shared_bytes = Some(0);
    }
    registers.then_some(usage)
}
