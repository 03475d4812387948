//! `// occlint: …` beside a kernel.

mod declarator;
mod follows;
mod items;
mod lexer;
mod macros;
use std::ops::Range;
use std::sync::Arc;

use self::declarator::declarator;
use self::follows::{Code, Follows};
use self::items::{Items, Mistake, items, keys};
use self::lexer::{Token, tokens};
use self::macros::Macros;
use crate::expect::{Rule, RuleOrigin, Selector, Waiver};
use crate::order::{self, Map};
use crate::source::{SourceText, Span};

/// How many lines below its comment a kernel may begin.
const REACH: u32 = 10;

/// More of what follows a comment is not shown, characters.
const LONGEST_SHOWN: usize = 60;

/// A comment that cannot be used, at its place.
#[derive(Clone, PartialEq, Debug)]
pub struct CommentError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do.
    pub help: Option<String>,
}

/// Reads the comments of one source file. Each becomes a rule with a place selector: the line of the name of the
/// `__global__` that follows directly, within ten lines, or of the macro that follows directly and may make kernels.
///
/// Only `//` comments count that begin with `occlint:`; several before one kernel add up, and the ten lines begin at
/// the last of those that follow each other line by line. Text in strings and preprocessor directives is no kernel.
/// Where something else follows, the comment is a mistake. The rules and all mistakes are returned together, in the
/// order of the text.
pub fn comments(source: &Arc<SourceText>) -> (Vec<Rule>, Vec<CommentError>) {
    let mut reader = Reader { source, rules: Vec::new(), errors: Vec::new() };
    if source.text().contains("occlint") {
        reader.read();
    }
    order::sort_by_key(&mut reader.errors, |error| (error.span.range.start, error.span.range.end));
    (reader.rules, reader.errors)
}

/// A `__global__` of real code, or a macro for it.
struct Global {
    /// Where it begins.
    at: usize,
    line: u32,
    /// The line of the kernel's name.
    name_line: Option<u32>,
    /// The line on which its parameters end.
    end_line: u32,
    /// Its name.
    name: Option<String>,
    /// A body follows: not a declaration alone.
    defined: bool,
}

/// A comment that speaks to occlint.
struct Addressed {
    /// The whole comment.
    range: Range<usize>,
    /// What follows `occlint:`.
    body: Range<usize>,
    line: u32,
}

