//! One line of a log: prefixes off, cut at each tool's word.

use std::borrow::Cow;

use crate::kernel::Severity;

/// A compiler tool that speaks in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tool {
    /// The assembler.
    Ptxas,
    /// The device linker.
    Nvlink,
    /// The driver.
    Nvcc,
}

/// What one tool says in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece<'a> {
    /// Who says it; `None` where the tool's word is missing.
    pub tool: Option<Tool>,
    /// How it is graded; `None` where that word is missing.
    pub severity: Option<Severity>,
    /// The message. Without a tool's word it may still have a prefix.
    pub text: &'a str,
}

const TOOLS: [(&str, Tool); 3] = [("ptxas", Tool::Ptxas), ("nvlink", Tool::Nvlink), ("nvcc", Tool::Nvcc)];

const SEVERITIES: [(&str, Severity); 5] = [
    ("info", Severity::Info),
    ("warning", Severity::Warning),
    ("fatal error", Severity::Error),
    ("fatal", Severity::Error),
    ("error", Severity::Error),
];

/// Takes colours and HTML's escapes out.
pub(super) fn clean(line: &str) -> Cow<'_, str> {
    let line = if line.contains('\u{1b}') { Cow::Owned(without_colours(line)) } else { Cow::Borrowed(line) };
    if !line.contains('&') || !line.contains(';') {
        return line;
    }
    let text =
        [("&#39;", "'"), ("&apos;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
            .iter()
            .fold(line.into_owned(), |text, (from, to)| text.replace(from, to));
    Cow::Owned(text)
}

fn without_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.next() == Some('[') {
            chars.by_ref().find(|c| c.is_ascii_alphabetic());
        }
    }
    out
}

/// Cuts a line before each tool's word and hands the pieces out. What stands before the first one is a prefix, unless
/// there is none.
pub(super) fn pieces<'a>(line: &'a str, mut each: impl FnMut(Piece<'a>)) {
    let mut mark = next_mark(line, 0);
    let before = mark.map_or(line, |mark| &line[..mark.start]);
    each(graded(before));
    while let Some(this) = mark {
        mark = next_mark(line, this.text);
        let end = mark.map_or(line.len(), |mark| mark.start);
        let text = line[this.text..end].trim();
        each(Piece { tool: Some(this.tool), severity: Some(this.severity), text });
    }
}

#[derive(Clone, Copy)]
struct Mark {
    start: usize,
    text: usize,
    tool: Tool,
    severity: Severity,
}

/// The next tool's word that is followed by a grade and a colon.
fn next_mark(line: &str, from: usize) -> Option<Mark> {
    TOOLS.iter().filter_map(|&(word, tool)| mark_of(line, from, word, tool)).min_by_key(|mark| mark.start)
}

fn mark_of(line: &str, from: usize, word: &str, tool: Tool) -> Option<Mark> {
    let mut at = from;
    loop {
        let start = at + line[at..].find(word)?;
        at = start + word.len();
        let glued = line[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if !glued && let Some((severity, text)) = grade(&line[at..]) {
            return Some(Mark { start, text: at + text, tool, severity });
        }
    }
}

/// Reads ` info    : ` or ` FILE, line N; warning : `: the grade and where the message begins.
fn grade(rest: &str) -> Option<(Severity, usize)> {
    let body = rest.trim_start();
    if body.len() == rest.len() {
        return None;
    }
    let offset = rest.len() - body.len();
    if let Some((severity, at)) = severity_colon(body) {
        return Some((severity, offset + at));
    }
    let line_word = body.find(", line ")?;
    let after_line = line_word + ", line ".len();
    let number = body[after_line..].trim_start_matches(|c: char| c.is_ascii_digit());
    let tail = number.strip_prefix(';')?.trim_start();
    let tail = tail.strip_prefix(':').unwrap_or(tail).trim_start();
    let (severity, at) = severity_colon(tail)?;
    Some((severity, rest.len() - tail.len() + at))
}

/// A grade, white space, a colon: the grade and where the text after it begins.
fn severity_colon(text: &str) -> Option<(Severity, usize)> {
    SEVERITIES.iter().find_map(|&(word, severity)| {
        let tail = text.strip_prefix(word)?.trim_start().strip_prefix(':')?;
        Some((severity, text.len() - tail.trim_start().len()))
    })
}

/// A piece without a tool's word: its grade may still stand there.
fn graded(text: &str) -> Piece<'_> {
    let text = text.trim();
    let plain = Piece { tool: None, severity: None, text };
    let Some(colon) = text.find(':') else { return plain };
    let head = text[..colon].trim_end();
    let found = SEVERITIES.iter().find(|(word, _)| head.ends_with(word));
    found.map_or(plain, |&(_, severity)| Piece {
        tool: None,
        severity: Some(severity),
        text: text[colon + 1..].trim_start(),
    })
}
