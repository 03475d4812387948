//! `// occlint: …` beside a kernel.

use std::sync::Arc;

use crate::expect::Rule;
use crate::source::{SourceText, Span};

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

/// Reads the comments of one source file. Each becomes a rule with a place selector: the line of the name of the next
/// `__global__` within ten lines.
///
/// The rules and all mistakes are returned together.
pub fn comments(source: &Arc<SourceText>) -> (Vec<Rule>, Vec<CommentError>) {
    let _ = source;
    (Vec::new(), Vec::new())
}
