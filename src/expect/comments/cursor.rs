//! A cursor over a comment's text that knows where it is in the file.

use std::ops::Range;

/// What is left to read.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    /// Over these bytes of a text.
    pub(super) fn new(text: &'a str, range: Range<usize>) -> Self {
        Self { text, at: range.start, end: range.end }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.end - self.rest().trim_start().len();
    }

    /// Takes a character if it is next.
    pub(super) fn take(&mut self, c: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// Takes what `accept` holds for; its range, empty if nothing.
    pub(super) fn take_while(&mut self, accept: impl Fn(char) -> bool) -> Range<usize> {
        self.skip_blanks();
        let start = self.at;
        let length = self.rest().find(|c| !accept(c)).unwrap_or(self.rest().len());
        self.at += length;
        start..self.at
    }

    /// Takes a string in double quotes, `\"` and `\\` within it: its range and its text.
    pub(super) fn take_string(&mut self) -> Option<(Range<usize>, String)> {
        self.skip_blanks();
        let start = self.at;
        let mut chars = self.rest().char_indices();
        if chars.next()?.1 != '"' {
            return None;
        }
        let mut value = String::new();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + at + 1;
                    return Some((start..self.at, value));
                }
                '\\' => value.push(chars.next()?.1),
                c => value.push(c),
            }
        }
        None
    }
}
