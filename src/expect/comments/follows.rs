//! What follows a comment directly.

use std::ops::Range;

use super::declarator::{ATTRIBUTES, is_loud};
use super::lexer::Token;
use super::macros::{Macro, Macros};

/// Words before parentheses that are no macro.
const KEYWORDS: [&str; 8] = ["static_assert", "asm", "__asm__", "if", "for", "while", "switch", "return"];

/// Words that may stand before a macro that makes a kernel.
const BEFORE: [&str; 3] = ["extern", "static", "inline"];

/// Other words with parentheses in a head, which are no name.
const IN_HEAD: [&str; 5] = ["requires", "sizeof", "alignof", "explicit", "noexcept"];

/// A longer list of template parameters is not passed over, pieces.
const LONGEST_TEMPLATE: usize = 256;

/// So many pieces of one head are looked at.
const LONGEST_HEAD: usize = 64;

/// What a comment is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Follows {
    /// The `__global__` that begins at this byte.
    Global(usize),
    /// A macro, at this byte, that may make kernels.
    Macro(usize),
    /// A function, its name at this byte, whose head has macros of other files: it may be a kernel.
    Perhaps(usize),
    /// Something else, from this byte to the end of its head.
    Other(Range<usize>),
    /// The end of the text.
    Nothing,
}

/// What a statement comes to first, by the index of the piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hit {
    /// A `__global__`.
    Global(usize),
    /// A macro that makes a kernel.
    Kernel(usize),
    /// A name with parentheses.
    Call(usize),
    /// The end of the statement or of its head.
    Stop(usize),
    End,
}

#[derive(Clone, Copy)]
enum Piece<'t> {
    Word(&'t str),
    Mark(u8),
}

/// The code of a text in pieces.
pub(super) struct Code<'t> {
    macros: &'t Macros<'t>,
    pieces: Vec<(usize, Piece<'t>)>,
    /// For each piece the one behind it, or behind what it opens.
    next: Vec<usize>,
    hits: Vec<Hit>,
    line_of: &'t dyn Fn(usize) -> u32,
}

impl<'t> Code<'t> {
    pub(super) fn new(
        text: &'t str,
        tokens: &[Token],
        macros: &'t Macros<'t>,
        line_of: &'t dyn Fn(usize) -> u32,
    ) -> Self {
        let piece = |token: &Token| match token {
            Token::Word(range) => Some((range.start, Piece::Word(text.get(range.clone()).unwrap_or("")))),
            Token::Mark(at, byte) => Some((*at, Piece::Mark(*byte))),
            Token::LineComment(_) | Token::BlockComment(_) | Token::Define(_) => None,
        };
        let pieces: Vec<_> = tokens.iter().filter_map(piece).collect();
        let next = nexts(&pieces);
        let mut code = Self { macros, pieces, next, hits: Vec::new(), line_of };
        code.hits = code.hits();
        code
    }

    fn mark(&self, index: usize) -> Option<u8> {
        match self.pieces.get(index) {
            Some((_, Piece::Mark(byte))) => Some(*byte),
            _ => None,
        }
    }

