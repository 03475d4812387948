//! The statements of a function's body.

use super::FileLine;
use crate::evidence::scan::{self, Bytes};
use crate::text;

/// What ends a statement or a line, and what may begin a comment.
const SIGNS: Bytes = Bytes::new(b";/\n");
/// What labels are made of.
const LABEL: Bytes = Bytes::WORD.and(b"$");
/// What an opcode ends at.
const OPCODE_END: Bytes = Bytes::new(b" \t\r\n(");
/// What stands between operands.
const BETWEEN: Bytes = Bytes::new(b",{}|");

/// One instruction, with where it comes from. Instructions that go on over several lines keep only what a call needs: the
/// name of its target.
#[derive(Clone, Debug, Default)]
pub(super) struct Statement<'a> {
    /// `ld.local.v4.f32`, without the predicate.
    pub(super) opcode: &'a str,
    /// Operands in order: registers, literals, symbols, addresses with their brackets. Vectors are flat. Of a call only its
    /// target.
    pub(super) operands: Vec<&'a str>,
    /// How many of the operands, from the first on, are written.
    destinations: usize,
    /// The source line, and the one that it is inlined in.
    pub(super) lines: [Option<FileLine>; 2],
}

impl<'a> Statement<'a> {
    /// Its source line and the one that it is inlined in.
    pub(super) fn places(&self) -> impl Iterator<Item = FileLine> + use<> {
        self.lines.into_iter().flatten()
    }

    /// The register (or symbol) and the offset of `[%rd1+-4]`.
    pub(super) fn address(&self) -> Option<(&'a str, i64)> {
        let inner = self.operands.iter().find_map(|operand| operand.strip_prefix('['))?;
        let inner = inner.trim_end_matches(']').trim();
        match inner.split_once('+') {
            Some((base, offset)) => Some((base.trim(), offset.trim().parse().ok()?)),
            None => Some((inner, 0)),
        }
    }

    /// Operands that are not addresses: what is stored, or what is loaded into.
    pub(super) fn registers_outside(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.operands.iter().copied().filter(|operand| operand.starts_with('%'))
    }

    /// The register that is written, where it is one.
    pub(super) fn destination(&self) -> Option<&'a str> {
        (self.destinations == 1).then(|| self.operands.first().copied()).flatten()
    }

    /// All registers that are written.
    pub(super) fn all_destinations(&self) -> &[&'a str] {
        &self.operands[..self.destinations.min(self.operands.len())]
    }

    /// The operands that are read.
    pub(super) fn sources(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.operands.iter().skip(self.destinations).copied()
    }
}

/// The instructions of a body, in order.
pub(super) fn statements(body: &str) -> Vec<Statement<'_>> {
    let mut reader = Reader::default();
    for (line, sign) in scan::lines(body, &SIGNS) {
        let line = &body[line];
        // Nearly every line is one statement, or none.
        let is_plain = sign == line.len() || line[sign..] == *";";
        let comment = if is_plain { None } else { text::find(line, "//") };
        reader.pieces(&line[..comment.unwrap_or(line.len())]);
    }
    reader.out
}

#[derive(Default)]
struct Reader<'a> {
    out: Vec<Statement<'a>>,
    /// Those of the last `.loc`.
    lines: [Option<FileLine>; 2],
    /// A call whose target has not come yet.
    open: Option<Statement<'a>>,
}

impl<'a> Reader<'a> {
    /// A line without comments.
    fn pieces(&mut self, line: &'a str) {
        let line = line.trim_ascii();
        if let Some(rest) = line.strip_prefix(".loc").filter(|rest| rest.starts_with([' ', '\t'])) {
            self.lines = places(rest);
            return;
        }
        let mut rest = line;
        while !rest.is_empty() {
            let (piece, ends) = match rest.find(';') {
                Some(at) => (&rest[..at], true),
                None => (rest, false),
            };
            self.piece(piece, ends);
            rest = rest.get(piece.len() + 1..).unwrap_or_default();
        }
    }

