//! A pass over the lines of a PTX module.

use std::ops::Range;

use super::{Ptx, PtxFunction, header};
use crate::evidence::scan::{self, Bytes};
use crate::order::Set;

/// What ends a stretch of a line, or the line.
const SIGNS: Bytes = Bytes::new(b"{};\"/\n");

/// What the names in a statement are made of.
const PARTS: Bytes = Bytes::WORD.and(b"$%.");

/// What was read so far, and where in the module the next line stands.
#[derive(Default)]
pub(super) struct Reader {
    /// The module.
    pub(super) ptx: Ptx,
    /// For each of its functions the bytes of the lines of its body.
    pub(super) bodies: Vec<Range<usize>>,
    /// The bytes of the line that is read.
    line: Range<usize>,
    place: Place,
    /// Inside a `/* … */`.
    in_comment: bool,
    /// The names of `extern .shared` variables.
    shared: Set<String>,
    /// What the names of variables in shared memory begin with; `None` without any.
    initials: Option<Bytes>,
    /// The text of a header or of a call that goes on in the next line.
    pending: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// Between functions; braces of initialisers and sections are counted.
    #[default]
    Module,
    /// In braces between functions.
    Data(u32),
    /// In the header of a function.
    Header,
    /// In a body, so many braces deep.
    Body(u32),
    /// In a call of a body.
    Call(u32),
}

impl Reader {
    /// Reads a module.
    pub(super) fn text(&mut self, text: &str) {
        for (line, sign) in scan::lines(text, &SIGNS) {
            self.line = line.start..(line.end + 1).min(text.len());
            self.read(&text[line], sign);
        }
    }

    /// Reads one line, without its end; `sign`: where the first of [`SIGNS`] is.
    fn read(&mut self, line: &str, sign: usize) {
        if !self.in_comment && self.place == Place::Module && line.trim_ascii_start().starts_with(".file") {
            self.file(line.trim_ascii());
            return;
        }
        if self.in_comment {
            self.pieces(line.trim_ascii());
        } else if sign == line.len() {
            self.piece(line);
        } else if line[sign..].trim_ascii_end() == ";" {
            self.piece(&line[..sign]);
            self.sign(b';');
        } else {
            self.pieces(line.trim_ascii());
        }
        self.line_end();
    }

    /// A line with comments, strings, braces or several statements.
    fn pieces(&mut self, line: &str) {
        let text = self.without_comments(line);
        let mut rest = text.as_ref();
        let mut quoted = false;
        while let Some(at) = rest.find(['{', '}', ';', '"']).filter(|_| !rest.is_empty()) {
            let sign = rest.as_bytes()[at];
            if sign == b'"' {
                // A string: what stands in it opens and closes nothing.
                quoted = true;
                let end = rest[at + 1..].find('"').map_or(rest.len(), |end| at + end + 2);
                rest = &rest[end..];
                continue;
            }
            self.piece(if quoted { "" } else { &rest[..at] });
            quoted = false;
            self.sign(sign);
            rest = &rest[at + 1..];
        }
        if !quoted {
            self.piece(rest);
        }
    }

