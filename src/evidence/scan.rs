//! Looking for bytes in PTX, sources and names: a table tells which, so that each byte costs a look.

use std::ops::Range;

/// Which bytes are meant.
#[derive(Clone)]
pub(crate) struct Bytes([bool; 256]);

/// How many bytes are looked at together.
const TOGETHER: usize = 8;

impl Bytes {
    /// What identifiers are made of.
    pub(super) const WORD: Self =
        Self::new(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

    /// The table of these bytes. Those of ASCII are boundaries of characters.
    pub(crate) const fn new(which: &[u8]) -> Self {
        Self([false; 256]).and(which)
    }

    /// These bytes too.
    pub(super) const fn and(mut self, which: &[u8]) -> Self {
        let mut at = 0;
        while at < which.len() {
            self.0[which[at] as usize] = true;
            at += 1;
        }
        self
    }

    /// All other bytes.
    #[cfg(feature = "experiment")]
    pub(crate) const fn others(mut self) -> Self {
        let mut byte = 0;
        while byte < self.0.len() {
            self.0[byte] = !self.0[byte];
            byte += 1;
        }
        self
    }

    /// All bytes beyond ASCII too.
    pub(super) const fn and_beyond_ascii(mut self) -> Self {
        let mut byte = 0x80;
        while byte < self.0.len() {
            self.0[byte] = true;
            byte += 1;
        }
        self
    }

    /// Whether a byte is one of them.
    pub(super) const fn has(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }

    /// Adds a byte.
    pub(super) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte)] = true;
    }

    /// Where from `from` on the first of them is; the length where none is.
    pub(crate) fn next(&self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        while let Some(some) = bytes.get(at..).and_then(<[u8]>::first_chunk::<TOGETHER>)
            && !some.iter().fold(false, |found, &byte| found | self.has(byte))
        {
            at += TOGETHER;
        }
        while bytes.get(at).is_some_and(|&byte| !self.has(byte)) {
            at += 1;
        }
        at.min(bytes.len())
    }

    /// Where from `from` on the first byte is that is none of them; the length where none is.
    pub(super) fn next_other(&self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        while bytes.get(at).is_some_and(|&byte| self.has(byte)) {
            at += 1;
        }
        at.min(bytes.len())
    }
}

/// The lines of a text, without their ends, each with where in it the first of `signs` is: its length where none is. Line breaks
/// are among the signs, so that each byte of most lines is looked at once.
pub(super) fn lines<'a>(text: &'a str, signs: &'a Bytes) -> impl Iterator<Item = (Range<usize>, usize)> + 'a {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let sign = signs.next(text.as_bytes(), start);
        let end = match text.as_bytes().get(sign) {
            Some(b'\n') | None => sign,
            Some(_) => line_end(text, sign + 1),
        };
        let line = (start..end, sign - start);
        start = end + 1;
        Some(line)
    })
}

/// Where the line that `from` is in ends.
fn line_end(text: &str, from: usize) -> usize {
    // Most statements are the last of their line.
    if text.as_bytes().get(from) == Some(&b'\n') {
        return from;
    }
    text.get(from..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| from + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_search_by_characters_finds(text in "[;ab\nü]{0,40}", from in 0..40_usize) {
            const ENDS: Bytes = Bytes::new(b";\n");
            const BEYOND: Bytes = Bytes::new(b"").and_beyond_ascii();
            let from = from.min(text.len());
            prop_assume!(text.is_char_boundary(from));
            let found = |ours: &dyn Fn(char) -> bool| text[from..].find(ours).map_or(text.len(), |at| from + at);
            prop_assert_eq!(ENDS.next(text.as_bytes(), from), found(&|c| c == ';' || c == '\n'));
            prop_assert_eq!(ENDS.next_other(text.as_bytes(), from), found(&|c| c != ';' && c != '\n'));
            prop_assert_eq!(BEYOND.next(text.as_bytes(), from), found(&|c| !c.is_ascii()));
            prop_assert_eq!(line_end(&text, from), found(&|c| c == '\n'));
            let ours: Vec<_> = lines(&text, &ENDS).map(|(line, sign)| (text[line].to_owned(), sign)).collect();
            let theirs = text.split_terminator('\n').map(|line| (line.to_owned(), line.find(';').unwrap_or(line.len())));
            prop_assert_eq!(ours, theirs.collect::<Vec<_>>());
        }
    }
}
