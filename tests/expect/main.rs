//! Configuration, source comments and rules, from the outside.
#![allow(missing_docs)]

mod comments;
mod config;
mod resolve;

use std::sync::Arc;

use occlint::source::{SourceText, Span};

/// `line:column-column "text"`: where a span stands and what it covers.
fn place(span: &Span) -> String {
    let (line, column) = span.source.line_column(span.range.start);
    let text = &span.source.text()[span.range.clone()];
    format!("{line}:{column} {text:?}")
}

fn text(name: &str, text: &str) -> Arc<SourceText> {
    SourceText::new(name, text)
}
