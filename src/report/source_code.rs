//! The lines of a source that a finding points at, as miette wants them.
//!
//! miette's own `SourceCode` miscounts lines and scans the file for each label; here only the labelled lines are kept,
//! made safe to show and cut to the report's width, with their real line and column numbers.

use miette::{LabeledSpan, MietteError, SourceCode, SourceSpan, SpanContents};

use crate::finding::Label;
use crate::report::text::{cut, sanitize, wrap};

/// A label on a line longer than this (in characters) is not drawn.
const LONGEST_LINE: usize = 400;
/// Columns that miette needs beside the text, with a line number of up to five digits.
const MARGIN: usize = 9;
/// Columns between the underline's middle and its text.
const ARROW: usize = 4;
/// Columns for each tab.
const TAB: &str = "    ";

/// The labelled lines of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Snippet {
    name: String,
    lines: Vec<Line>,
    data: String,
    labels: Vec<Mark>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    number: u32,
    start: usize,
    end: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Mark {
    start: usize,
    end: usize,
    /// The 0-based column in the file, in characters.
    column: usize,
    text: String,
}

/// Whether the label can be drawn: its text is known, and its line is not too long.
pub(crate) fn drawable(label: &Label) -> bool {
    let Some((source, range)) = &label.span else { return false };
    let (line, _) = source.line_column(range.start.min(source.text().len()));
    source.line(line).is_some_and(|text| text.chars().nth(LONGEST_LINE).is_none())
}

impl Snippet {
    /// The lines of `labels`, all drawable and of one file, for a report of `width` columns; the first is the primary.
    pub(crate) fn new(labels: &[&Label], width: usize) -> Option<Self> {
        let name = sanitize(&labels.first()?.file);
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&index| labels[index].span.as_ref().map(|(_, range)| range.start));
        let mut snippet = Self { name, lines: Vec::new(), data: String::new(), labels: Vec::new() };
        let mut marks: Vec<Option<Mark>> = vec![None; labels.len()];
        for index in order {
            marks[index] = snippet.add(labels[index], width);
        }
        snippet.labels = marks.into_iter().flatten().collect();
        (!snippet.labels.is_empty()).then_some(snippet)
    }

    fn add(&mut self, label: &Label, width: usize) -> Option<Mark> {
        let (source, range) = label.span.as_ref()?;
        let start = range.start.min(source.text().len());
        let (number, column) = source.line_column(start);
        let line_range = source.line_range(number)?;
        let line = source.text().get(line_range.clone())?;
        let from = start.clamp(line_range.start, line_range.end) - line_range.start;
        let to = range.end.clamp(line_range.start + from, line_range.end) - line_range.start;
        let room = width.saturating_sub(MARGIN).max(20);
        let text = label.text.lines().map(sanitize).collect::<Vec<_>>().join(" ");
        let wanted = text.chars().count().min(room / 3) + ARROW;
        let shown = Shown::new(line, from, to, (room, wanted))?;
        let base = match self.lines.last() {
            Some(last) if last.number == number => last.start,
            _ => {
                let base = self.data.len();
                self.data.push_str(&shown.text);
                self.lines.push(Line { number, start: base, end: self.data.len() });
                self.data.push('\n');
                base
            }
        };
        let end = self.lines.last().map_or(base, |line| line.end);
        // another label may have cut this line elsewhere: then this one points at its end
        let same = self.data.get(base..end) == Some(shown.text.as_str());
        let (mark_start, mark_end) = if same { (base + shown.from, base + shown.to) } else { (end, end) };
        let text_room = room.saturating_sub(shown.middle + ARROW).max(room / 3);
        Some(Mark {
            start: mark_start,
            end: mark_end,
            column: usize::try_from(column).unwrap_or(1).saturating_sub(1),
            text: wrap(&text, text_room).join("\n"),
        })
    }

    /// The labels, the primary first.
    pub(crate) fn labels(&self) -> impl Iterator<Item = LabeledSpan> + '_ {
        self.labels.iter().enumerate().map(|(index, mark)| {
            let text = (!mark.text.is_empty()).then(|| mark.text.clone());
            let span = SourceSpan::from((mark.start, mark.end - mark.start));
            if index == 0 {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        })
    }
}

/// One line as it is shown: safe, without tabs, cut to the room around the label.
struct Shown {
    text: String,
    from: usize,
    to: usize,
    /// The column of the underline's middle.
    middle: usize,
}

impl Shown {
    /// `room`: columns for the line, and those that the label's text wants right of the underline's middle.
    fn new(line: &str, from: usize, to: usize, (room, wanted): (usize, usize)) -> Option<Self> {
        let (before, label, after) = (line.get(..from)?, line.get(from..to)?, line.get(to..)?);
        let safe = |text: &str| text.split('\t').map(visible).collect::<Vec<_>>().join(TAB);
        let (before, label, after) = (safe(before), safe(label), safe(after));
        let count = |text: &str| text.chars().count();
        let (ahead, length) = (count(&before), count(&label));
        let middle = ahead + length.min(room / 2) / 2;
        let over = if ahead + length.min(room / 2) > room.saturating_sub(2) {
            middle.saturating_sub(room / 4)
        } else {
            0
        };
        let skip = over.max((middle + wanted).saturating_sub(room)).min(ahead);
        let before: String = if skip > 0 {
            std::iter::once('…').chain(before.chars().skip(skip + 1)).collect()
        } else {
            before
        };
        let whole = format!("{before}{label}{after}");
        let from = before.len();
        let text = cut(&whole, room);
        let boundary =
            |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let (from, to) = (boundary(from), boundary(from + label.len()));
        let shown_label = length.min(room.saturating_sub(count(&before)));
        Some(Self { from, to, middle: count(&before) + shown_label / 2, text })
    }
}

