//! A group of findings as a `miette::Diagnostic`.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, Severity, SourceCode};

use crate::finding::{Label, Level};
use crate::report::short::place;
use crate::report::source_code::{Canvas, Snippet, drawable};
use crate::report::words::{self, NameRoom};
use crate::report::{Group, HumanStyle};
use crate::text::sanitize;

/// A group of findings, ready for any `miette` handler. All its text is safe to show.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupDiagnostic {
    code: Option<String>,
    severity: Severity,
    message: String,
    snippet: Option<Snippet>,
    related: Vec<GroupDiagnostic>,
    notes: Vec<String>,
    help: Option<String>,
    table: Option<String>,
}

impl GroupDiagnostic {
    /// The diagnostic of a group: labels of the primary label's file are its own, those elsewhere its related ones.
    pub fn new(group: &Group<'_>, style: HumanStyle) -> Self {
        Self::with_places(group, style, usize::MAX)
    }

    /// [`Self::new`] with the first `most` places only; the others are counted in a note.
    pub(crate) fn with_places(group: &Group<'_>, style: HumanStyle, most: usize) -> Self {
        let room: NameRoom = (!style.verbose).then_some(style.width.clamp(40, 120) * 2 / 5);
        let worst = group.worst;
        let severity = if worst.level == Level::Deny { Severity::Error } else { Severity::Warning };
        let bare = Self::bare(words::message(group, room), severity);
        let labels = distinct(&worst.labels);
        let shown = most.min(labels.len());
        let mut made = bare.with_labels(&labels[..shown], style.into());
        made.code = Some(format!("occlint::{}", worst.lint));
        made.notes.extend(words::notes(group, room));
        if shown < labels.len() {
            let places = if labels.len() - shown == 1 { "place" } else { "places" };
            made.notes.push(format!("… and {} more {places}: -v shows them", labels.len() - shown));
        }
        made.help = words::advice(group, room).map(|advice| safe_lines(&advice));
        made.table = worst.table.as_deref().map(safe_lines);
        made
    }

    /// A message without a place.
    pub(crate) fn bare(message: String, severity: Severity) -> Self {
        let (code, snippet, help, table) = (None, None, None, None);
        Self { code, severity, message, snippet, related: Vec::new(), notes: Vec::new(), help, table }
    }

    /// Adds places; those that cannot be drawn become notes.
    pub(crate) fn with_labels(mut self, labels: &[&Label], canvas: Canvas) -> Self {
        let Some(primary) = labels.first() else { return self };
        let drawn = |file: &str| -> Vec<&Label> {
            labels.iter().copied().filter(|label| label.file == file && drawable(label)).collect()
        };
        self.snippet = Snippet::new(&drawn(&primary.file), canvas);
        self.notes.extend(self.snippet.iter().flat_map(Snippet::untold).cloned());
        let mut files: Vec<&str> = Vec::new();
        for label in labels.iter().filter(|label| label.file != primary.file && drawable(label)) {
            if !files.contains(&label.file.as_str()) {
                files.push(&label.file);
            }
        }
        self.related = files.iter().map(|file| elsewhere(&drawn(file), canvas)).collect();
        self.notes.extend(labels.iter().filter(|label| !drawable(label)).map(
            |label| match label.text.as_str() {
                "" => format!("at {}", place(label)),
                text => format!("at {}: {}", place(label), sanitize(text)),
            },
        ));
        self
    }

    /// Adds advice.
    #[cfg(feature = "graphical")]
    pub(crate) fn with_help(mut self, help: Option<&str>) -> Self {
        self.help = help.map(safe_lines);
        self
    }

    /// Facts that belong to it; a note may have several lines.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What to do next, without the notes and the table.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// What other bounds cost the worst of the group: a title, a table's rows, which begin with a space, and how to read
    /// it.
    pub fn table(&self) -> Option<&str> {
        self.table.as_deref()
    }

    /// The places in other files.
    #[cfg(feature = "graphical")]
    pub(crate) fn elsewhere(&self) -> &[Self] {
        &self.related
    }
}

/// The labels without those that were there before.
fn distinct(labels: &[Label]) -> Vec<&Label> {
    let mut kept: Vec<&Label> = Vec::new();
    for label in labels {
        if !kept.contains(&label) {
            kept.push(label);
        }
    }
    kept
}

/// Labels of another file: one label's text is the message.
fn elsewhere(labels: &[&Label], canvas: Canvas) -> GroupDiagnostic {
    let (message, snippet) = match labels {
        [only] if !only.text.is_empty() => {
            let quiet = Label { text: String::new(), ..(*only).clone() };
            (sanitize(&only.text), Snippet::new(&[&quiet], canvas))
        }
        _ => ("see also".to_owned(), Snippet::new(labels, canvas)),
    };
    let mut made = GroupDiagnostic::bare(message, Severity::Advice);
    made.notes.extend(snippet.iter().flat_map(Snippet::untold).cloned());
    made.snippet = snippet;
    made
}

/// Text with its lines kept and everything else made safe.
fn safe_lines(text: &str) -> String {
    text.lines().map(sanitize).collect::<Vec<_>>().join("\n")
}

impl fmt::Display for GroupDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GroupDiagnostic {}

impl Diagnostic for GroupDiagnostic {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    /// The notes, a line each, then what to do next, and what other bounds cost.
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let notes = self.notes.iter().map(|note| format!("note: {note}"));
        let lines: Vec<String> = notes.chain(self.help.clone()).chain(self.table.clone()).collect();
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.snippet.as_ref().map(|snippet| snippet as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.snippet
            .as_ref()
            .map(|snippet| Box::new(snippet.labels()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let related = self.related.iter().map(|related| related as &dyn Diagnostic);
        (!self.related.is_empty()).then(|| Box::new(related) as Box<dyn Iterator<Item = &dyn Diagnostic>>)
    }
}
