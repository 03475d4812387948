//! Declarations of local arrays.

use std::ops::Range;

/// A declared array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Array {
    /// The bytes of its name.
    pub(super) name: Range<usize>,
    /// Its size, where its type and its dimensions are plain.
    pub(super) bytes: Option<u32>,
}

/// The arrays that statements in `range` declare.
pub(super) fn arrays_in(bytes: &[u8], range: Range<usize>) -> Vec<Array> {
    let mut found = Vec::new();
    let mut start = range.start;
    for at in range.clone() {
        if b";{}".contains(&bytes[at]) {
            statement(bytes, start..at, &mut found);
            start = at + 1;
        }
    }
    statement(bytes, start..range.end, &mut found);
    found
}

#[derive(Clone, PartialEq, Eq)]
enum Token {
    Word(Range<usize>),
    Sign(u8),
}

/// Words that may stand before the type.
const QUALIFIERS: [&[u8]; 5] = [b"const", b"volatile", b"constexpr", b"alignas", b"__align__"];

/// Words that begin no declaration of a local array, or of one that lies elsewhere.
const OTHERS: [&[u8]; 16] = [
    b"static",
    b"extern",
    b"__shared__",
    b"__constant__",
    b"__device__",
    b"__managed__",
    b"typedef",
    b"using",
    b"return",
    b"else",
    b"case",
    b"goto",
    b"new",
    b"delete",
    b"throw",
    b"template",
];

/// Words that types of the language are made of.
const BASIC: [&[u8]; 9] =
    [b"unsigned", b"signed", b"long", b"short", b"int", b"char", b"float", b"double", b"bool"];

fn statement(bytes: &[u8], range: Range<usize>, found: &mut Vec<Array>) {
    let tokens = tokens(bytes, range);
    let mut rest = tokens.as_slice();
    let word = |token: Option<&Token>| match token {
        Some(Token::Word(range)) => Some(&bytes[range.clone()]),
        _ => None,
    };
    while word(rest.first()).is_some_and(|word| QUALIFIERS.contains(&word)) {
        rest = &rest[1..];
        if rest.first() == Some(&Token::Sign(b'(')) {
            rest = after_closing(rest, b'(', b')');
        }
    }
    let mut kind: Vec<&[u8]> = Vec::new();
    match word(rest.first()) {
        Some(first) if OTHERS.contains(&first) || first[0].is_ascii_digit() => return,
        Some(first) if BASIC.contains(&first) => {
            while let Some(next) = word(rest.first()).filter(|word| BASIC.contains(word)) {
                kind.push(next);
                rest = &rest[1..];
            }
        }
        Some(_) => {
            while let Some(name) = word(rest.first()) {
                kind = vec![name];
                rest = &rest[1..];
                if !rest.starts_with(&[Token::Sign(b':'), Token::Sign(b':')]) {
                    break;
                }
                rest = &rest[2..];
            }
            if rest.first() == Some(&Token::Sign(b'<')) {
                rest = after_closing(rest, b'<', b'>');
                kind.clear();
            }
        }
        None => return,
    }
    let element = element_bytes(&kind);
    declarators(bytes, rest, element, found);
}

/// `a[4], *b[2] = …, c`.
fn declarators(bytes: &[u8], mut rest: &[Token], element: Option<u32>, found: &mut Vec<Array>) {
    loop {
        let mut element = element;
        while let Some(Token::Sign(b'*')) = rest.first() {
            element = Some(8);
            rest = &rest[1..];
        }
        let Some(Token::Word(name)) = rest.first() else { return };
        rest = &rest[1..];
        let mut size = element;
        let is_array = rest.first() == Some(&Token::Sign(b'['));
        while rest.first() == Some(&Token::Sign(b'[')) {
            let dimension = match rest.get(1..3) {
                Some([Token::Word(number), Token::Sign(b']')]) => literal(&bytes[number.clone()]),
                _ => None,
            };
            size = size.zip(dimension).and_then(|(size, dimension)| size.checked_mul(dimension));
            rest = after_closing(rest, b'[', b']');
        }
        if is_array {
            found.push(Array { name: name.clone(), bytes: size });
        }
        let mut depth = 0_i32;
        let next = rest.iter().position(|token| {
            match token {
                Token::Sign(b'(' | b'[') => depth += 1,
                Token::Sign(b')' | b']') => depth -= 1,
                _ => {}
            }
            depth == 0 && *token == Token::Sign(b',')
        });
        match next {
            Some(comma) => rest = &rest[comma + 1..],
            None => return,
        }
    }
}

/// What follows the bracket that closes the one at the beginning.
fn after_closing(tokens: &[Token], open: u8, close: u8) -> &[Token] {
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign(sign) if *sign == open => depth += 1,
            Token::Sign(sign) if *sign == close && depth <= 1 => return &tokens[at + 1..],
            Token::Sign(sign) if *sign == close => depth -= 1,
            _ => {}
        }
    }
    &[]
}

fn tokens(bytes: &[u8], range: Range<usize>) -> Vec<Token> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut out = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let byte = bytes[at];
        if is_word(byte) {
            let end = (at..range.end).find(|&i| !is_word(bytes[i])).unwrap_or(range.end);
            out.push(Token::Word(at..end));
            at = end;
        } else {
            if !byte.is_ascii_whitespace() {
                out.push(Token::Sign(byte));
            }
            at += 1;
        }
    }
    out
}

fn literal(word: &[u8]) -> Option<u32> {
    let word = std::str::from_utf8(word).ok()?.trim_end_matches(['u', 'U', 'l', 'L']);
    match word.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
}

fn element_bytes(kind: &[&[u8]]) -> Option<u32> {
    let has = |word: &[u8]| kind.contains(&word);
    if kind.len() > 1 || kind.first().is_some_and(|word| BASIC.contains(word)) {
        return Some(match () {
            () if has(b"double") || has(b"long") => 8,
            () if has(b"char") || has(b"bool") => 1,
            () if has(b"short") => 2,
            () => 4,
        });
    }
    match *kind.first()? {
        b"int8_t" | b"uint8_t" => Some(1),
        b"half" | b"__half" | b"__nv_bfloat16" | b"int16_t" | b"uint16_t" | b"char2" | b"uchar2" => Some(2),
        b"int32_t" | b"uint32_t" | b"uint" | b"half2" | b"__half2" | b"__nv_bfloat162" | b"char4"
        | b"uchar4" | b"short2" | b"ushort2" => Some(4),
        b"int64_t" | b"uint64_t" | b"size_t" | b"float2" | b"int2" | b"uint2" | b"short4" | b"ushort4" => {
            Some(8)
        }
        b"float3" | b"int3" | b"uint3" => Some(12),
        b"float4" | b"int4" | b"uint4" | b"double2" => Some(16),
        _ => None,
    }
}
