//! Which comments are ours, and which kernel each is about.

use std::ops::Range;
use std::sync::Arc;

use crate::expect::comments::{grammar, mask};
use crate::expect::{Rule, RuleOrigin, Selector};
use crate::source::{SourceText, Span};

/// A comment that cannot be used, at its place.
#[derive(Clone, PartialEq, Debug)]
pub struct CommentError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do.
    pub help: Option<String>,
}

/// A comment applies to the next kernel within this many lines.
const REACH_LINES: u32 = 10;

/// Words with parentheses that can stand between `__global__` and a kernel's name.
const NOT_NAMES: &[&str] = &[
    "__launch_bounds__",
    "__maxnreg__",
    "__cluster_dims__",
    "__block_size__",
    "__attribute__",
    "__declspec",
    "alignas",
    "decltype",
    "noexcept",
    "requires",
    "typename",
    "explicit",
];

/// Reads the comments of one source file. Each becomes a rule with a place selector: the line of the name of the next
/// `__global__` within ten lines.
///
/// The rules and all mistakes are returned together.
pub fn comments(source: &Arc<SourceText>) -> (Vec<Rule>, Vec<CommentError>) {
    if !source.text().contains("occlint:") {
        return (Vec::new(), Vec::new());
    }
    let (masked, line_comments) = mask::mask(source.text());
    let (mut rules, mut errors) = (Vec::new(), Vec::new());
    for comment in line_comments {
        let Some(body) = ours(source.text(), &comment) else { continue };
        let mut reading = grammar::read(source, body.clone());
        let span = Span { source: Arc::clone(source), range: comment.start - 2..comment.end };
        let Some(line) = kernel_line(source, &masked, comment.end) else {
            let help =
                "write it above the kernel; kernels that a macro makes are named in Cargo.toml".to_owned();
            let message = format!("no `__global__` follows this comment within {REACH_LINES} lines");
            errors.append(&mut reading.errors);
            errors.push(CommentError { message, span, help: Some(help) });
            continue;
        };
        if reading.errors.is_empty() {
            let place = Some((source.name().to_owned(), line));
            let selector = Selector { place, ..Selector::default() };
            let (target, waivers) = (reading.target, reading.waivers);
            rules.push(Rule { selector, origin: RuleOrigin::Comment, target, waivers, span });
        }
        errors.append(&mut reading.errors);
    }
    (rules, errors)
}

/// The bytes after `occlint:` where a comment begins with it.
fn ours(text: &str, comment: &Range<usize>) -> Option<Range<usize>> {
    let words = &text[comment.clone()];
    let rest = words.trim_start_matches(['/', '!', '<']).trim_start().strip_prefix("occlint:")?;
    Some(comment.end - rest.len()..comment.end)
}

/// The line of the name of the next kernel.
fn kernel_line(source: &SourceText, masked: &str, from: usize) -> Option<u32> {
    let global = from + masked[from..].find("__global__")?;
    let near = source.line_column(global).0 <= source.line_column(from).0 + REACH_LINES;
    let name = name_after(masked, global + "__global__".len())?;
    near.then(|| source.line_column(name).0)
}

/// Where the kernel's name begins: the identifier before the parameters.
fn name_after(masked: &str, from: usize) -> Option<usize> {
    let bytes = masked.as_bytes();
    let (mut at, mut last): (usize, Option<Range<usize>>) = (from, None);
    while at < bytes.len() {
        match bytes[at] {
            b'(' => {
                let name = last.clone()?;
                if !NOT_NAMES.contains(&&masked[name.clone()]) {
                    return Some(name.start);
                }
                at = balanced(bytes, at, b'(', b')')?;
            }
            b'<' => at = balanced(bytes, at, b'<', b'>')?,
            b';' | b'{' | b'}' => return None,
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let length =
                    bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                last = Some(at..at + length);
                at += length;
            }
            _ => at += 1,
        }
    }
    None
}

fn balanced(bytes: &[u8], from: usize, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, &byte) in bytes[from..].iter().enumerate() {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(from + offset + 1);
            }
        }
    }
    None
}
