//! miette's graphical frame around one diagnostic, as a string: an explicit theme, no links, no environment.

use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity, SourceCode};

use crate::report::{GroupDiagnostic, HumanStyle};
use crate::text::wrap;

/// The narrowest and the widest report.
const WIDTHS: (usize, usize) = (40, 120);
/// What stands before the second and further lines of a note.
const INDENT: &str = "        ";
/// What stands for a table that has no room.
const NO_ROOM: &str = "-v shows what other bounds cost: measure";
/// Lines for notes and advice, however long the message and the places are.
const FEWEST_LINES: usize = 3;

/// The header and the snippet of a diagnostic; its footer is written by [`draw`].
struct Frame<'a>(&'a GroupDiagnostic);

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, f)
    }
}

impl fmt::Display for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)
    }
}

impl std::error::Error for Frame<'_> {}

impl Diagnostic for Frame<'_> {
    fn severity(&self) -> Option<Severity> {
        self.0.severity()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.0.labels()
    }
}

/// How much room a picture has.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    /// About how many lines.
    pub(crate) lines: usize,
    /// The table is drawn whatever else gives way.
    pub(crate) keep_table: bool,
}

/// Draws one diagnostic: its code, message and places in miette's frame, then its notes, what to do next and what other
/// bounds cost.
pub(crate) fn draw(diagnostic: &GroupDiagnostic, style: HumanStyle) -> String {
    draw_within(diagnostic, style, Room { lines: usize::MAX, keep_table: true })
}

/// [`draw`] in about so many lines: the message, the primary places, the table and the advice come first; what is left
/// out is counted.
pub(crate) fn draw_within(diagnostic: &GroupDiagnostic, style: HumanStyle, room: Room) -> String {
    let width = style.width.clamp(WIDTHS.0, WIDTHS.1);
    let handler = handler(style, width);
    let picture = |part: &GroupDiagnostic| {
        let mut out = String::new();
        // writing into a string does not fail; what miette could not draw is still said in words
        if handler.render_report(&mut out, &Frame(part)).is_err() {
            out.push_str(&format!("  {part}\n"));
        }
        out
    };
    let (note, help) =
        if style.color { ("\x1b[1mnote\x1b[0m", "\x1b[36mhelp\x1b[0m") } else { ("note", "help") };
    let mut out = heading(diagnostic, style) + &picture(diagnostic);
    let left = room.lines.saturating_sub(out.lines().count()).max(FEWEST_LINES);
    let advice = advice(diagnostic, Room { lines: left, ..room }, help, width);
    let mut left = left.saturating_sub(advice.lines().count());
    let notes = diagnostic.notes().iter().map(|text| footer(note, text, width));
    let parts: Vec<String> = diagnostic.elsewhere().iter().map(picture).chain(notes).collect();
    let whole = parts.iter().map(|part| part.lines().count()).sum::<usize>() <= left;
    let mut left_out = 0;
    for part in &parts {
        let lines = part.lines().count();
        // the line that counts needs room too
        if whole || lines < left {
            out.push_str(part);
            left -= lines;
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let notes = if left_out == 1 { "note" } else { "notes" };
        out.push_str(&footer(note, &format!("… and {left_out} more {notes}: -v shows them"), width));
    }
    out + &advice
}

/// What to do next and the table, in one footer. A table is the answer, and half of one says nothing: it is drawn whole, and
/// everything else gives way, or it is left out.
fn advice(diagnostic: &GroupDiagnostic, room: Room, word: &str, width: usize) -> String {
    let text = diagnostic.advice().map(|text| footer(word, text, width));
    let Some(table) = diagnostic.table() else {
        return first_lines(&text.unwrap_or_default(), room.lines / 2 + 1);
    };
    let after = |text: &str, table: &str| match text {
        "" => footer(word, table, width),
        text => format!("{text}{INDENT}{}\n", lines(table, width)),
    };
    let text = text.unwrap_or_default();
    let rows = lines(table, width).lines().count();
    if !room.keep_table && rows >= room.lines {
        return after(&first_lines(&text, room.lines / 2), NO_ROOM);
    }
    let left = room.lines.saturating_sub(rows + 1).max(usize::from(room.keep_table) * FEWEST_LINES);
    match left {
        0 => after("", table),
        left => after(&first_lines(&text, left), table),
    }
}

/// The first lines of a footer, one at least; that there are more is said in the last one.
fn first_lines(text: &str, most: usize) -> String {
    if text.lines().count() <= most {
        return text.to_owned();
    }
    let kept: String =
        text.lines().take(most.saturating_sub(1).max(1)).map(|line| format!("{line}\n")).collect();
    format!("{kept}{INDENT}… -v shows the rest\n")
}

/// `error[occlint::spill]`, on a line of its own.
fn heading(diagnostic: &GroupDiagnostic, style: HumanStyle) -> String {
    let Some(code) = diagnostic.code() else { return String::new() };
    let (word, paint) = match diagnostic.severity() {
        Some(Severity::Error) | None => ("error", "\x1b[1;31m"),
        Some(Severity::Warning) => ("warning", "\x1b[1;33m"),
        Some(Severity::Advice) => ("note", "\x1b[1;36m"),
    };
    if style.color { format!("{paint}{word}[{code}]\x1b[0m\n") } else { format!("{word}[{code}]\n") }
}

/// `  note: …`, wrapped with a hanging indent.
fn footer(word: &str, text: &str, width: usize) -> String {
    format!("  {word}: {}\n", lines(text, width))
}

/// Lines with a hanging indent. A line that begins with a space is a table's row and stays as it is.
fn lines(text: &str, width: usize) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with(' ') {
            lines.push(line.to_owned());
        } else {
            lines.extend(wrap(line, width.saturating_sub(INDENT.len())));
        }
    }
    lines.join(&format!("\n{INDENT}"))
}

fn handler(style: HumanStyle, width: usize) -> GraphicalReportHandler {
    let theme = match (style.unicode, style.color) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, true) => GraphicalTheme::ascii(),
        (false, false) => GraphicalTheme::none(),
    };
    GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_links(false)
        .with_urls(false)
        .with_break_words(false)
        .with_context_lines(0)
        .without_syntax_highlighting()
}