    fn without_comments<'a>(&mut self, line: &'a str) -> std::borrow::Cow<'a, str> {
        if !self.in_comment && !line.contains('/') {
            return line.into();
        }
        let mut out = String::new();
        let mut rest = line;
        loop {
            if self.in_comment {
                let Some(end) = rest.find("*/") else { return out.into() };
                self.in_comment = false;
                rest = &rest[end + 2..];
            }
            let Some(start) = comment(rest) else {
                out.push_str(rest);
                return out.into();
            };
            out.push_str(&rest[..start]);
            out.push(' ');
            if rest[start..].starts_with("//") {
                return out.into();
            }
            self.in_comment = true;
            rest = &rest[start + 2..];
        }
    }

    /// A stretch without braces and semicolons.
    fn piece(&mut self, piece: &str) {
        let piece = piece.trim_ascii();
        if piece.is_empty() {
            return;
        }
        match self.place {
            Place::Module if header::begins(piece) => {
                self.place = Place::Header;
                self.pending = piece.to_owned();
            }
            Place::Module => self.module_level(piece),
            Place::Header | Place::Call(_) => {
                self.pending.push(' ');
                self.pending.push_str(piece);
            }
            Place::Body(depth) => self.body(piece, depth),
            Place::Data(_) => {}
        }
    }

    fn sign(&mut self, sign: u8) {
        self.place = match (self.place, sign) {
            (Place::Header, b'{') => self.function(),
            (Place::Header, _) => Place::Module,
            (Place::Call(depth), b';') => {
                self.call();
                Place::Body(depth)
            }
            (Place::Module, b'{') => Place::Data(1),
            (Place::Data(depth), b'{') => Place::Data(depth.saturating_add(1)),
            (Place::Data(1), b'}') => Place::Module,
            (Place::Body(1), b'}') => {
                if let Some(body) = self.bodies.last_mut() {
                    body.end = self.line.end;
                }
                Place::Module
            }
            (Place::Data(depth), b'}') => Place::Data(depth - 1),
            (Place::Body(depth) | Place::Call(depth), b'{') => Place::Body(depth.saturating_add(1)),
            (Place::Body(depth), b'}') => Place::Body(depth - 1),
            // A call that never ended.
            (Place::Call(depth), _) => {
                if depth == 1 {
                    Place::Module
                } else {
                    Place::Body(depth - 1)
                }
            }
            (place, _) => place,
        };
    }

    /// The braces of a body open.
    fn function(&mut self) -> Place {
        match header::read(&std::mem::take(&mut self.pending)) {
            Some(function) => {
                self.ptx.functions.push(function);
                self.bodies.push(self.line.start..usize::MAX);
                Place::Body(1)
            }
            None => Place::Data(1),
        }
    }

    /// `.loc` and `.file` end with their line; nothing else does.
    fn line_end(&mut self) {
        if matches!(self.place, Place::Header | Place::Call(_)) {
            self.pending.push(' ');
        }
    }

    fn module_level(&mut self, piece: &str) {
        if let Some(rest) = piece.strip_prefix(".target") {
            self.ptx.target = rest.split(',').next().and_then(|arch| arch.trim().parse().ok());
        } else if piece.starts_with(".extern") || piece.starts_with(".shared") {
            self.extern_shared(piece);
            if piece.starts_with(".shared")
                && let Some((name, bytes)) = header::variable(piece)
            {
                self.shared_variable(name);
                self.ptx.shared.insert(name.to_owned(), bytes);
            }
        }
    }

    /// `.extern .shared .align 16 .b8 NAME[]`.
    fn extern_shared(&mut self, piece: &str) {
        let mut words = piece.split_whitespace();
        if words.next() != Some(".extern") || words.next() != Some(".shared") {
            return;
        }
        let name = words.last().and_then(|word| word.split('[').next()).filter(|name| !name.is_empty());
        if let Some(name) = name {
            self.shared_variable(name);
            self.shared.insert(name.to_owned());
        }
    }

    /// `.file 1 "path"`, perhaps with time and size.
    fn file(&mut self, line: &str) {
        let rest = line.trim_start_matches(".file").trim_start();
        let Some((number, rest)) = rest.split_once('"') else { return };
        let Some((path, _)) = rest.rsplit_once('"') else { return };
        if let Ok(number) = number.trim().parse() {
            self.ptx.files.push((number, unescaped(path)));
        }
    }

    /// One statement (or its first line) of a body.
    fn body(&mut self, piece: &str, depth: u32) {
        let Some(function) = self.ptx.functions.last_mut() else { return };
        let instruction = without_predicate(piece);
        match instruction.as_bytes()[..] {
            [b'.', b'l', b'o', b'c', b' ' | b'\t', ..] => location(function, &instruction[4..]),
            [b'.', b'l', b'o', b'c', b'a', b'l', ..] => depot(function, instruction),
            [b'.', b'e', b'x', b't', ..] => self.extern_shared(instruction),
            [b'.', b's', b'h', b'a', b'r', b'e', b'd', ..] => {
                let bytes = header::variable(instruction).map_or(0, |(_, bytes)| bytes);
                function.shared_bytes = function.shared_bytes.saturating_add(bytes);
            }
            [b'c', b'a', b'l', b'l', b'.' | b' ' | b'\t' | b'(', ..] | [b'c', b'a', b'l', b'l'] => {
                instruction.clone_into(&mut self.pending);
                self.place = Place::Call(depth);
            }
            [b'a', b'l', b'l', b'o', b'c', b'a', b'.', ..] => function.alloca = true,
            [b's', b'e', b't', b'm', b'a', b'x', b'n', b'r', b'e', b'g', ..] => function.setmaxnreg = true,
            _ => self.refer(instruction),
        }
    }

    /// A variable in shared memory was declared.
    fn shared_variable(&mut self, name: &str) {
        const NONE: Bytes = Bytes::new(b"");
        // Only these begin a name.
        let initial = name.bytes().next().filter(|&byte| byte.is_ascii_alphabetic() || b"_$".contains(&byte));
        if let Some(initial) = initial {
            self.initials.get_or_insert(NONE).add(initial);
        }
    }

    /// Which shared memory of the module an instruction refers to.
    fn refer(&mut self, instruction: &str) {
        let (Some(initials), Some(function)) = (&self.initials, self.ptx.functions.last_mut()) else {
            return;
        };
        let mut at = 0;
        loop {
            let start = initials.next(instruction.as_bytes(), at);
            if start == instruction.len() {
                return;
            }
            at = start + 1;
            let begins = start.checked_sub(1).is_none_or(|before| !PARTS.has(instruction.as_bytes()[before]));
            if begins {
                at = PARTS.next_other(instruction.as_bytes(), at);
                let symbol = &instruction[start..at];
                function.dynamic_shared |= self.shared.contains(symbol);
                if self.ptx.shared.contains_key(symbol) && !function.shared_names.contains(symbol) {
                    function.shared_names.insert(symbol.to_owned());
                }
            }
        }
    }

    /// A whole call: `call.uni (ret), NAME, (params), prototype`.
    fn call(&mut self) {
        let text = std::mem::take(&mut self.pending);
        self.refer(&text);
        let Some(function) = self.ptx.functions.last_mut() else { return };
        let rest = text.trim_start_matches(|c: char| !c.is_whitespace() && c != '(').trim_start();
        let rest = match rest.strip_prefix('(') {
            Some(returned) => returned.split_once(')').map_or("", |(_, rest)| rest),
            None => rest,
        };
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let target = rest.split(|c: char| c.is_whitespace() || ",;(".contains(c)).next().unwrap_or("");
        if target.starts_with('%') {
            function.indirect_call = true;
        } else if !target.is_empty() {
            function.calls.push(target.to_owned());
        }
    }
}

