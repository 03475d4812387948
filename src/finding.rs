//! Findings: what a lint says about one kernel on one architecture, or about the configuration.

use std::ops::Range;
use std::sync::Arc;

use crate::arch::Arch;
use crate::source::{SourceText, Span};

/// How much a finding matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Not reported.
    Allow,
    /// Reported; does not fail the run.
    Warn,
    /// Reported; fails the run (exit status 100).
    Deny,
}

impl Level {
    /// The word in configuration and JSON: `allow`, `warn`, `deny`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }

    /// The word that a report of this level begins with: `warning`, `error`.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Allow => "note",
            Self::Warn => "warning",
            Self::Deny => "error",
        }
    }
}

/// One lint's result about one kernel on one architecture (or about a unit, or the configuration).
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The lint's name: `spill`.
    pub lint: &'static str,
    /// After configuration and command line.
    pub level: Level,
    /// What it is about.
    pub subject: Subject,
    /// The message, with the kernel and the architecture as parameters so that equal ones can be merged.
    pub headline: Headline,
    /// How bad it is among findings of its lint: larger is worse. Only for sorting.
    pub weight: u64,
    /// Places, the first being the primary one.
    pub labels: Vec<Label>,
    /// Facts that belong to it.
    pub notes: Vec<String>,
    /// What to do next.
    pub help: Option<String>,
    /// What other bounds cost this kernel: a title, a table's rows, which begin with a space, and how to read it.
    pub table: Option<String>,
}

/// What a finding is about.
#[derive(Clone, PartialEq, Debug)]
pub enum Subject {
    /// A kernel.
    Kernel {
        /// The kernel's demangled name.
        name: String,
        /// Its key.
        key: String,
        /// Its qualified name: instantiations of one template share it.
        qualified: String,
        /// Its architecture; `None` where a log does not say it.
        arch: Option<Arch>,
        /// Its place lies outside the package.
        foreign: bool,
    },
    /// A unit: a source file with its flags.
    Unit {
        /// The source, relative to the workspace root.
        unit: String,
        /// The architecture, if it is about one.
        arch: Option<Arch>,
    },
    /// The configuration.
    Config,
}

/// A message in pieces: text, the kernel's name, the architecture.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Headline {
    pieces: Vec<Piece>,
}

/// A piece of a [`Headline`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Words.
    Text(String),
    /// The kernel's name, in backticks.
    Kernel,
    /// The architecture, or several.
    Arch,
}

impl Headline {
    /// An empty headline to add pieces to.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds words.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    /// Adds the kernel's name.
    #[must_use]
    pub fn kernel(mut self) -> Self {
        self.pieces.push(Piece::Kernel);
        self
    }

    /// Adds the architecture.
    #[must_use]
    pub fn arch(mut self) -> Self {
        self.pieces.push(Piece::Arch);
        self
    }

    /// The pieces in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The message with `kernel` (without backticks) and `arch` put in.
    pub fn render(&self, kernel: &str, arch: &str) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Kernel => format!("`{kernel}`"),
            Piece::Arch => arch.to_owned(),
        };
        self.pieces.iter().map(piece).collect()
    }
}

/// A place that a finding points at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The file, as in [`crate::kernel::Place::file`].
    pub file: String,
    /// The 1-based line.
    pub line: u32,
    /// The text and the bytes to underline, where the file could be read.
    pub span: Option<(Arc<SourceText>, Range<usize>)>,
    /// What stands there; may be empty.
    pub text: String,
}

impl Label {
    /// A label on a span of configuration or source text.
    pub fn on(span: &Span, text: impl Into<String>) -> Self {
        Self {
            file: span.source.name().to_owned(),
            line: span.line(),
            span: Some((Arc::clone(&span.source), span.range.clone())),
            text: text.into(),
        }
    }
}

impl Finding {
    /// The message for its own kernel and architecture.
    pub fn message(&self) -> String {
        match &self.subject {
            Subject::Kernel { name, arch, .. } => self.headline.render(name, &arch_words(*arch)),
            Subject::Unit { unit, arch } => self.headline.render(unit, &arch_words(*arch)),
            Subject::Config => self.headline.render("", ""),
        }
    }
}

fn arch_words(arch: Option<Arch>) -> String {
    arch.map_or_else(|| "an unknown architecture".to_owned(), |arch| arch.to_string())
}
