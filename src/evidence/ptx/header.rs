//! The text of a function before its body: linkage, name, parameters, directives.

use crate::kernel::Bounds;

use super::PtxFunction;

/// Reads `.visible .entry NAME(…) .maxntid 256, 1, 1 …`; `None` without a name.
pub(super) fn read(text: &str) -> Option<PtxFunction> {
    let (entry, rest) = match keyword(text, ".entry") {
        Some(rest) => (true, rest),
        None => (false, keyword(text, ".func")?),
    };
    let rest = rest.trim_start();
    let rest =
        if rest.starts_with('(') { after_parentheses(rest).trim_start() } else { skip_directives(rest) };
    let end = rest.find(|c: char| c.is_whitespace() || "(){};,".contains(c)).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let rest = rest.trim_start();
    let directives = if rest.starts_with('(') { after_parentheses(rest) } else { rest };
    let function =
        PtxFunction { name: name.to_owned(), entry, bounds: bounds(directives), ..PtxFunction::default() };
    (!name.is_empty()).then_some(function)
}

/// Whether a piece of text at module level begins a function.
pub(super) fn begins(piece: &str) -> bool {
    piece
        .split_whitespace()
        .take_while(|word| word.starts_with('.'))
        .any(|word| word.starts_with(".entry") || word.starts_with(".func"))
}

/// The text after `word`, which must end there.
fn keyword<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let at = text.find(word)?;
    let rest = &text[at + word.len()..];
    rest.starts_with(|c: char| c.is_whitespace() || c == '(').then_some(rest)
}

/// `.func .attribute(…) NAME`: attributes before the name.
fn skip_directives(mut rest: &str) -> &str {
    while rest.starts_with('.') {
        let end = rest.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(rest.len());
        rest = rest[end..].trim_start();
        if rest.starts_with('(') {
            rest = after_parentheses(rest).trim_start();
        }
    }
    rest
}

fn after_parentheses(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth <= 1 => return &text[at + 1..],
            b')' => depth -= 1,
            _ => {}
        }
    }
    ""
}

fn bounds(text: &str) -> Bounds {
    let mut bounds = Bounds::default();
    let mut rest = text;
    while let Some(at) = rest.find('.') {
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        rest = tail;
        match word {
            "maxntid" => bounds.max_threads = dimensions(tail),
            "reqntid" => bounds.required_threads = dimensions(tail),
            "minnctapersm" => bounds.min_blocks = numbers(tail).next().flatten(),
            "maxnreg" => bounds.max_registers = numbers(tail).next().flatten(),
            "maxclusterrank" => bounds.max_cluster_rank = numbers(tail).next().flatten(),
            "reqnctapercluster" => bounds.required_cluster = dimensions(tail),
            _ => {}
        }
    }
    bounds
}

/// One to three numbers; missing dimensions are 1.
fn dimensions(text: &str) -> Option<[u32; 3]> {
    let mut numbers = numbers(text);
    let first = numbers.next()??;
    Some([first, numbers.next().unwrap_or(Some(1))?, numbers.next().unwrap_or(Some(1))?])
}

/// The comma-separated numbers that `text` begins with; `None` for one that does not fit.
fn numbers(text: &str) -> impl Iterator<Item = Option<u32>> {
    let end = text.find(['.', '{', ';']).unwrap_or(text.len());
    text[..end]
        .split(',')
        .map(str::trim)
        .take_while(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(|word| match word.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => word.trim_end_matches('U').parse().ok(),
        })
}

/// The name and the bytes of a variable: `.shared .align 4 .b8 NAME[200]`, `.shared .f64 NAME`; `None` for one without a
/// size.
pub(super) fn variable(text: &str) -> Option<(&str, u32)> {
    let words = || text.split_whitespace();
    let vector =
        if words().any(|word| word == ".v4") { 4 } else { 1 + u32::from(words().any(|word| word == ".v2")) };
    let bits = words().rev().find_map(|word| word.strip_prefix(".")?.get(1..)?.parse::<u32>().ok())?;
    let declarator = words().last()?;
    let (name, mut dimensions) = declarator.split_once('[').unwrap_or((declarator, ""));
    let mut bytes = (bits / 8).checked_mul(vector)?;
    while let Some((dimension, rest)) = dimensions.split_once(']') {
        bytes = bytes.checked_mul(dimension.trim().parse().ok()?)?;
        dimensions = rest.strip_prefix('[').unwrap_or("");
    }
    (!name.is_empty() && !name.starts_with('.')).then_some((name, bytes))
}