/// Where a comment begins, outside strings.
fn comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut quoted = false;
    (0..bytes.len()).find(|&at| {
        quoted ^= bytes[at] == b'"';
        !quoted && bytes[at] == b'/' && matches!(bytes.get(at + 1), Some(b'/' | b'*'))
    })
}

/// `@%p1 call …` without the predicate.
fn without_predicate(piece: &str) -> &str {
    match piece.strip_prefix('@') {
        Some(rest) => rest.trim_start_matches(|c: char| !c.is_whitespace()).trim_start(),
        None => piece,
    }
}

/// ` 1 30 0[, function_name …, inlined_at …]`.
fn location(function: &mut PtxFunction, text: &str) {
    if function.location.is_some() || text.contains("inlined_at") {
        return;
    }
    let mut numbers = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let mut number = || numbers.next().and_then(|word| word.parse::<u32>().ok());
    if let (Some(file), Some(line @ 1..)) = (number(), number()) {
        function.location = Some((file, line));
    }
}

/// `.local .align 4 .b8 __local_depot0[28]`.
fn depot(function: &mut PtxFunction, text: &str) {
    let bytes = text
        .split_once("__local_depot")
        .and_then(|(_, rest)| rest.split_once('[')?.1.split(']').next()?.trim().parse().ok());
    function.local_depot_bytes = function.local_depot_bytes.max(bytes.unwrap_or(0));
}

/// nvcc writes bytes beyond ASCII, quotes and backslashes with a backslash.
fn unescaped(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let octal = bytes.get(at + 1..at + 4).and_then(|digits| {
            let text = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(text, 8).ok()
        });
        let (byte, length) = match (bytes[at], octal, bytes.get(at + 1)) {
            (b'\\', Some(byte), _) => (byte, 4),
            (b'\\', None, Some(&escaped)) => (escaped, 2),
            (byte, _, _) => (byte, 1),
        };
        out.push(byte);
        at += length;
    }
    String::from_utf8_lossy(&out).into_owned()
}
