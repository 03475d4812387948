//! The heads of declarations in a stretch of code, read once from its begin to its end: which bounds belong to a name.

use std::ops::Range;

use super::is_word;
use crate::evidence::scan::Bytes;

/// The words that bound a kernel's registers.
const BOUNDS: [&[u8]; 2] = [b"__launch_bounds__", b"__maxnreg__"];

/// Other words that take parentheses in a head, and are no name.
const ATTRIBUTES: [&[u8]; 8] = [
    b"__cluster_dims__",
    b"__block_size__",
    b"__attribute__",
    b"__declspec",
    b"__align__",
    b"alignas",
    b"decltype",
    b"noexcept",
];

/// The bounds of one head: with two of them (in branches of an `#if`) nobody knows which count.
#[derive(Clone, Default)]
struct Bounds {
    first: Option<Range<usize>>,
    many: bool,
}

impl Bounds {
    fn add(&mut self, range: Range<usize>) {
        self.many |= self.first.is_some();
        self.first.get_or_insert(range);
    }
}

/// A name with parentheses, as a declaration has it.
pub(super) struct Named {
    pub(super) name: Range<usize>,
    bounds: Bounds,
    /// A `__global__` is before it, and no other name with parentheses since.
    pub(super) global: bool,
    /// Its head begins at the begin of a statement.
    clean: bool,
    /// A body follows.
    pub(super) defined: bool,
}

impl Named {
    /// The bounds that are surely its own.
    pub(super) fn bounds(&self) -> Option<Range<usize>> {
        let own = self.global || self.clean;
        self.bounds.first.clone().filter(|_| own && !self.bounds.many)
    }
}

/// What a line says of a kernel.
#[derive(Default)]
pub(super) struct Heads {
    /// The kernel's name with parentheses.
    pub(super) named: Vec<Named>,
    /// Names behind a `__global__` that a macro puts together: `NAME(a, b)(…)`.
    pub(super) pasted: Vec<Named>,
    /// The kernel's name otherwise.
    pub(super) mentions: Vec<Range<usize>>,
    /// Other names with parentheses, in none themselves.
    pub(super) calls: Vec<Range<usize>>,
    /// A `__global__` stands on the line.
    pub(super) global: bool,
    /// Its statements have ended: what follows would say nothing of them.
    pub(super) ended: bool,
}

/// Reads `bytes`, for what the name `base` is on the bytes of `line`. The first statement is whole if `clean`.
pub(super) fn heads(bytes: &[u8], line: Range<usize>, base: &str, clean: bool) -> Heads {
    let head = Head { clean, ..Head::default() };
    let mut reader = Reader { bytes, line, base: base.as_bytes(), head, ..Reader::default() };
    let mut at = 0;
    while at < bytes.len() {
        if is_word(bytes[at]) {
            let end = Bytes::WORD.next_other(bytes, at);
            reader.word(at..end);
            at = end;
        } else if bytes[at].is_ascii_whitespace() {
            at += 1;
        } else {
            reader.mark(at);
            if reader.is_done(at) {
                reader.heads.ended = true;
                break;
            }
            at += 1;
        }
    }
    reader.heads
}

/// What was read since the statement before.
#[derive(Default)]
struct Head {
    global: bool,
    /// A name with parentheses was read: what follows may be the next declaration, where a macro is the body.
    called: bool,
    clean: bool,
    bounds: Bounds,
}

/// Which of the names is followed.
#[derive(Clone, Copy)]
enum Name {
    Named(usize),
    Pasted(usize),
}

/// What the parentheses are about that are open, or opened next.
#[derive(Clone, Default)]
enum Group {
    #[default]
    Other,
    /// An attribute; bounds begin at this byte.
    Attribute(Option<usize>),
    /// The name behind a `__global__` that is not the one looked for.
    Call(Range<usize>),
    Parameters(Name),
}

#[derive(Default)]
struct Reader<'b> {
    bytes: &'b [u8],
    line: Range<usize>,
    base: &'b [u8],
    /// Open parentheses.
    depth: u32,
    head: Head,
    group: Group,
    next: Group,
    /// The parameters of this name were read, and only attributes since.
    behind: Option<Name>,
    /// These parentheses closed just now.
    closed: Group,
    heads: Heads,
}