/// Every character that would steer a terminal is replaced by one that shows.
fn visible(text: &str) -> String {
    text.chars().map(|c| sanitize(c.encode_utf8(&mut [0; 4])).chars().next().unwrap_or('\u{fffd}')).collect()
}

impl SourceCode for Snippet {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        let index = |at: usize| self.lines.partition_point(|line| line.start <= at).checked_sub(1);
        let (Some(first), Some(last)) = (index(start), index(end)) else {
            return Err(MietteError::OutOfBounds);
        };
        let (Some(first_line), Some(last_line)) = (self.lines.get(first), self.lines.get(last)) else {
            return Err(MietteError::OutOfBounds);
        };
        let data = self.data.get(first_line.start..last_line.end + 1).ok_or(MietteError::OutOfBounds)?;
        let column = self.labels.iter().find(|mark| mark.start == start).map_or(0, |mark| mark.column);
        Ok(Box::new(Contents {
            data: data.as_bytes(),
            span: SourceSpan::from((first_line.start, data.len())),
            name: &self.name,
            line: usize::try_from(first_line.number).unwrap_or(1).saturating_sub(1),
            column,
            line_count: last - first + 1,
        }))
    }
}

struct Contents<'a> {
    data: &'a [u8],
    span: SourceSpan,
    name: &'a str,
    line: usize,
    column: usize,
    line_count: usize,
}

impl<'a> SpanContents<'a> for Contents<'a> {
    fn data(&self) -> &'a [u8] {
        self.data
    }
    fn span(&self) -> &SourceSpan {
        &self.span
    }
    fn name(&self) -> Option<&str> {
        Some(self.name)
    }
    fn line(&self) -> usize {
        self.line
    }
    fn column(&self) -> usize {
        self.column
    }
    fn line_count(&self) -> usize {
        self.line_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::label;
    use crate::source::SourceText;

    fn read(snippet: &Snippet, at: usize, len: usize) -> (usize, usize, usize, String) {
        let span = SourceSpan::from((at, len));
        let contents = snippet.read_span(&span, 0, 0).unwrap();
        let text = String::from_utf8(contents.data().to_vec()).unwrap();
        (contents.line() + 1, contents.column() + 1, contents.line_count(), text)
    }

    #[test]
    fn only_the_labelled_lines_are_kept_with_their_real_numbers() {
        let source = SourceText::new("a.cu", "first\r\n\tsecond here\r\nthird\n");
        let (here, third) = (label(&source, "here", "x"), label(&source, "third", "y"));
        let snippet = Snippet::new(&[&third, &here], 80).unwrap();
        let labels: Vec<LabeledSpan> = snippet.labels().collect();
        assert!(labels[0].primary());
        assert_eq!(labels[0].label(), Some("y"));
        assert_eq!(read(&snippet, labels[1].offset(), 4), (2, 9, 1, "    second here\n".to_owned()));
        assert_eq!(read(&snippet, labels[0].offset(), 5), (3, 1, 1, "third\n".to_owned()));
        assert_eq!(&snippet.data[labels[1].offset()..][..labels[1].len()], "here");
    }

    #[test]
    fn what_steers_a_terminal_is_replaced_one_for_one() {
        let source = SourceText::new("a\x1b.cu", "int a\x1b[31m\u{202e}\u{9b}; b\n");
        let snippet = Snippet::new(&[&label(&source, "b", "ESC \x1b\nhere")], 80).unwrap();
        assert_eq!(snippet.data, "int a\u{fffd}[31m\u{fffd}\u{fffd}; b\n");
        assert_eq!(snippet.name, "a\u{fffd}.cu");
        assert_eq!(snippet.labels[0].text, "ESC \u{fffd} here");
    }

    #[test]
    fn a_line_wider_than_the_report_is_cut_around_its_label() {
        let source = SourceText::new("a.cu", format!("{}target{}\n", "x ".repeat(80), " y".repeat(80)));
        let snippet = Snippet::new(&[&label(&source, "target", "")], 80).unwrap();
        assert!(snippet.data.chars().count() <= 80 - MARGIN + 1, "{}", snippet.data);
        let mark = &snippet.labels[0];
        assert_eq!(&snippet.data[mark.start..mark.end], "target");
        assert_eq!(mark.column, 160);
        assert!(snippet.data.starts_with('…') && snippet.data.ends_with("…\n"));
    }

    #[test]
    fn a_line_longer_than_400_columns_is_not_drawn() {
        let source = SourceText::new("a.cu", format!("a{}\nb{}\n", "-".repeat(399), "-".repeat(400)));
        assert!(drawable(&label(&source, "a", "")));
        assert!(!drawable(&label(&source, "b", "")));
    }

    #[test]
    fn places_outside_the_text_do_not_panic() {
        let source = SourceText::new("a.cu", "größe\n");
        for range in [0..900, 700..800, 3..4, 4..4, 7..7] {
            let label = Label { span: Some((source.clone(), range)), ..label(&source, "g", "text") };
            let _ = (drawable(&label), Snippet::new(&[&label], 40));
        }
        assert!(Snippet::new(&[], 40).is_none());
    }
}
