//! What stands in a comment: `block = 256, allow(spill, max = 24, reason = "…")`.

use std::ops::Range;

use crate::expect::ask::{ASKS, Ask};
use crate::expect::suggest::{help, shown};
use crate::expect::{Date, DateError, Target, WaiverKind, lint_name};
use crate::occupancy::{SizeError, parse_size};

/// What one comment asks for; places are bytes of the source text.
#[derive(Default)]
pub(super) struct Items {
    pub(super) target: Target,
    pub(super) spans: Vec<(&'static str, Range<usize>)>,
    pub(super) waivers: Vec<RawWaiver>,
    pub(super) mistakes: Vec<Mistake>,
}

/// `allow(…)` or `expect(…)` of one lint.
pub(super) struct RawWaiver {
    pub(super) kind: WaiverKind,
    pub(super) lint: &'static str,
    pub(super) max: Option<u64>,
    pub(super) reason: Option<String>,
    pub(super) until: Option<Date>,
    pub(super) range: Range<usize>,
}

/// What is wrong, where, and what to do.
pub(super) struct Mistake {
    pub(super) message: String,
    pub(super) range: Range<usize>,
    pub(super) help: String,
}

/// A piece of the text and the byte at which it begins.
#[derive(Clone, Copy)]
struct Part<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Part<'t> {
    fn slice(self, range: Range<usize>) -> Self {
        Self { text: &self.text[range.clone()], at: self.at + range.start }
    }

    fn trim(self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.slice(start..start + self.text.trim().len())
    }

