//! Reports made by hand, for the tests of the renderers.

use std::ops::Range;
use std::sync::Arc;

use crate::arch::Arch;
use crate::finding::{Finding, Headline, Label, Level, Subject};
use crate::source::SourceText;

pub(crate) fn arch(cc_tenths: u16) -> Arch {
    Arch::from_cc_tenths(cc_tenths)
}

/// A label on the first occurrence of `needle`.
pub(crate) fn label(source: &Arc<SourceText>, needle: &str, text: &str) -> Label {
    let start = source.text().find(needle).expect("the needle is in the text");
    let range: Range<usize> = start..start + needle.len();
    let line = source.line_column(start).0;
    Label {
        file: source.name().to_owned(),
        line,
        span: Some((Arc::clone(source), range)),
        text: text.to_owned(),
    }
}

/// A finding about a kernel without parameters.
pub(crate) fn finding(
    lint: &'static str,
    level: Level,
    name: &str,
    on: Option<Arch>,
    headline: Headline,
) -> Finding {
    let qualified = name.split('<').next().unwrap_or(name).to_owned();
    Finding {
        lint,
        level,
        subject: Subject::Kernel {
            name: name.to_owned(),
            key: name.to_owned(),
            qualified,
            arch: on,
            foreign: false,
        },
        headline,
        weight: 0,
        labels: Vec::new(),
        notes: Vec::new(),
        help: None,
        table: None,
    }
}

/// The headline of `spill`.
pub(crate) fn spills(stores: u32, loads: u32) -> Headline {
    let words = format!(" spills {stores} bytes of stores and {loads} bytes of loads per thread on ");
    Headline::new().kernel().text(words).arch()
}