struct Reader<'s> {
    source: &'s Arc<SourceText>,
    rules: Vec<Rule>,
    errors: Vec<CommentError>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let text = self.source.text();
        let tokens = tokens(text);
        let addressed: Vec<Addressed> = tokens.iter().filter_map(|token| self.addressed(token)).collect();
        if addressed.is_empty() {
            return;
        }
        let macros = Macros::new(text, &tokens);
        let globals = self.globals(&tokens, &macros);
        let source = Arc::clone(self.source);
        let line_of = |at| source.line_of(at);
        let code = Code::new(text, &tokens, &macros, &line_of);
        for (comment, last) in addressed.iter().zip(last_lines(&addressed)) {
            let items = items(&text[comment.body.clone()], comment.body.start);
            self.comment(comment, last, items, (&globals, &code));
        }
    }

    fn line(&self, at: usize) -> u32 {
        self.source.line_of(at)
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span { source: Arc::clone(self.source), range }
    }

    fn error(&mut self, range: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let span = self.span(range);
        self.errors.push(CommentError { message: message.into(), span, help: Some(help.into()) });
    }

    /// The comment, if it speaks to occlint; one that only nearly does is an error.
    fn addressed(&mut self, token: &Token) -> Option<Addressed> {
        let text = self.source.text();
        let (range, inner) = match token {
            Token::LineComment(range) => (range, text[range.clone()].trim_start_matches('/')),
            Token::BlockComment(range) => (range, text[range.clone()].trim_start_matches(['/', '*'])),
            Token::Word(_) | Token::Mark(..) | Token::Define(_) => return None,
        };
        let after = inner.trim_start().strip_prefix("occlint")?;
        let Some(body) = after.trim_start().strip_prefix(':') else {
            if matches!(token, Token::LineComment(_)) && looks_like_items(after) {
                let help = "write it like `// occlint: block = 256`";
                self.error(range.clone(), "a colon is missing behind `occlint`", help);
            }
            return None;
        };
        if matches!(token, Token::BlockComment(_)) {
            let first_line = text[range.clone()].lines().next().map_or(0, str::len);
            let help = "write it like `// occlint: block = 256`";
            self.error(
                range.start..range.start + first_line,
                "`occlint:` is read in `//` comments only",
                help,
            );
            return None;
        }
        let body = range.end - body.len()..range.end;
        Some(Addressed { range: range.clone(), body, line: self.line(range.start) })
    }

    fn globals(&self, tokens: &[Token], macros: &Macros<'_>) -> Globals {
        let text = self.source.text();
        let is_global = |token: &Token| match token {
            Token::Word(range) => macros.is_global(text.get(range.clone())?).then_some(range.start),
            _ => None,
        };
        let found = tokens.iter().enumerate().filter_map(|(index, token)| Some((index, is_global(token)?)));
        let global = |(index, at): (usize, usize)| {
            let head = declarator(text, &tokens[index + 1..], macros);
            let line = self.line(at);
            let name_line = head.name.map(|at| self.line(at));
            let end_line = self.line(head.end).max(line);
            let name = head.name.and_then(|at| Some(word(text.get(at..)?).to_owned()));
            Global { at, line, name_line, end_line, name, defined: head.defined }
        };
        Globals::new(found.map(global).collect())
    }

    /// Turns one comment into a rule; `last` is the last line of the comments that follow each other here.
    fn comment(&mut self, comment: &Addressed, last: u32, items: Items, text: (&Globals, &Code<'_>)) {
        let empty = items.spans.is_empty() && items.waivers.is_empty() && items.mistakes.is_empty();
        if empty {
            let keys = keys().join("`, `");
            self.error(
                comment.range.clone(),
                "this comment asks for nothing",
                format!("add one of `{keys}`"),
            );
        }
        let Items { target, spans, waivers, mistakes } = items;
        // Half a comment would judge the kernel by what nobody asked.
        let whole = mistakes.is_empty();
        for Mistake { message, range, help } in mistakes {
            self.error(range, message, help);
        }
        let Some(line) = self.kernel_line(comment, last, text).filter(|_| whole) else { return };
        let place = Some((self.source.name().to_owned(), line));
        let waivers = waivers.into_iter().map(|raw| {
            let span = self.span(raw.range);
            Waiver {
                kind: raw.kind,
                lint: raw.lint,
                max: raw.max,
                reason: raw.reason,
                until: raw.until,
                span,
            }
        });
        let rule = Rule {
            selector: Selector { place, ..Selector::default() },
            origin: RuleOrigin::Comment,
            target,
            target_spans: spans.into_iter().map(|(key, range)| (key, self.span(range))).collect(),
            waivers: waivers.collect(),
            span: self.span(comment.range.clone()),
        };
        self.rules.push(rule);
    }

    /// The line of the name of the kernel that a comment is about.
    fn kernel_line(
        &mut self,
        comment: &Addressed,
        last: u32,
        (globals, code): (&Globals, &Code<'_>),
    ) -> Option<u32> {
        let before = globals.before(comment.line);
        if before.is_some_and(|global| comment.line <= global.end_line) {
            let help = "move it to a line of its own above the `__global__`";
            self.error(comment.range.clone(), "this comment stands behind the `__global__` beside it", help);
            return None;
        }
        let near = |at: &usize| self.line(*at).saturating_sub(last) <= REACH;
        match code.after(comment.range.end) {
            Follows::Macro(at) | Follows::Perhaps(at) if near(&at) => Some(self.line(at)),
            Follows::Global(at) if near(&at) => self.global_line(comment, globals.at(at)?, globals),
            Follows::Other(range) if near(&range.start) => {
                let what = shown(self.source.text().get(range)?);
                self.no_kernel(comment, format!("no `__global__` follows this comment, but `{what}`"));
                None
            }
            _ => {
                self.no_kernel(comment, format!("no `__global__` follows this comment within {REACH} lines"));
                None
            }
        }
    }

    fn no_kernel(&mut self, comment: &Addressed, message: String) {
        let help = "move it to the line above the kernel, or use `[[package.metadata.occlint.kernel]]` in Cargo.toml";
        self.error(comment.range.clone(), message, help);
    }

    fn global_line(&mut self, comment: &Addressed, global: &Global, globals: &Globals) -> Option<u32> {
        if global.name_line.is_none() {
            let message =
                format!("the `__global__` on line {} has no name that occlint can read", global.line);
            let help = "use `[[package.metadata.occlint.kernel]]` in Cargo.toml";
            self.error(comment.range.clone(), message, help);
        }
        globals.definition(global).name_line
    }
}

/// The first line of a declaration, shortened.
fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or("").trim_end();
    match line.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

/// For each comment the last line of those that follow each other from it on, line by line.
fn last_lines(comments: &[Addressed]) -> Vec<u32> {
    let mut lines: Vec<u32> = comments.iter().map(|comment| comment.line).collect();
    for index in (1..lines.len()).rev() {
        if comments[index - 1].line + 1 == comments[index].line {
            lines[index - 1] = lines[index];
        }
    }
    lines
}

/// The name that a text begins with.
fn word(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("")
}

/// The `__global__`s of a text, in its order: the head of one ends before the next begins.
struct Globals {
    all: Vec<Global>,
    /// Those with a body, by name.
    defined: Map<String, Vec<usize>>,
}

impl Globals {
    fn new(all: Vec<Global>) -> Self {
        let mut defined: Map<String, Vec<usize>> = Map::new();
        for (index, global) in all.iter().enumerate().filter(|(_, global)| global.defined) {
            if let Some(name) = &global.name {
                defined.get_or_default(name.clone()).push(index);
            }
        }
        Self { all, defined }
    }

    /// The last one that begins on a line or before it.
    fn before(&self, line: u32) -> Option<&Global> {
        let after = self.all.partition_point(|global| global.line <= line);
        after.checked_sub(1).and_then(|before| self.all.get(before))
    }

    /// The one that begins at a byte.
    fn at(&self, at: usize) -> Option<&Global> {
        self.all.binary_search_by_key(&at, |global| global.at).ok().and_then(|index| self.all.get(index))
    }

    /// The compiler places a kernel at its definition: of one that is only declared here, that.
    fn definition<'g>(&'g self, declared: &'g Global) -> &'g Global {
        let name = declared.name.as_ref().filter(|_| !declared.defined);
        let Some(same) = name.and_then(|name| self.defined.get(name)) else { return declared };
        let at = same.partition_point(|&index| self.all[index].line <= declared.line);
        same.get(at).map_or(declared, |&index| &self.all[index])
    }
}

/// Whether text behind `occlint` begins like a comment's items: a key, then `=` or `(`.
fn looks_like_items(text: &str) -> bool {
    let text = text.trim_start();
    keys()
        .iter()
        .any(|key| text.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(['=', '('])))
}
