//! A scan of the source around lines that use local memory: the name of the array that must be meant. Only for names and
//! drawing; where two arrays could be meant, none is.

mod declaration;
use std::ops::Range;

use crate::order::{Map, Set};
use crate::source::SourceText;

use super::locate::{blank_directives, blanked, declaration_start, identifiers};
use declaration::{Array, arrays_in};

/// A name in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Found {
    /// The name.
    pub(super) name: String,
    /// Its 1-based line.
    pub(super) line: u32,
}

/// How many lines before the first use a declaration may stand.
const LINES_BEFORE: u32 = 300;

/// Uses further apart than this are not looked at.
const MOST_LINES: u32 = 1500;

/// A longer stretch is not searched, bytes.
const LONGEST: usize = 1 << 20;

/// The most padding after an object in a depot, bytes.
const PADDING: u32 = 16;

/// The only local array of `bytes` bytes that the code on these lines can mean: declared in a scope around them, and
/// named on one of them.
pub(super) fn array(source: &SourceText, lines: &Set<u32>, bytes: u32) -> Option<Found> {
    let window = Window::new(source, lines)?;
    // the arrays by place, with how many of the lines name them
    let mut candidates: Map<usize, (Array, usize)> = Map::new();
    let mut naming = 0;
    for &line in lines {
        let Some(own) = window.line(line) else { continue };
        let words: Set<&[u8]> =
            identifiers(&window.bytes, own.clone()).map(|word| &window.bytes[word]).collect();
        let named: Vec<Array> = window
            .visible(own)
            .into_iter()
            .filter(|a| words.contains(&window.bytes[a.name.clone()]))
            .collect();
        naming += usize::from(!named.is_empty());
        for array in named {
            candidates.get_or_insert(array.name.start, (array, 0)).1 += 1;
        }
    }
    candidates.retain(|_, (array, _)| array.bytes.is_none_or(|size| (size..size + PADDING).contains(&bytes)));
    let exact = |(array, _): &&(Array, usize)| array.bytes.is_some();
    let everywhere = |(_, lines): &&(Array, usize)| *lines == naming;
    let only = only(candidates.values())
        .or_else(|| only(candidates.values().filter(exact)))
        .or_else(|| only(candidates.values().filter(everywhere)))?;
    let start = window.from + only.0.name.start;
    let name = source.text().get(start..window.from + only.0.name.end)?.to_owned();
    Some(Found { name, line: source.line_of(start) })
}

/// The only one of these words that stands on the lines, and the first line where it does.
pub(super) fn word(source: &SourceText, lines: &Set<u32>, words: &[&str]) -> Option<Found> {
    let window = Window::new(source, lines)?;
    let mut found: Map<&[u8], u32> = Map::new();
    for &line in lines {
        let Some(own) = window.line(line) else { continue };
        for word in identifiers(&window.bytes, own).map(|word| &window.bytes[word]) {
            if words.iter().any(|wanted| wanted.as_bytes() == word) {
                found.get_or_insert(word, line);
            }
        }
    }
    let (name, line) = only(found.into_iter())?;
    Some(Found { name: String::from_utf8_lossy(name).into_owned(), line })
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

/// A stretch of source without comments, strings and directives.
struct Window<'a> {
    source: &'a SourceText,
    from: usize,
    bytes: Vec<u8>,
}

/// What an opening brace opens.
enum Opened {
    Function,
    Block,
    Other,
}

impl<'a> Window<'a> {
    fn new(source: &'a SourceText, lines: &Set<u32>) -> Option<Self> {
        let (&first, &last) = (lines.first()?, lines.last()?);
        if last - first > MOST_LINES {
            return None;
        }
        let from = source.line_range(first.saturating_sub(LINES_BEFORE).max(1))?.start;
        let to = source.line_range(last)?.end;
        if to - from > LONGEST {
            return None;
        }
        let mut bytes = blanked(source.text(), from..to);
        blank_directives(&mut bytes, false);
        Some(Self { source, from, bytes })
    }

    fn line(&self, line: u32) -> Option<Range<usize>> {
        let range = self.source.line_range(line)?;
        Some(range.start.checked_sub(self.from)?..range.end - self.from)
    }

    /// The arrays that are declared on the line, and those of the scopes around it up to the function.
    fn visible(&self, line: Range<usize>) -> Vec<Array> {
        let around = self.scopes(line.start).unwrap_or_default();
        let mut found: Vec<Array> = Vec::new();
        for range in around.into_iter().chain([line]) {
            found.extend(arrays_in(&self.bytes, range));
        }
        found.dedup_by_key(|array| array.name.start);
        found
    }

    /// What stands before a place in its own scope and in those around it, up to the function's body; `None` where no
    /// function's body is found.
    fn scopes(&self, place: usize) -> Option<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        let (mut end, mut depth) = (place, 0_u32);
        for at in (0..place).rev() {
            match (self.bytes[at], depth) {
                (b'}', 0) => {
                    ranges.push(at + 1..end);
                    depth = 1;
                }
                (b'}', _) => depth += 1,
                (b'{', 1) => (depth, end) = (0, at),
                (b'{', 2..) => depth -= 1,
                (b'{', _) => {
                    ranges.push(at + 1..end);
                    end = at;
                    match self.opened(at) {
                        Opened::Function => return Some(ranges),
                        Opened::Block => {}
                        Opened::Other => return None,
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn opened(&self, brace: usize) -> Opened {
        let header = &self.bytes[declaration_start(&self.bytes, brace)..brace];
        let header = header.trim_ascii();
        let first = identifiers(header, 0..header.len()).next().map(|word| &header[word]);
        match first {
            Some(b"namespace" | b"struct" | b"class" | b"union" | b"enum" | b"extern") => Opened::Other,
            Some(b"if" | b"for" | b"while" | b"switch" | b"else" | b"do" | b"try" | b"catch") | None => {
                Opened::Block
            }
            // a lambda, an initialiser
            Some(_) if header.contains(&b']') && !header.starts_with(b"[[") || header.ends_with(b"=") => {
                Opened::Block
            }
            Some(_) if header.contains(&b'(') => Opened::Function,
            Some(_) => Opened::Block,
        }
    }
}

#[cfg(test)]
mod tests;
