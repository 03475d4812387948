//! A mistake in the configuration or in a source comment, drawn like a finding.

use crate::report::HumanStyle;
use crate::source::Span;

/// A mistake at its place: in the frame that findings have, or in a line where there is no graphical renderer.
#[cfg(feature = "graphical")]
pub fn problem(message: &str, span: &Span, help: Option<&str>, style: HumanStyle) -> String {
    use crate::finding::Label;
    use crate::report::frame::draw;
    use crate::text::sanitize;

    let label = Label::on(span, "");
    let words = format!("error: {}", message.lines().map(sanitize).collect::<Vec<_>>().join("\n"));
    let bare = super::GroupDiagnostic::bare(words, miette::Severity::Error);
    draw(&bare.with_labels(&[&label], style.into()).with_help(help), style)
}

/// A mistake at its place: in the frame that findings have, or in a line where there is no graphical renderer.
#[cfg(not(feature = "graphical"))]
pub fn problem(message: &str, span: &Span, help: Option<&str>, style: HumanStyle) -> String {
    use crate::finding::Label;
    use crate::report::short::place;
    use crate::text::sanitize;

    let _ = style;
    let help = help.map(|help| format!("  help: {}\n", sanitize(help))).unwrap_or_default();
    format!("{}: error: {}\n{help}", place(&Label::on(span, "")), sanitize(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceText;

    #[test]
    fn a_mistake_names_its_place_and_what_to_do() {
        let source = SourceText::new("Cargo.toml", "[a]\nblok = 3\n");
        let style = HumanStyle { width: 80, color: false, unicode: true, verbose: false, foreign: false };
        let span = Span { source, range: 4..8 };
        let text = problem("there is no key `blok`\x1b", &span, Some("did you mean `block`"), style);
        for part in ["error: there is no key `blok`\u{fffd}", "Cargo.toml:2:1", "help: did you mean `block`"]
        {
            assert!(text.contains(part), "{text}");
        }
    }
}
