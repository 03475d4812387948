//! Where a kernel's name stands behind its `__global__`.

use super::lexer::Token;

/// Words that take parentheses in front of the name, and are no name.
const ATTRIBUTES: [&str; 9] = [
    "__launch_bounds__",
    "__cluster_dims__",
    "__block_size__",
    "__maxnreg__",
    "__attribute__",
    "__declspec",
    "__align__",
    "alignas",
    "decltype",
];

/// Words behind the parameters.
const TRAILING: [&str; 2] = ["noexcept", "requires"];

/// A longer head is none: garbage must not cost time.
const LONGEST: usize = 2_000;

/// How many tokens are looked at for closing brackets in one head: each once, but that some do not close.
const MOST_LOOKS: usize = 4 * LONGEST;

/// What stands between a `__global__` and the body or the `;`.
pub(super) struct Declarator {
    /// The byte at which the name begins; `None` where no name was found.
    pub(super) name: Option<usize>,
    /// The byte at which the declaration's head ends.
    pub(super) end: usize,
    /// A body follows: not a declaration alone.
    pub(super) defined: bool,
}

/// Reads the declaration whose `__global__` stands before `tokens`.
pub(super) fn declarator(text: &str, tokens: &[Token]) -> Declarator {
    let is_code = |t: &&Token| matches!(t, Token::Word(_) | Token::Mark(..));
    let all = || tokens.iter().filter(is_code).take(LONGEST);
    let code: Vec<&Token> = all().take_while(|t| !ends(text, t)).collect();
    let defined = matches!(all().nth(code.len()), Some(Token::Mark(_, b'{')));
    let end = code.last().map_or(0, |token| match token {
        Token::Mark(at, _) => *at,
        Token::LineComment(range) | Token::BlockComment(range) | Token::Word(range) => range.start,
    });
    Declarator { name: name(text, &code), end, defined }
}

fn ends(text: &str, token: &Token) -> bool {
    match token {
        Token::Mark(_, byte) => matches!(byte, b'{' | b';'),
        Token::Word(range) => text.get(range.clone()) == Some("__global__"),
        Token::LineComment(_) | Token::BlockComment(_) => false,
    }
}

/// The last word before parentheses that is no attribute, with or without template arguments in between.
fn name(text: &str, code: &[&Token]) -> Option<usize> {
    let (mut found, mut word, mut at, mut looks) = (None, None, 0, MOST_LOOKS);
    while at < code.len() {
        match code[at] {
            Token::Word(range) => {
                let this = text.get(range.clone()).unwrap_or("");
                if found.is_some() && TRAILING.contains(&this) {
                    break;
                }
                word = Some((range.start, this));
            }
            Token::Mark(_, b'<') => at = closing(code, at, [b'<', b'>'], &mut looks).unwrap_or(at),
            Token::Mark(_, b'(') => {
                if let Some((start, this)) = word.take() {
                    found = if ATTRIBUTES.contains(&this) { found } else { Some(start) };
                }
                at = closing(code, at, [b'(', b')'], &mut looks).unwrap_or(at);
            }
            Token::Mark(_, b'-') if found.is_some() => break,
            _ => word = None,
        }
        at += 1;
    }
    found
}

/// The index of the bracket that closes the one at `from`; parentheses within `<…>` are skipped whole. `None` also where
/// that takes more than the `looks` that are left.
fn closing(code: &[&Token], from: usize, [open, close]: [u8; 2], looks: &mut usize) -> Option<usize> {
    let (mut depth, mut round) = (0_usize, 0_usize);
    for (index, token) in code.iter().enumerate().skip(from) {
        *looks = looks.checked_sub(1)?;
        let Token::Mark(_, byte) = token else { continue };
        if open != b'(' {
            match byte {
                b'(' => round += 1,
                b')' => round = round.checked_sub(1)?,
                _ => {}
            }
        }
        if round > 0 {
            continue;
        }
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(index);
            }
        }
    }
    None
}