    fn word(&self, index: usize) -> Option<&'t str> {
        match self.pieces.get(index) {
            Some((_, Piece::Word(word))) => Some(word),
            _ => None,
        }
    }

    fn at(&self, index: usize) -> Option<usize> {
        self.pieces.get(index).map(|(at, _)| *at)
    }

    fn line(&self, index: usize) -> Option<u32> {
        self.at(index).map(self.line_of)
    }

    /// For each piece what a statement that begins there comes to; from the last to the first.
    fn hits(&self) -> Vec<Hit> {
        let scopes = scopes(&self.pieces);
        let mut hits = vec![Hit::End; self.pieces.len() + 1];
        for index in (0..self.pieces.len()).rev() {
            let on = hits.get(self.next[index]).copied().unwrap_or(Hit::End);
            hits[index] = match self.pieces[index].1 {
                Piece::Word(word) => self.hit(index, word).unwrap_or(on),
                Piece::Mark(b'{') if scopes[index] => on,
                Piece::Mark(b'{' | b'}' | b';') => Hit::Stop(index),
                Piece::Mark(_) => on,
            };
        }
        hits
    }

    fn hit(&self, index: usize, word: &str) -> Option<Hit> {
        let known = self.macros.get(word);
        if self.macros.is_global(word) {
            return Some(Hit::Global(index));
        }
        if known == Some(Macro::Kernel) {
            return Some(Hit::Kernel(index));
        }
        let named = self.mark(index + 1) == Some(b'(')
            && known.is_none()
            && !ATTRIBUTES.contains(&word)
            && !IN_HEAD.contains(&word);
        named.then_some(Hit::Call(index))
    }

    /// What follows the byte `at`.
    pub(super) fn after(&self, at: usize) -> Follows {
        let start = self.pieces.partition_point(|(piece, _)| *piece < at);
        let mut from = start;
        for _ in 0..LONGEST_HEAD {
            let call = match self.hits.get(from).copied().unwrap_or(Hit::End) {
                Hit::Global(index) if !self.is_device(start, index) => {
                    return self.found(index, Follows::Global);
                }
                Hit::Kernel(index) if !self.is_device(start, index) => {
                    return self.found(index, Follows::Macro);
                }
                Hit::Call(index) if !self.is_device(start, index) => index,
                Hit::End if start >= self.pieces.len() => return Follows::Nothing,
                _ if self.is_call_of_known(start) => return self.found(start, Follows::Macro),
                _ => return self.other(start),
            };
            let first =
                (start..call).all(|index| self.word(index).is_some_and(|word| BEFORE.contains(&word)));
            let keyword = self.word(call).is_none_or(|word| KEYWORDS.contains(&word));
            let behind = self.next.get(call + 1).copied().unwrap_or(self.pieces.len());
            let goes_on = self.line(behind).is_some_and(|line| self.line(behind - 1) == Some(line));
            let ends = matches!(self.mark(behind), Some(b'{' | b'}' | b';'));
            if goes_on && !ends && self.word(call).is_some_and(is_loud) {
                // an attribute from a macro
                from = behind;
            } else if first && !keyword && (ends || !goes_on) {
                return self.found(call, Follows::Macro);
            } else if !keyword && self.has_macro(start, call) {
                return self.found(call, Follows::Perhaps);
            } else {
                break;
            }
        }
        self.other(start)
    }

    fn found(&self, index: usize, what: impl Fn(usize) -> Follows) -> Follows {
        self.at(index).map_or(Follows::Nothing, what)
    }

    /// A macro of this text with parentheses, and no kernel behind it: it may make one through another file's.
    fn is_call_of_known(&self, index: usize) -> bool {
        self.word(index).is_some_and(|word| self.macros.get(word) == Some(Macro::Call))
            && self.mark(index + 1) == Some(b'(')
    }

    fn words(&self, from: usize, to: usize) -> impl Iterator<Item = &'t str> {
        (from..to).take(LONGEST_HEAD).filter_map(|index| self.word(index))
    }

    fn is_device(&self, from: usize, to: usize) -> bool {
        self.words(from, to).any(|word| matches!(word, "__device__" | "__host__"))
    }

    fn has_macro(&self, from: usize, to: usize) -> bool {
        self.words(from, to).any(|word| is_loud(word) && self.macros.get(word).is_none())
    }

    fn other(&self, start: usize) -> Follows {
        let Some(at) = self.at(start) else { return Follows::Nothing };
        let end = match self.hits[start] {
            Hit::Stop(index) if index == start => Some(at + 1),
            Hit::Stop(index) | Hit::Global(index) | Hit::Kernel(index) => self.at(index),
            Hit::Call(index) => {
                self.next.get(index + 1).and_then(|&behind| Some(self.at(behind.max(1) - 1)? + 1))
            }
            Hit::End => self.pieces.last().map(|(at, _)| *at + 1),
        };
        Follows::Other(at..end.unwrap_or(at + 1))
    }
}

/// For each piece the one behind it; for brackets that are closed, and the parameters of a template, what is behind.
fn nexts(pieces: &[(usize, Piece<'_>)]) -> Vec<usize> {
    let mut next: Vec<usize> = (1..=pieces.len()).collect();
    let (mut round, mut square) = (Vec::new(), Vec::new());
    for (index, (_, piece)) in pieces.iter().enumerate() {
        match piece {
            Piece::Mark(b'(') => round.push(index),
            Piece::Mark(b'[') => square.push(index),
            Piece::Mark(b')') => drop(round.pop().map(|start| next[start] = index + 1)),
            Piece::Mark(b']') => drop(square.pop().map(|start| next[start] = index + 1)),
            _ => {}
        }
    }
    for index in 0..pieces.len() {
        if matches!(pieces[index].1, Piece::Word("template")) {
            next[index] = behind_angles(pieces, &next, index + 1).unwrap_or(index + 1);
        }
    }
    next
}

/// Behind the angle bracket that closes the one at `open`.
fn behind_angles(pieces: &[(usize, Piece<'_>)], next: &[usize], open: usize) -> Option<usize> {
    let (mut index, mut depth) = (open, 0_usize);
    for _ in 0..LONGEST_TEMPLATE {
        match pieces.get(index)?.1 {
            Piece::Mark(b'<') => depth += 1,
            Piece::Mark(b'>') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return (index > open).then_some(index + 1);
        }
        index = if matches!(pieces[index].1, Piece::Mark(b'(')) { next[index] } else { index + 1 };
    }
    None
}

/// Which braces open a namespace or `extern "C"`: what follows them is no less the next declaration.
fn scopes(pieces: &[(usize, Piece<'_>)]) -> Vec<bool> {
    let (mut scope, mut before) = (false, "");
    let mut opens = Vec::with_capacity(pieces.len());
    for (_, piece) in pieces {
        opens.push(matches!(piece, Piece::Mark(b'{')) && (scope || before == "extern"));
        match piece {
            Piece::Word(word) => {
                scope |= *word == "namespace";
                before = word;
            }
            Piece::Mark(b':' | b'[' | b']') => {}
            Piece::Mark(_) => (scope, before) = (false, ""),
        }
    }
    opens
}
