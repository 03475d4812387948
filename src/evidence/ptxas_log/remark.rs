//! Warnings, errors and advisories: their wordings.

use crate::kernel::{Remark, RemarkKind, Severity, Usage};
use crate::text;

use super::line::{Piece, Tool};

/// A remark as read from one line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Said {
    /// What it is.
    pub remark: Remark,
    /// The function it names, as printed.
    pub function: Option<String>,
    /// Figures in the wording itself.
    pub usage: Usage,
}

/// What a wording says: its kind, the function it names, figures in it.
struct Meaning<'a> {
    kind: RemarkKind,
    function: Option<&'a str>,
    usage: Usage,
}

impl<'a> Meaning<'a> {
    fn new(kind: RemarkKind, function: Option<&'a str>) -> Self {
        Self { kind, function, usage: Usage::default() }
    }
}

/// Reads a remark. An unknown wording is one only if a tool graded it warning or error.
pub(super) fn classify(piece: Piece<'_>) -> Option<Said> {
    let (text, graded) = (piece.text, piece.severity);
    let meaning = bounds(text).or_else(|| caps(text)).or_else(|| memory(text)).or_else(|| advisory(text));
    let (meaning, severity) = match meaning {
        Some(meaning) => {
            let usual = if is_info(&meaning.kind) { Severity::Info } else { Severity::Warning };
            (meaning, graded.unwrap_or(usual))
        }
        None => (other(piece)?, graded.unwrap_or(Severity::Error)),
    };
    Some(Said {
        remark: Remark { kind: meaning.kind, severity, text: text.to_owned() },
        function: meaning.function.filter(|name| !name.is_empty()).map(str::to_owned),
        usage: meaning.usage,
    })
}

const fn is_info(kind: &RemarkKind) -> bool {
    matches!(
        kind,
        RemarkKind::Advisory { .. } | RemarkKind::SetmaxnregIgnored { .. } | RemarkKind::CapOverridden { .. }
    )
}

/// Bounds that were ignored, stacks without a bound.
fn bounds(text: &str) -> Option<Meaning<'_>> {
    if let Some(rest) = text.strip_prefix("Value of ") {
        let (_, rest) = rest.split_once(" for entry ")?;
        let (name, tail) = rest.rsplit_once(" is out of range")?;
        let ignored = tail.contains("minnctapersm") && tail.contains("ignored");
        let kind = RemarkKind::MinBlocksIgnored { with_threads: tail.contains("maxntid") };
        return Some(Meaning::new(if ignored { kind } else { RemarkKind::Other }, Some(unquoted(name))));
    }
    let rest = text.strip_prefix("Stack size for entry function '")?;
    let (name, _) = rest.rsplit_once("' cannot be statically determined")?;
    Some(Meaning::new(RemarkKind::StackUnknown, Some(name)))
}

/// Register caps: overridden, too big, raised, smaller than a callee needs.
fn caps(text: &str) -> Option<Meaning<'_>> {
    if let Some(rest) = text.strip_prefix("Overriding maximum register limit ") {
        let (from, rest) = rest.split_once(" for '")?;
        let (name, rest) = rest.rsplit_once("' with ")?;
        let (to, by) = rest.trim_start().split_once(" of ")?;
        return overridden(from, to, by, Some(name));
    }
    if let Some(rest) = text.strip_prefix("Overriding global maxrregcount ") {
        let (from, rest) = rest.split_once(" with entry-specific value ")?;
        let (to, by) = rest.trim_start().split_once(' ')?;
        return overridden(from, to, by.strip_prefix("of ").unwrap_or(by), None);
    }
    if let Some(rest) = text.strip_prefix("Too big maxrregcount value specified ") {
        return Some(Meaning::new(RemarkKind::CapTooBig(leading(rest)?), None));
    }
    if let Some(rest) = text.strip_prefix("For ") {
        let (name, rest) = rest.split_once(" adjusting per thread register count of ")?;
        let (from, to) = rest.split_once(" to lower bound of ")?;
        let name = name.split_once(' ').map_or(name, |(_, name)| name);
        let kind = RemarkKind::CapRaised { from: leading(from)?, to: leading(to)? };
        return Some(Meaning::new(kind, Some(unquoted(name))));
    }
    let rest = entry_function(text)?;
    let (name, rest) = rest.split_once("' with max regcount of ")?;
    let (cap, rest) = rest.split_once(" calls function '")?;
    let (callee, needs) = rest.rsplit_once("' with regcount of ")?;
    let (cap, needs) = (leading(cap)?, leading(needs)?);
    let kind = RemarkKind::CalleeNeedsRegisters { cap, callee: callee.to_owned(), needs };
    Some(Meaning::new(kind, Some(name)))
}

