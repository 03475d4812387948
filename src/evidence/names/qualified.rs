//! A demangled name without return type, template arguments and parameters.

use crate::evidence::scan::Bytes;

/// `ns::softmax` of `void ns::softmax<float, 4>(float*, int)`. A name that is not understood stays as it is.
pub(super) fn qualified(text: &str) -> String {
    if text.starts_with('<') {
        return text.to_owned();
    }
    let mut scan = Scan { rest: text, out: String::new() };
    while scan.step() {}
    let out = scan.out.trim_end();
    if out.is_empty() { text.to_owned() } else { out.to_owned() }
}

/// Operators of symbols alone.
const SYMBOLS: [&str; 33] = [
    "<=>", "->*", "<<=", ">>=", "<<", ">>", "<=", ">=", "->", "==", "!=", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "&&", "||", "++", "--", "<", ">", "=", "!", "+", "-", "*", "/", "%", "~",
];

/// Identifiers and what joins them.
const SCOPED: Bytes = Bytes::WORD.and(b":");

struct Scan<'a> {
    rest: &'a str,
    out: String,
}

impl Scan<'_> {
    /// Takes one piece of the name; false at its end.
    fn step(&mut self) -> bool {
        // Most of a name is identifiers.
        self.take(SCOPED.next_other(self.rest.as_bytes(), 0));
        let Some(first) = self.rest.chars().next() else { return false };
        let operator = self.at_operator();
        match first {
            '<' | '>' | '-' | '=' | '!' | '+' | '*' | '/' | '%' | '&' | '|' | '^' | '~' | ',' if operator => {
                let end = self.rest.find(|c| !"<>-=!+*/%&|^~,".contains(c)).unwrap_or(self.rest.len());
                self.take(self.operator_length(end));
            }
            '(' if operator && self.rest.starts_with("()") => self.take(2),
            '[' if operator && self.rest.starts_with("[]") => self.take(2),
            '(' if self.rest.starts_with("(anonymous") => self.take(closing(self.rest)),
            '{' => self.take(closing(self.rest)),
            '<' | '[' => self.skip(closing(self.rest)),
            '(' => return self.parameters(),
            ' ' => self.space(operator),
            other => self.take(other.len_utf8()),
        }
        true
    }

    /// `operator` was the last word: what follows is its symbol.
    fn at_operator(&self) -> bool {
        let before = self.out.strip_suffix("operator");
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    /// Of symbols in a row, those of the operator: `<` of `operator<<int>(…)`.
    fn operator_length(&self, most: usize) -> usize {
        let run = &self.rest[..most];
        let ends = |length: &usize| self.rest[*length..].starts_with(['(', ' ', '<']);
        let whole = |length: &usize| SYMBOLS.contains(&&run[..*length]);
        (1..=most.min(3)).rev().find(|length| whole(length) && ends(length)).unwrap_or(most)
    }

    fn take(&mut self, bytes: usize) {
        let (piece, rest) = self.rest.split_at(bytes);
        self.out.push_str(piece);
        self.rest = rest;
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// What stands before a space is a return type, unless an operator's name goes on.
    fn space(&mut self, operator: bool) {
        self.skip(1);
        if operator {
            let end = self.rest.find(['(', '<']).unwrap_or(self.rest.len());
            self.out.push(' ');
            self.take(end);
        } else if !self.rest.starts_with(['<', '(']) || self.rest.starts_with("(anonymous") {
            self.out.clear();
        }
    }

    /// Parameters end the name, unless they are those of an enclosing function; `decltype(…)` is a return type.
    fn parameters(&mut self) -> bool {
        let enclosing = self.out == "decltype";
        self.skip(closing(self.rest));
        let after = self.rest.trim_start_matches(" const");
        if after.starts_with("::") {
            self.rest = after;
        }
        enclosing || after.starts_with("::")
    }
}

/// The bytes up to and with the bracket that closes the one `text` begins with; all of it where none does.
fn closing(text: &str) -> usize {
    let mut open: Vec<char> = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => open.push(c),
            // In parentheses a `<` may be a comparison.
            '<' if open.last() != Some(&'(') => open.push(c),
            '>' if open.last() == Some(&'<') && before != '-' => {
                open.pop();
            }
            ')' | ']' | '}' => {
                let bracket = [('(', ')'), ('[', ']'), ('{', '}')].iter().find(|(_, close)| *close == c);
                while let Some(last) = open.pop() {
                    if bracket.is_some_and(|(bracket, _)| *bracket == last) {
                        break;
                    }
                }
            }
            _ => {}
        }
        if open.is_empty() {
            return at + c.len_utf8();
        }
        before = c;
    }
    text.len()
}
