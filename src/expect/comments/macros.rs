//! What the macros that a text defines do for its kernels.

use std::ops::Range;

use super::declarator::{ATTRIBUTES, declarator};
use super::lexer::{Token, code};
use crate::order::Map;

/// What stands in place of a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Macro {
    /// A `__global__` without its kernel's name, which follows.
    Global,
    /// A kernel with its name.
    Kernel,
    /// Parentheses follow its name, and it surely makes no kernel.
    Call,
}

/// The macros of a text, by name.
#[derive(Default)]
pub(super) struct Macros<'t> {
    known: Map<&'t str, Macro>,
}

impl<'t> Macros<'t> {
    /// Reads the definitions among `tokens`, each with those before it.
    pub(super) fn new(text: &'t str, tokens: &[Token]) -> Self {
        let mut macros = Self::default();
        for token in tokens {
            let Token::Define(range) = token else { continue };
            if let Some((name, found)) = text.get(range.clone()).and_then(|text| macros.read(text)) {
                let known = macros.known.get_or_insert(name, found);
                // defined twice, in branches: it may make a kernel
                *known = if *known == Macro::Call { found } else { *known };
            }
        }
        macros
    }

    pub(super) fn get(&self, word: &str) -> Option<Macro> {
        self.known.get(word).copied()
    }

    /// Whether the word begins a kernel's head.
    pub(super) fn is_global(&self, word: &str) -> bool {
        word == "__global__" || self.get(word) == Some(Macro::Global)
    }

    fn read(&self, definition: &'t str) -> Option<(&'t str, Macro)> {
        let name = super::word(definition);
        let rest = definition.get(name.len()..).filter(|_| !name.is_empty())?;
        let call = rest.starts_with('(');
        let body = if call { rest.split_once(')')?.1 } else { rest };
        let tokens = code(body);
        let text = |range: &Range<usize>| body.get(range.clone()).unwrap_or("");
        for (index, token) in tokens.iter().enumerate() {
            let Token::Word(range) = token else { continue };
            if self.get(text(range)) == Some(Macro::Kernel) {
                return Some((name, Macro::Kernel));
            }
            if self.is_global(text(range)) {
                let named = declarator(body, &tokens[index + 1..], self).name.is_some();
                return Some((name, if named { Macro::Kernel } else { Macro::Global }));
            }
        }
        (call && !self.calls_others(body, &tokens)).then_some((name, Macro::Call))
    }

    /// Whether a macro of another file may stand in the body, and so a kernel; not in a kernel's own body.
    fn calls_others(&self, body: &str, tokens: &[Token]) -> bool {
        let other = |pair: &[Token]| match pair {
            [Token::Word(range), Token::Mark(_, b'(')] => {
                let word = body.get(range.clone()).unwrap_or("");
                self.get(word).is_none() && !ATTRIBUTES.contains(&word)
            }
            _ => false,
        };
        !matches!(tokens.first(), Some(Token::Mark(_, b'{'))) && tokens.windows(2).any(other)
    }
}