    fn range(self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    /// The parts before and behind the first `mark`.
    fn split_at_mark(self, mark: char) -> Option<(Self, Self)> {
        let at = self.text.find(mark)?;
        Some((self.slice(0..at).trim(), self.slice(at + mark.len_utf8()..self.text.len()).trim()))
    }
}

/// Reads what follows `occlint:`; `at` is where it begins in the source.
pub(super) fn items(text: &str, at: usize) -> Items {
    let mut items = Items::default();
    let parts = split(Part { text, at });
    for part in parts.iter().filter(|part| !part.text.is_empty()) {
        items.item(*part);
    }
    items
}

/// Splits at commas that stand in no parentheses and no quotes; white space around the pieces is dropped.
fn split(part: Part<'_>) -> Vec<Part<'_>> {
    let (mut depth, mut quoted, mut start) = (0_usize, false, 0);
    let mut parts = Vec::new();
    for (at, c) in part.text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(part.slice(start..at).trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(part.slice(start..part.text.len()).trim());
    parts
}

/// The keys of a comment.
pub(super) fn keys() -> Vec<&'static str> {
    ASKS.iter().map(|ask| ask.key()).chain(["allow", "expect"]).collect()
}

impl Items {
    fn mistake(&mut self, range: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.mistakes.push(Mistake { message: message.into(), range, help: help.into() });
    }

    fn item(&mut self, part: Part<'_>) {
        let end = part
            .text
            .find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
            .unwrap_or(part.text.len());
        let key = part.slice(0..end);
        let rest = part.slice(end..part.text.len()).trim();
        if let Some(ask) = Ask::from_key(key.text) {
            return match rest.text.strip_prefix('=') {
                Some(_) => self.value(ask, rest.slice(1..rest.text.len()).trim(), key),
                None => self.no_value(part.range(), ask),
            };
        }
        let kind = match key.text {
            "allow" => WaiverKind::Allow,
            "expect" => WaiverKind::Expect,
            _ => return self.unknown(part, key),
        };
        match rest.text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            Some(inner) => self.waiver(kind, rest.slice(1..1 + inner.len()), part),
            None => {
                let message = match rest.text.strip_prefix('(') {
                    Some(inner) if inner.matches('"').count() % 2 == 1 => {
                        format!("a quote of `{}` is not closed", key.text)
                    }
                    Some(_) => format!("the parenthesis of `{}` is not closed", key.text),
                    None => format!("`{}` needs a lint in parentheses", key.text),
                };
                self.mistake(part.range(), message, format!("write it like `{}(spill)`", key.text));
            }
        }
    }

    fn no_value(&mut self, range: Range<usize>, ask: Ask) {
        let help = format!("write it like `{}`", ask.example());
        self.mistake(range, format!("`{}` has no value", ask.key()), help);
    }

    fn unknown(&mut self, part: Part<'_>, key: Part<'_>) {
        if ["name", "name-full", "source", "arch"].contains(&key.text) {
            let message = format!("`{}` cannot be used in a comment", key.text);
            return self.mistake(
                key.range(),
                message,
                "a comment is about the kernel below it; write this in Cargo.toml",
            );
        }
        if key.text.is_empty() {
            let message = format!("`{}` is no key", shown(part.text));
            return self.mistake(part.range(), message, help("", &keys()));
        }
        self.mistake(key.range(), format!("unknown key `{}`", shown(key.text)), help(key.text, &keys()));
    }

    fn value(&mut self, ask: Ask, value: Part<'_>, key: Part<'_>) {
        if value.text.is_empty() {
            return self.no_value(key.range(), ask);
        }
        if self.spans.iter().any(|(known, _)| *known == ask.key()) {
            let message = format!("`{}` stands twice in one comment", ask.key());
            return self.mistake(key.range(), message, "leave one of them out");
        }
        let number = match ask {
            Ask::DynamicSmem => match parse_size(unquoted(value.text)) {
                Ok(bytes) => Some(i128::from(bytes)),
                Err(why) => {
                    let message = format!("`{}` is no size: {why}", shown(unquoted(value.text)));
                    return self.mistake(value.range(), message, SizeError::HELP);
                }
            },
            _ => value.text.parse::<i128>().ok(),
        };
        let Some(number) = number else {
            let message = format!("`{}` is no number of {}", shown(value.text), ask.unit());
            return self.mistake(value.range(), message, format!("write it like `{}`", ask.example()));
        };
        match ask.check(number) {
            Ok(number) => {
                ask.set(&mut self.target, number);
                self.spans.push((ask.key(), value.range()));
            }
            Err(message) => self.mistake(value.range(), message, "write a number in that range"),
        }
    }

    /// `spill, max = 24, reason = "…"`: one lint or several, then what holds for all of them.
    fn waiver(&mut self, kind: WaiverKind, inner: Part<'_>, whole: Part<'_>) {
        let (mut lints, mut max, mut reason, mut until, mut wrong) = (Vec::new(), None, None, None, false);
        for part in split(inner).into_iter().filter(|part| !part.text.is_empty()) {
            match part.split_at_mark('=') {
                None => match lint_name(part.text) {
                    Ok(lint) => lints.push(lint),
                    Err(error) => {
                        wrong = true;
                        self.mistake(part.range(), error.message, error.help);
                    }
                },
                Some((key, value)) if key.text == "max" => max = self.max(value, part),
                Some((key, value)) if key.text == "reason" => reason = self.reason(value, part),
                Some((key, value)) if key.text == "until" => until = self.day(value, part),
                Some((key, _)) => {
                    let message = format!("unknown key `{}`", shown(key.text));
                    self.mistake(key.range(), message, help(key.text, &["max", "reason", "until"]));
                }
            }
        }
        if lints.is_empty() && !wrong {
            self.mistake(whole.range(), "no lint is named here", "write it like `allow(spill, max = 24)`");
        }
        let waiver =
            |lint| RawWaiver { kind, lint, max, reason: reason.clone(), until, range: whole.range() };
        self.waivers.extend(lints.into_iter().map(waiver));
    }

    fn max(&mut self, value: Part<'_>, part: Part<'_>) -> Option<u64> {
        let max = value.text.parse().ok();
        if max.is_none() {
            let range = if value.text.is_empty() { part.range() } else { value.range() };
            self.mistake(range, format!("`{}` is no amount", shown(value.text)), "write it like `max = 24`");
        }
        max
    }

    fn day(&mut self, value: Part<'_>, part: Part<'_>) -> Option<Date> {
        let parsed = unquoted(value.text).parse();
        if let Err(DateError(why)) = &parsed {
            let message = format!("`{}` is no day: {why}", shown(unquoted(value.text)));
            self.mistake(part.range(), message, "write the last day like `until = \"2027-03-01\"`");
        }
        parsed.ok()
    }

    fn reason(&mut self, value: Part<'_>, part: Part<'_>) -> Option<String> {
        let text = value.text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        match text {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            _ => {
                let message = "`reason` must be words in quotes";
                self.mistake(part.range(), message, "write it like `reason = \"cold path\"`");
                None
            }
        }
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}
