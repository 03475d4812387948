//! One line of a log: prefixes off, cut at each tool's word.

use std::borrow::Cow;

use crate::kernel::Severity;

/// A compiler tool that speaks in the log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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

/// The next tool's word that is followed by a grade and a colon. Colons are few: each is looked at from behind.
fn next_mark(line: &str, from: usize) -> Option<Mark> {
    let rest = &line[from..];
    let mut words = Words { text: rest, last: [None; TOOLS.len()], seen: [0; TOOLS.len()] };
    rest.match_indices(':').find_map(|(at, _)| {
        let head = rest[..at].trim_end();
        let (head, severity) = graded_end(head)?;
        let (start, tool) = tool_end(head).or_else(|| tool_and_file(head, &mut words))?;
        Some(Mark { start: from + start, text: from + at + 1, tool, severity })
    })
}

/// The last place of each tool's word before a place; asked for places in ascending order, it reads the text once.
struct Words<'a> {
    text: &'a str,
    last: [Option<usize>; TOOLS.len()],
    seen: [usize; TOOLS.len()],
}

impl Words<'_> {
    fn last(&mut self, index: usize, end: usize) -> Option<usize> {
        let word = TOOLS[index].0;
        let seen = &mut self.seen[index];
        while let Some(at) = self.text.get(*seen..end).and_then(|text| text.find(word)) {
            self.last[index] = Some(*seen + at);
            *seen += at + word.len();
        }
        // a word may have begun just before the end
        *seen = (*seen).max((end + 1).saturating_sub(word.len()));
        while !self.text.is_char_boundary(*seen) {
            *seen -= 1;
        }
        self.last[index]
    }
}

/// Takes a grade off the end; white space must stand before it.
fn graded_end(head: &str) -> Option<(&str, Severity)> {
    let (rest, severity) =
        SEVERITIES.iter().find_map(|&(word, severity)| Some((head.strip_suffix(word)?, severity)))?;
    let tool = rest.trim_end();
    (tool.len() < rest.len()).then_some((tool, severity))
}

/// A tool's word at the end: where it begins.
fn tool_end(head: &str) -> Option<(usize, Tool)> {
    TOOLS.iter().find_map(|&(word, tool)| {
        let rest = head.strip_suffix(word)?;
        let glued = rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        (!glued).then_some((rest.len(), tool))
    })
}

/// `ptxas FILE, line N;` at the end, perhaps with a colon.
fn tool_and_file(head: &str, words: &mut Words<'_>) -> Option<(usize, Tool)> {
    let head = head.strip_suffix(':').unwrap_or(head).trim_end().strip_suffix(';')?;
    let head = head.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix(", line ")?;
    TOOLS
        .iter()
        .enumerate()
        .filter_map(|(index, &(word, tool))| {
            let start = words.last(index, head.len())?;
            let (before, after) = (&head[..start], &head[start + word.len()..]);
            let glued = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            (!glued && after.starts_with([' ', '\t'])).then_some((start, tool))
        })
        .min()
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