fn overridden<'a>(from: &str, to: &str, by: &str, function: Option<&'a str>) -> Option<Meaning<'a>> {
    let (from, to) = (leading(from)?, leading(to)?);
    Some(Meaning::new(RemarkKind::CapOverridden { from, to, by: by.trim().to_owned() }, function))
}

/// Shared and local memory.
fn memory(text: &str) -> Option<Meaning<'_>> {
    if let Some(rest) = text.strip_prefix("Registers are spilled to local memory in function '") {
        let (name, rest) = rest.rsplit_once("',")?;
        let (stores, loads) = rest.split_once(" bytes spill stores,")?;
        let usage = Usage {
            spill_store_bytes: leading(stores),
            spill_load_bytes: loads.strip_suffix(" bytes spill loads").and_then(leading),
            ..Usage::default()
        };
        return Some(Meaning { kind: RemarkKind::Other, function: Some(name), usage });
    }
    if let Some(rest) = text.strip_prefix("Local memory used for function '") {
        let (name, rest) = rest.rsplit_once("', size of stack frame: ")?;
        let stack_frame_bytes = rest.strip_suffix(" bytes").and_then(leading);
        let usage = Usage { stack_frame_bytes, ..Usage::default() };
        return Some(Meaning { kind: RemarkKind::Other, function: Some(name), usage });
    }
    let rest = entry_function(text)?;
    let (name, rest) = rest.rsplit_once("' uses too much shared data (")?;
    let (used, rest) = rest.split_once(" bytes, ")?;
    let kind =
        RemarkKind::TooMuchShared { used_bytes: size(used)?, max_bytes: size(rest.split_once(" max")?.0)? };
    Some(Meaning::new(kind, Some(name)))
}

/// `(C75xx) …`, and `setmaxnreg` ignored.
fn advisory(text: &str) -> Option<Meaning<'_>> {
    let (code, body) = match text.strip_prefix("(C").and_then(|rest| rest.split_once(')')) {
        Some((code, body)) => (Some(code.parse::<u32>().ok()?), body.trim_start()),
        None => (None, text),
    };
    let loss = body.strip_prefix("Potential Performance Loss:");
    let setmaxnreg = loss.unwrap_or(body).trim_start().strip_prefix("'setmaxnreg' ignored").is_some();
    if setmaxnreg {
        return Some(Meaning::new(RemarkKind::SetmaxnregIgnored { code }, in_function(body)));
    }
    let advice = loss.is_some() || code.is_some_and(|code| (7500..7600).contains(&code));
    if !advice {
        return None;
    }
    let ptx_line = body.rsplit_once("line ").and_then(|(_, rest)| leading(rest));
    Some(Meaning::new(RemarkKind::Advisory { code: code.unwrap_or(0), ptx_line }, in_function(body)))
}

/// Anything else that a tool graded warning or error, and the front end's `FILE(LINE): error: …`.
fn other(piece: Piece<'_>) -> Option<Meaning<'_>> {
    let Piece { tool, severity, text } = piece;
    let graded =
        matches!(tool, Some(Tool::Ptxas | Tool::Nvlink | Tool::Nvcc)) && severity > Some(Severity::Info);
    if graded {
        let function = entry_function(text).and_then(|rest| rest.split_once('\'')).map(|(name, _)| name);
        return Some(Meaning::new(RemarkKind::Other, function.or_else(|| in_function(text))));
    }
    let (_, line) = text[..text::find(text, "): error: ")?].rsplit_once('(')?;
    let front_end = tool.is_none() && !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
    front_end.then(|| Meaning::new(RemarkKind::Other, None))
}

/// The rest after `Entry function '`; nvlink begins it in lower case.
fn entry_function(text: &str) -> Option<&str> {
    text.strip_prefix("Entry function '").or_else(|| text.strip_prefix("entry function '"))
}

/// The name after `in function '` or `in the function '`.
fn in_function(text: &str) -> Option<&str> {
    let rest = ["in function '", "in the function '"]
        .iter()
        .find_map(|words| text.find(words).map(|at| &text[at + words.len()..]))?;
    rest.rsplit_once('\'').map(|(name, _)| name)
}

/// The number that `text` begins with, after white space.
fn leading(text: &str) -> Option<u32> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// A size, hexadecimal with `0x` or decimal.
fn size(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn unquoted(name: &str) -> &str {
    name.strip_prefix('\'').and_then(|name| name.strip_suffix('\'')).unwrap_or(name)
}
