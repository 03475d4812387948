//! miette's graphical frame around one diagnostic, as a string: an explicit theme, no links, no environment.

use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity, SourceCode};

use crate::report::text::wrap;
use crate::report::{GroupDiagnostic, HumanStyle};

/// The narrowest and the widest report.
const WIDTHS: (usize, usize) = (40, 120);

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

/// Draws one diagnostic: its code, message and places in miette's frame, then its notes and what to do next.
pub(crate) fn draw(diagnostic: &GroupDiagnostic, style: HumanStyle) -> String {
    let width = style.width.clamp(WIDTHS.0, WIDTHS.1);
    let handler = handler(style, width);
    let mut out = heading(diagnostic, style);
    for part in std::iter::once(diagnostic).chain(diagnostic.elsewhere()) {
        // writing into a string does not fail; what miette could not draw is still said in words
        if handler.render_report(&mut out, &Frame(part)).is_err() {
            out.push_str(&format!("  {part}\n"));
        }
    }
    let (note, help) =
        if style.color { ("\x1b[1mnote\x1b[0m", "\x1b[36mhelp\x1b[0m") } else { ("note", "help") };
    for text in diagnostic.notes() {
        out.push_str(&footer(note, text, width));
    }
    if let Some(text) = diagnostic.advice() {
        out.push_str(&footer(help, text, width));
    }
    out
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

/// `  note: …`, wrapped with a hanging indent. A line that begins with a space is a table's row and stays as it is.
fn footer(word: &str, text: &str, width: usize) -> String {
    const INDENT: &str = "        ";
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with(' ') {
            lines.push(line.to_owned());
        } else {
            lines.extend(wrap(line, width.saturating_sub(INDENT.len())));
        }
    }
    format!("  {word}: {}\n", lines.join(&format!("\n{INDENT}")))
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
