//! Where a kernel's name stands behind its `__global__`.

use super::lexer::Token;
use super::macros::{Macro, Macros};

/// Words that take parentheses in front of the name, and are no name.
pub(super) const ATTRIBUTES: [&str; 9] = [
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
    /// The byte at which the parameters end; without a name, the head.
    pub(super) end: usize,
    /// A body follows: not a declaration alone.
    pub(super) defined: bool,
}

/// Reads the declaration whose `__global__` stands before `tokens`.
pub(super) fn declarator(text: &str, tokens: &[Token], macros: &Macros<'_>) -> Declarator {
    let is_code = |t: &&Token| matches!(t, Token::Word(_) | Token::Mark(..));
    let all = || tokens.iter().filter(is_code).take(LONGEST);
    let code: Vec<&Token> = all().take_while(|t| !ends(text, t, macros)).collect();
    let defined = matches!(all().nth(code.len()), Some(Token::Mark(_, b'{')));
    let name = name(text, &code, macros);
    let last = name.as_ref().map_or(code.last(), |name| code.get(name.end));
    let end = last.map_or(0, |token| match token {
        Token::Mark(at, _) => *at,
        Token::LineComment(range)
        | Token::BlockComment(range)
        | Token::Word(range)
        | Token::Define(range) => range.start,
    });
    Declarator { name: name.map(|name| name.at), end, defined }
}

/// Whether a word has capitals alone, as macros do.
pub(super) fn is_loud(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_uppercase())
        && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn ends(text: &str, token: &Token, macros: &Macros<'_>) -> bool {
    match token {
        Token::Mark(_, byte) => matches!(byte, b'{' | b';'),
        Token::Word(range) => text.get(range.clone()).is_some_and(|word| macros.is_global(word)),
        Token::LineComment(_) | Token::BlockComment(_) | Token::Define(_) => false,
    }
}

/// A word before parentheses.
struct Name {
    /// The byte at which it begins.
    at: usize,
    /// It may be a macro, with the bounds before the name or the body behind it.
    loud: bool,
    /// The index of the closing parenthesis.
    end: usize,
}

/// The last word before parentheses that is no attribute, with or without template arguments in between. Once a name was
/// found, nothing counts behind what may be a macro: that may be the body, and what follows the next declaration.
fn name(text: &str, code: &[&Token], macros: &Macros<'_>) -> Option<Name> {
    let (mut found, mut word, mut at, mut looks) = (None::<Name>, None, 0, MOST_LOOKS);
    let mut macro_since = false;
    while at < code.len() {
        match code[at] {
            Token::Word(range) => {
                let this = text.get(range.clone()).unwrap_or("");
                if found.is_some() && TRAILING.contains(&this) {
                    break;
                }
                // a loud word before parentheses is looked at there
                macro_since |= word.is_some_and(|(_, before)| is_loud(before));
                word = Some((range.start, this));
            }
            Token::Mark(_, b'<') => at = closing(code, at, [b'<', b'>'], &mut looks).unwrap_or(at),
            Token::Mark(_, b'[') => at = closing(code, at, [b'[', b']'], &mut looks).unwrap_or(at),
            Token::Mark(_, b'(') => {
                let end = closing(code, at, [b'(', b')'], &mut looks).unwrap_or(at);
                if let Some((start, this)) = word.take() {
                    let loud = is_loud(this);
                    let call = macros.get(this) == Some(Macro::Call);
                    let better = found.as_ref().is_none_or(|found| found.loud || !(loud || macro_since));
                    if !call && better && !ATTRIBUTES.contains(&this) {
                        found = Some(Name { at: start, loud, end });
                        macro_since = false;
                    } else {
                        macro_since |= call || loud;
                    }
                }
                at = end;
            }
            Token::Mark(_, b'-' | b'=') if found.is_some() => break,
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
