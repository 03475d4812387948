//! Source texts: what spans and labels point into.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One source file's text with an index of its lines.
///
/// `name` is the path shown to people: relative to the workspace root, with forward slashes.
#[derive(Clone, PartialEq, Eq)]
pub struct SourceText {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl SourceText {
    /// Indexes `text`. Lines end at `\n`; a `\r` before it belongs to the line's end.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let text = text.into();
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Arc::new(Self { name: name.into(), text, line_starts: starts })
    }

    /// The path shown to people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many lines the text has (a final newline begins an empty one).
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.line_starts.len()).unwrap_or(u32::MAX)
    }

    /// The byte range of a 1-based line without its line ending; `None` past the end.
    pub fn line_range(&self, line: u32) -> Option<Range<usize>> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let start = *self.line_starts.get(index)?;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |next| next - 1);
        let end = if self.text[start..end].ends_with('\r') { end - 1 } else { end };
        Some(start..end)
    }

    /// The text of a 1-based line without its line ending.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.line_range(line).map(|range| &self.text[range])
    }

    /// The 1-based line of a byte offset.
    pub fn line_of(&self, offset: usize) -> u32 {
        let lines = self.line_starts.partition_point(|&start| start <= offset);
        u32::try_from(lines).unwrap_or(u32::MAX)
    }

    /// The 1-based line and 1-based column (in characters) of a byte offset.
    pub fn line_column(&self, offset: usize) -> (u32, u32) {
        let index = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let before = self.text.get(self.line_starts[index]..offset).unwrap_or("");
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (clip(index + 1), clip(before.chars().count() + 1))
    }
}

impl fmt::Debug for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceText({:?}, {} bytes)", self.name, self.text.len())
    }
}

/// A byte range in a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The text it points into.
    pub source: Arc<SourceText>,
    /// The bytes.
    pub range: Range<usize>,
}

impl Span {
    /// The 1-based line where the span begins.
    pub fn line(&self) -> u32 {
        self.source.line_of(self.range.start)
    }
}
