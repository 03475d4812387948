//! What stands in a comment: `block = 256, dynamic-smem = 48 KiB, allow(spill, max = 24, reason = "…")`.

use std::ops::Range;
use std::sync::Arc;

use crate::expect::comments::CommentError;
use crate::expect::comments::cursor::Cursor;
use crate::expect::{Target, Waiver, WaiverKind, nearest, unknown_lint};
use crate::lints;
use crate::occupancy::parse_size;
use crate::source::{SourceText, Span};

const KEYS: &[&str] = &["allow", "block", "dynamic-smem", "expect", "max-registers", "min-blocks"];

/// A comment's reader: what it asks for, and its mistakes.
pub(super) struct Reading<'a> {
    source: &'a Arc<SourceText>,
    pub(super) target: Target,
    pub(super) waivers: Vec<Waiver>,
    pub(super) errors: Vec<CommentError>,
}

/// Reads the items of a comment at `range` (after its `occlint:`).
pub(super) fn read(source: &Arc<SourceText>, range: Range<usize>) -> Reading<'_> {
    let mut reading = Reading { source, target: Target::default(), waivers: Vec::new(), errors: Vec::new() };
    let mut cursor = Cursor::new(source.text(), range.clone());
    loop {
        cursor.skip_blanks();
        if cursor.rest().is_empty() {
            break;
        }
        if !reading.item(&mut cursor) {
            return reading;
        }
        cursor.skip_blanks();
        if !cursor.take(',') && !cursor.rest().is_empty() {
            reading.error(cursor.at()..range.end, "expected `,` between items", None);
            return reading;
        }
    }
    if reading.target == Target::default() && reading.waivers.is_empty() && reading.errors.is_empty() {
        let help = format!("known: {}", KEYS.join(", "));
        reading.error(range, "this comment asks for nothing", Some(help));
    }
    reading
}

impl Reading<'_> {
    fn error(&mut self, range: Range<usize>, message: impl Into<String>, help: Option<String>) {
        let span = Span { source: Arc::clone(self.source), range };
        self.errors.push(CommentError { message: message.into(), span, help });
    }

    /// One item; `false` where the rest cannot be made sense of.
    fn item(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let range = cursor.take_while(is_word);
        let key = &self.source.text()[range.clone()];
        match key {
            "allow" => self.waiver(cursor, WaiverKind::Allow, range.start),
            "expect" => self.waiver(cursor, WaiverKind::Expect, range.start),
            "block" | "dynamic-smem" | "max-registers" | "min-blocks" => {
                let key = key.to_owned();
                self.value(cursor, &key).is_some()
            }
            _ => {
                let range = if range.is_empty() {
                    range.start..range.start + cursor.rest().len().min(1)
                } else {
                    range
                };
                let help = match nearest(key, KEYS) {
                    Some(near) => format!("did you mean `{near}`"),
                    None => format!("known: {}", KEYS.join(", ")),
                };
                self.error(range, format!("unknown key `{key}`"), Some(help));
                false
            }
        }
    }

    fn value(&mut self, cursor: &mut Cursor<'_>, key: &str) -> Option<()> {
        let number = self.number(cursor, key)?;
        let (least, most) = match key {
            "max-registers" => (1, 255),
            "dynamic-smem" => (0, u32::MAX),
            _ => (1, u32::MAX),
        };
        if !(least..=most).contains(&number.1) {
            let most = if most == u32::MAX { String::new() } else { format!(" and at most {most}") };
            self.error(number.0, format!("`{key}` must be at least {least}{most}"), None);
            return Some(());
        }
        let value = Some(number.1);
        match key {
            "block" => self.target.block = value,
            "dynamic-smem" => self.target.dynamic_shared_bytes = value,
            "max-registers" => self.target.max_registers = value,
            _ => self.target.min_blocks = value,
        }
        Some(())
    }

    /// `= 48 KiB`: bytes with a unit, or a plain number.
    fn number(&mut self, cursor: &mut Cursor<'_>, key: &str) -> Option<(Range<usize>, u32)> {
        let at = cursor.at();
        if !cursor.take('=') {
            self.error(at..at, format!("expected `=` after `{key}`"), None);
            return None;
        }
        let range = cursor.take_while(|c| !matches!(c, ',' | ')' | '('));
        let text = self.source.text()[range.clone()].trim_end().to_owned();
        let range = range.start..range.start + text.len();
        let sized = matches!(key, "dynamic-smem" | "max");
        let number = if sized {
            parse_size(&text).map_err(|error| error.to_string())
        } else {
            text.parse().map_err(|_| format!("`{key}` must be a whole number, and this is `{text}`"))
        };
        match number {
            Ok(number) => Some((range, number)),
            Err(message) => {
                self.error(range, message, None);
                None
            }
        }
    }

    /// `(spill, max = 24, reason = "…")`.
    fn waiver(&mut self, cursor: &mut Cursor<'_>, kind: WaiverKind, start: usize) -> bool {
        let at = cursor.at();
        if !cursor.take('(') {
            self.error(
                at..at,
                "expected `(` and a lint",
                Some("for example `allow(spill, max = 24)`".to_owned()),
            );
            return false;
        }
        let name_range = cursor.take_while(is_word);
        let name = &self.source.text()[name_range.clone()];
        let lint = lints::find(name).map(|lint| lint.name);
        if lint.is_none() {
            let (message, help) = unknown_lint(name);
            self.error(name_range, message, Some(help));
        }
        let (mut max, mut reason) = (None, None);
        while cursor.take(',') {
            let range = cursor.take_while(is_word);
            match &self.source.text()[range.clone()] {
                "max" => match self.number(cursor, "max") {
                    Some((_, number)) => max = Some(u64::from(number)),
                    None => return false,
                },
                "reason" => {
                    let at = cursor.at();
                    match cursor.take('=').then(|| cursor.take_string()).flatten() {
                        Some((_, text)) => reason = Some(text),
                        None => {
                            self.error(at..at, "expected `= \"…\"` after `reason`", None);
                            return false;
                        }
                    }
                }
                other => {
                    let message = format!("unknown key `{other}`");
                    self.error(range, message, Some("known: max, reason".to_owned()));
                    return false;
                }
            }
        }
        let at = cursor.at();
        if !cursor.take(')') {
            self.error(at..at, "expected `)`", None);
            return false;
        }
        let span = Span { source: Arc::clone(self.source), range: start..cursor.at() };
        self.waivers.extend(lint.map(|lint| Waiver { kind, lint, max, reason, span }));
        true
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}
