//! The statements of a function's body.

use super::FileLine;

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
pub(super) fn statements<'a>(body: &'a str) -> Vec<Statement<'a>> {
    let mut out = Vec::new();
    let mut lines = [None; 2];
    // a call whose target has not come yet
    let mut open: Option<Statement<'a>> = None;
    for line in body.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        if let Some(rest) = line.strip_prefix(".loc").filter(|rest| rest.starts_with([' ', '\t'])) {
            lines = places(rest);
            continue;
        }
        for piece in line.split_inclusive(';') {
            let (piece, ends) = match piece.strip_suffix(';') {
                Some(piece) => (piece, true),
                None => (piece, false),
            };
            let mut statement = match open.take() {
                Some(mut call) => {
                    if call.operands.is_empty() {
                        call.operands.extend(target(piece));
                    }
                    call
                }
                None => match instruction(piece) {
                    Some(statement) => Statement { lines, ..statement },
                    None => continue,
                },
            };
            let call = statement.opcode.split('.').next() == Some("call");
            if !ends && call {
                open = Some(statement);
            } else {
                if !ends {
                    // an instruction that goes on in the next line is not understood
                    statement.operands.clear();
                    statement.destinations = 0;
                }
                out.push(statement);
            }
        }
    }
    out
}

/// ` 1 30 5[, function_name …, inlined_at 1 9 3]`; line 0 is no place.
fn places(text: &str) -> [Option<FileLine>; 2] {
    let place = |text: &str| {
        let mut numbers = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(file)), Some(Ok(line @ 1..))) => Some((file, line)),
            _ => None,
        }
    };
    let inlined = text.split_once("inlined_at").and_then(|(_, rest)| place(rest));
    [place(text), inlined]
}

/// The text before a `;`: `{ .reg …`, `$L__BB0_2:` and `@%p1` before the instruction do not count.
fn instruction(piece: &str) -> Option<Statement<'_>> {
    let mut piece = piece.trim().trim_start_matches(['{', '}']).trim_start();
    while let Some((label, rest)) = piece.split_once(':') {
        if !label.chars().all(|c| c.is_ascii_alphanumeric() || "_$".contains(c)) {
            break;
        }
        piece = rest.trim_start();
    }
    if let Some(rest) = piece.strip_prefix('@') {
        piece = rest.trim_start_matches(|c: char| !c.is_whitespace()).trim_start();
    }
    if !piece.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let end = piece.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(piece.len());
    let (opcode, rest) = piece.split_at(end);
    let head = opcode.split('.').next().unwrap_or("");
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
        _ if rest.trim_start().starts_with('{') => {
            rest.split_once('}').map_or(0, |(vector, _)| self::operands(vector).len())
        }
        _ => 1.min(operands.len()),
    };
    Some(Statement { opcode, operands, destinations, lines: [None; 2] })
}

fn operands(text: &str) -> Vec<&str> {
    text.split([',', '{', '}', '|']).map(str::trim).filter(|operand| !operand.is_empty()).collect()
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
