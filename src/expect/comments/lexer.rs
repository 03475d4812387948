//! The few things of C++ that binding a comment to a kernel needs: comments, words and brackets of real code.

use std::ops::Range;

/// A piece of a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// `// …`, without the line's end.
    LineComment(Range<usize>),
    /// `/* … */`.
    BlockComment(Range<usize>),
    /// A name or keyword.
    Word(Range<usize>),
    /// Any other character of code; literals and numbers are left out.
    Mark(usize, u8),
    /// What a `#define` defines: from the macro's name on, up to a `//`.
    Define(Range<usize>),
}

/// The comments and code of a text; string literals and preprocessor directives hold neither.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    lexed(text, true)
}

/// The same of a text without directives: what a macro stands for.
pub(super) fn code(text: &str) -> Vec<Token> {
    lexed(text, false)
}

fn lexed(text: &str, directives: bool) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut lexer = Lexer { bytes, at: 0, line_is_blank: true, directives, out: Vec::new() };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    lexer.out
}

struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
    /// No code stands on this line yet: a `#` begins a directive.
    line_is_blank: bool,
    /// Whether there are any.
    directives: bool,
    out: Vec<Token>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        let start = self.at;
        let first = self.peek(0);
        match first {
            b'\n' => self.line_is_blank = true,
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
            b'/' if self.peek(1) == b'/' => return self.line_comment(),
            b'/' if self.peek(1) == b'*' => return self.block_comment(),
            b'#' if self.line_is_blank && self.directives => return self.directive(),
            b'"' | b'\'' => self.literal(first),
            b'0'..=b'9' => self.number(),
            _ if is_word(first) => return self.word(),
            _ => self.out.push(Token::Mark(start, first)),
        }
        if !matches!(first, b'\n' | b' ' | b'\t' | b'\r' | 0x0b | 0x0c) {
            self.line_is_blank = false;
        }
        if self.at == start {
            self.at += 1;
        }
    }

    /// The end of this line, or of the last line that a backslash joins to it.
    fn joined_line_end(&self) -> usize {
        let mut at = self.at;
        while let Some(next) = self.bytes[at..].iter().position(|&b| b == b'\n').map(|n| at + n) {
            let line = self.bytes[..next].strip_suffix(b"\r").unwrap_or(&self.bytes[..next]);
            if !line.ends_with(b"\\") {
                return next;
            }
            at = next + 1;
        }
        self.bytes.len()
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let end =
            self.bytes[start..].iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |n| start + n);
        self.at = self.joined_line_end();
        let end = if self.bytes[..end].ends_with(b"\r") { end - 1 } else { end };
        self.out.push(Token::LineComment(start..end));
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let inside = &self.bytes[start + 2..];
        let end = inside.windows(2).position(|pair| pair == b"*/").map(|n| start + 2 + n + 2);
        self.at = end.unwrap_or(self.bytes.len());
        self.out.push(Token::BlockComment(start..self.at));
    }

    /// Skips a directive with its joined lines, but not the comments in it.
    fn directive(&mut self) {
        let define = self.defined();
        let mut end = self.joined_line_end();
        while self.at < end {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'/') => {
                    self.line_is_blank = false;
                    end = self.at;
                }
                (b'/', b'*') => {
                    self.block_comment();
                    end = self.joined_line_end();
                }
                (quote @ (b'"' | b'\''), _) => self.literal(quote),
                _ => self.at += 1,
            }
        }
        self.at = end;
        self.out.extend(define.filter(|start| *start <= end).map(|start| Token::Define(start..end)));
    }

    /// Where the name of the macro stands that this directive defines.
    fn defined(&self) -> Option<usize> {
        let rest = self.bytes.get(self.at + 1..)?.trim_ascii_start().strip_prefix(b"define")?;
        let name = rest.trim_ascii_start();
        (name.len() < rest.len()).then(|| self.bytes.len() - name.len())
    }

    /// Skips a string or character; an unfinished one ends with its line.
    fn literal(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\n' => return,
                b'\\' => {
                    let long = self.peek(1) == b'\r' && self.peek(2) == b'\n';
                    self.at = (self.at + if long { 3 } else { 2 }).min(self.bytes.len());
                }
                b => {
                    self.at += 1;
                    if b == quote {
                        return;
                    }
                }
            }
        }
    }

    /// Skips a number with its digit separators: `1'000'000`.
    fn number(&mut self) {
        while is_word(self.peek(0))
            || self.peek(0) == b'.'
            || (self.peek(0) == b'\'' && is_word(self.peek(1)))
        {
            self.at += 1;
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        self.line_is_blank = false;
        let word = &self.bytes[start..self.at];
        if self.peek(0) == b'"' && matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") {
            return self.raw_string();
        }
        self.out.push(Token::Word(start..self.at));
    }

    /// Skips `"delimiter( … )delimiter"`.
    fn raw_string(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let Some(open) = rest.iter().take(17).position(|&b| b == b'(') else { return self.literal(b'"') };
        let closing = [b")", &rest[..open], b"\""].concat();
        let body = &rest[open + 1..];
        let end = body.windows(closing.len()).position(|window| window == closing);
        self.at = end.map_or(self.bytes.len(), |n| self.at + 1 + open + 1 + n + closing.len());
    }
}

/// Letters, digits, `_`, and every byte of a character outside ASCII.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