    /// The text up to a `;`, or to the end of a line.
    fn piece(&mut self, piece: &'a str, ends: bool) {
        let mut statement = match self.open.take() {
            Some(mut call) => {
                if call.operands.is_empty() {
                    call.operands.extend(target(piece));
                }
                call
            }
            None => match instruction(piece) {
                Some(statement) => Statement { lines: self.lines, ..statement },
                None => return,
            },
        };
        if !ends && head(statement.opcode) == "call" {
            self.open = Some(statement);
            return;
        }
        if !ends {
            // an instruction that goes on in the next line is not understood
            statement.operands.clear();
            statement.destinations = 0;
        }
        self.out.push(statement);
    }
}

/// `ld` of `ld.local.v4.f32`.
pub(super) fn head(opcode: &str) -> &str {
    let end = opcode.bytes().position(|byte| byte == b'.');
    &opcode[..end.unwrap_or(opcode.len())]
}

/// ` 1 30 5[, function_name …, inlined_at 1 9 3]`; line 0 is no place.
fn places(text: &str) -> [Option<FileLine>; 2] {
    const INLINED: &str = "inlined_at";
    let place = |text: &str| {
        let mut numbers = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(file)), Some(Ok(line @ 1..))) => Some((file, line)),
            _ => None,
        }
    };
    let inlined = text::find(text, INLINED).and_then(|at| place(&text[at + INLINED.len()..]));
    [place(text), inlined]
}

/// The text before a `;`: `{ .reg …`, `$L__BB0_2:` and `@%p1` before the instruction do not count.
fn instruction(piece: &str) -> Option<Statement<'_>> {
    let mut piece = piece.trim_ascii().trim_start_matches(['{', '}']).trim_ascii_start();
    loop {
        let end = LABEL.next_other(piece.as_bytes(), 0);
        if piece.as_bytes().get(end) != Some(&b':') {
            break;
        }
        piece = piece[end + 1..].trim_ascii_start();
    }
    if let Some(rest) = piece.strip_prefix('@') {
        piece = rest.trim_start_matches(|c: char| !c.is_whitespace()).trim_ascii_start();
    }
    if !piece.as_bytes().first().is_some_and(u8::is_ascii_lowercase) {
        return None;
    }
    let (opcode, rest) = piece.split_at(OPCODE_END.next(piece.as_bytes(), 0));
    let head = head(opcode);
    if head == "call" {
        return Some(Statement {
            opcode,
            operands: target(rest).into_iter().collect(),
            ..Statement::default()
        });
    }
    let operands = operands(rest);
    let destinations = match head {
        "st" | "red" | "bra" | "ret" | "bar" | "prefetch" | "prefetchu" | "exit" => 0,
        "ld" => operands.iter().take_while(|operand| !operand.starts_with('[')).count(),
        _ if rest.trim_ascii_start().starts_with('{') => {
            rest.split_once('}').map_or(0, |(vector, _)| self::operands(vector).len())
        }
        _ => 1.min(operands.len()),
    };
    Some(Statement { opcode, operands, destinations, lines: [None; 2] })
}

fn operands(text: &str) -> Vec<&str> {
    let mut operands = Vec::with_capacity(4);
    let mut from = 0;
    while from <= text.len() {
        let end = BETWEEN.next(text.as_bytes(), from);
        let operand = text[from..end].trim_ascii();
        if !operand.is_empty() {
            operands.push(operand);
        }
        from = end + 1;
    }
    operands
}

/// The target in `(retval0), NAME, (param0)`.
fn target(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let rest = match text.strip_prefix('(') {
        Some(returned) => returned.split_once(')').map_or("", |(_, rest)| rest),
        None => text,
    };
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    rest.split(|c: char| c.is_whitespace() || ",;(".contains(c)).next().filter(|name| !name.is_empty())
}