impl Reader<'_> {
    /// A statement ended behind the line: what follows says nothing of its names.
    fn is_done(&self, at: usize) -> bool {
        at >= self.line.end && self.depth == 0 && matches!(self.bytes[at], b'{' | b'}' | b';')
    }

    fn word(&mut self, range: Range<usize>) {
        let word = &self.bytes[range.clone()];
        let here = self.line.contains(&range.start);
        self.closed = Group::Other;
        if word == b"__global__" {
            return self.global(here);
        }
        let named = here && word == self.base;
        if self.depth > 0 {
            if named {
                self.heads.mentions.push(range);
            }
            return;
        }
        let sign = (range.end..self.bytes.len()).find(|&at| !self.bytes[at].is_ascii_whitespace());
        let sign = sign.map_or(b' ', |at| self.bytes[at]);
        let bounds = BOUNDS.contains(&word);
        if sign == b'(' && (bounds || ATTRIBUTES.contains(&word)) {
            self.next = Group::Attribute(bounds.then_some(range.start));
            return;
        }
        self.behind = None;
        if named && matches!(sign, b'(' | b'<') {
            self.next = Group::Parameters(Name::Named(self.heads.named.len()));
            let named = self.named(range);
            self.heads.named.push(named);
        } else if named {
            self.heads.mentions.push(range);
        } else if sign == b'(' && !word[0].is_ascii_digit() {
            let own = here && self.head.global && !self.head.called;
            self.next = if own { Group::Call(range.clone()) } else { Group::Other };
            if here {
                self.heads.calls.push(range);
            }
            self.head.called |= !own;
        }
    }

    fn named(&mut self, name: Range<usize>) -> Named {
        let Head { global, called, clean, .. } = self.head;
        self.head.called = true;
        let bounds = self.head.bounds.clone();
        Named { name, bounds, global: global && !called, clean: clean && !called, defined: false }
    }

    /// Another kernel begins, unless only attributes are before.
    fn global(&mut self, here: bool) {
        if self.head.called || self.head.global {
            self.head = Head::default();
        }
        self.head.global = true;
        self.heads.global |= here;
        (self.depth, self.behind, self.next) = (0, None, Group::Other);
    }

    fn mark(&mut self, at: usize) {
        let closed = std::mem::take(&mut self.closed);
        match self.bytes[at] {
            b'(' => {
                if self.depth == 0 {
                    self.open(closed);
                }
                self.depth += 1;
            }
            b')' if self.depth == 1 => {
                self.depth = 0;
                self.close(at);
            }
            b')' => self.depth = self.depth.saturating_sub(1),
            _ if self.depth > 0 => {}
            byte @ (b'{' | b'}' | b';') => {
                match self.behind.take().filter(|_| byte == b'{') {
                    Some(Name::Named(index)) => self.heads.named[index].defined = true,
                    Some(Name::Pasted(index)) => self.heads.pasted[index].defined = true,
                    None => {}
                }
                self.head = Head { clean: true, ..Head::default() };
                self.next = Group::Other;
            }
            _ => self.behind = None,
        }
    }

    fn open(&mut self, closed: Group) {
        self.group = std::mem::take(&mut self.next);
        if let (Group::Other, Group::Call(name)) = (&self.group, closed) {
            self.group = Group::Parameters(Name::Pasted(self.heads.pasted.len()));
            // its own call counts from here
            self.head.called = false;
            let pasted = self.named(name);
            self.heads.pasted.push(pasted);
        }
    }

    fn close(&mut self, at: usize) {
        match std::mem::take(&mut self.group) {
            Group::Attribute(Some(start)) => match self.behind {
                Some(Name::Named(index)) => self.heads.named[index].bounds.add(start..at + 1),
                Some(Name::Pasted(index)) => self.heads.pasted[index].bounds.add(start..at + 1),
                None => self.head.bounds.add(start..at + 1),
            },
            Group::Attribute(None) => {}
            Group::Parameters(name) => self.behind = Some(name),
            Group::Call(name) => {
                self.head.called = true;
                self.closed = Group::Call(name);
            }
            Group::Other => self.behind = None,
        }
    }
}
