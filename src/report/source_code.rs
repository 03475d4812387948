//! The lines of a source that a finding points at, as miette wants them.
//!
//! miette's own `SourceCode` miscounts lines and scans the file for each label; here only the labelled lines are kept,
//! made safe to show and cut to the report's width, with their real line and column numbers.

use miette::{LabeledSpan, MietteError, SourceCode, SourceSpan, SpanContents};

use crate::finding::Label;
use crate::order::{self, Map};
use crate::report::HumanStyle;
use crate::text::{char_width, cut, cut_front, sanitize, width, wrap};

/// A label on a line longer than this (in characters) is not drawn.
const LONGEST_LINE: usize = 400;
/// Columns that miette needs beside the text, with a line number of up to five digits.
const MARGIN: usize = 9;
/// Columns of a frame's first line beside the path, with a line number of up to five digits.
const HEADER: usize = 19;
/// Columns between the underline's middle and its text.
const ARROW: usize = 4;
/// The least columns that a label's text is wrapped to.
const NARROWEST: usize = 16;
/// Columns for each tab.
const TAB: &str = "    ";

/// The labelled lines of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Snippet {
    name: String,
    lines: Vec<Line>,
    data: String,
    labels: Vec<Mark>,
    untold: Vec<String>,
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

/// How much room there is, and in which signs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Canvas {
    /// Columns of the report.
    pub(crate) width: usize,
    /// `…` is one sign; else it is three.
    pub(crate) unicode: bool,
    /// Long paths are shown in full.
    pub(crate) verbose: bool,
}

impl From<HumanStyle> for Canvas {
    fn from(style: HumanStyle) -> Self {
        Self { width: style.width.clamp(40, 120), unicode: style.unicode, verbose: style.verbose }
    }
}

impl Canvas {
    /// The path as it stands in the frame's first line, before the line and the column.
    fn path(self, file: &str) -> String {
        let file = sanitize(file);
        if self.verbose { file } else { cut_front(&file, self.width.saturating_sub(HEADER)) }
    }
}

impl Snippet {
    /// The lines of `labels`, all drawable and of one file; the first is the primary.
    pub(crate) fn new(labels: &[&Label], canvas: Canvas) -> Option<Self> {
        let name = canvas.path(&labels.first()?.file);
        let mut lines: Map<u32, Vec<Place<'_>>> = Map::new();
        for place in labels.iter().enumerate().filter_map(|(index, label)| Place::new(index, label)) {
            lines.get_or_default(place.number).push(place);
        }
        let mut snippet =
            Self { name, lines: Vec::new(), data: String::new(), labels: Vec::new(), untold: Vec::new() };
        let mut marks: Vec<Option<Mark>> = vec![None; labels.len()];
        for (number, places) in lines {
            snippet.add(number, &places, canvas, &mut marks);
        }
        snippet.labels = marks.into_iter().flatten().collect();
        (!snippet.labels.is_empty()).then_some(snippet)
    }

    /// Adds one line with all its labels, cut where they are seen.
    fn add(&mut self, number: u32, places: &[Place<'_>], canvas: Canvas, marks: &mut [Option<Mark>]) {
        let room = canvas.width.saturating_sub(MARGIN).max(20);
        let Some(shown) = Shown::new(places, room, canvas.unicode) else { return };
        let base = self.data.len();
        self.data.push_str(&shown.text);
        self.lines.push(Line { number, start: base, end: self.data.len() });
        self.data.push('\n');
        let columns = apart(places.iter().map(|place| shown.columns(place)).collect());
        for (place, (from, to)) in places.iter().zip(columns) {
            let text_room = room.saturating_sub((from + to) / 2 + ARROW);
            let lines = wrap(&place.text, text_room);
            let fits = text_room >= NARROWEST && lines.iter().all(|line| width(line) <= text_room);
            if !fits && !place.text.is_empty() {
                self.untold.push(format!("line {}: {}", place.number, place.text));
            }
            let mark = Mark {
                start: base + shown.byte(from),
                end: base + shown.byte(to),
                column: place.column,
                text: if fits { lines.join("\n") } else { String::new() },
            };
            if let Some(slot) = marks.get_mut(place.index) {
                *slot = Some(mark);
            }
        }
    }

    /// What stands at labels that have no room for it beside them.
    pub(crate) fn untold(&self) -> &[String] {
        &self.untold
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

/// Columns of one line's labels that overlap nowhere, since miette moves what overlaps to where it does not belong: one that
/// holds another ends before it, or begins behind it.
fn apart(mut columns: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order::sort_by_key(&mut order, |&index| columns[index]);
    for pair in 1..order.len() {
        let (before, after) = (order[pair - 1], order[pair]);
        let ((from, to), (next, end)) = (columns[before], columns[after]);
        if next >= to {
            continue;
        }
        if next > from { columns[before].1 = next } else { columns[after].0 = to.min(end) }
    }
    columns
}

/// Where a label stands on its line.
struct Place<'a> {
    /// The label's number.
    index: usize,
    /// The 1-based line.
    number: u32,
    line: &'a str,
    /// The 0-based column in the file, in characters.
    column: usize,
    /// The 0-based columns on the line with its tabs spread, the end exclusive.
    from: usize,
    to: usize,
    /// What stands there, safe and in one line.
    text: String,
}

impl<'a> Place<'a> {
    fn new(index: usize, label: &'a Label) -> Option<Self> {
        let (source, range) = label.span.as_ref()?;
        let (number, column) = source.line_column(range.start.min(source.text().len()));
        let whole = source.line_range(number)?;
        let line = source.text().get(whole.clone())?;
        let from = range.start.clamp(whole.start, whole.end) - whole.start;
        let to = range.end.clamp(whole.start + from, whole.end) - whole.start;
        let columns = |text: &str| {
            text.chars().map(|c| if c == '\t' { TAB.len() } else { shown_width(c) }).sum::<usize>()
        };
        let (before, under) = (columns(line.get(..from)?), columns(line.get(from..to)?));
        let column = usize::try_from(column).unwrap_or(1).saturating_sub(1);
        let text = label.text.lines().map(sanitize).collect::<Vec<_>>().join(" ");
        Some(Self { index, number, line, column, from: before, to: before + under, text })
    }
}

/// One line as it is shown: safe, without tabs, cut to the room around its labels.
struct Shown {
    text: String,
    /// Columns that were cut from the front, less those of the sign that says so.
    skipped: usize,
    /// Columns of that sign.
    sign: usize,
    length: usize,
}

impl Shown {
    fn new(places: &[Place<'_>], room: usize, unicode: bool) -> Option<Self> {
        let line = places.first()?.line;
        let safe: Vec<char> = visible(line, unicode);
        let sign = if unicode { "…" } else { "..." };
        let first = places.iter().map(|place| place.from).min()?;
        let needed = places.iter().map(|place| wanted(place, room)).max()?;
        let mut skipped = needed.saturating_sub(room).min(first);
        let mut front = "";
        if skipped > 0 {
            // the sign takes the place of as many columns, but never that of a label
            skipped = skipped.min(first.saturating_sub(width(sign)));
            front = if skipped > 0 { sign } else { "" };
        }
        let sign = width(front);
        let gone = if skipped > 0 { skipped + sign } else { 0 };
        let mut passed = 0;
        let rest = safe.iter().skip_while(|&&c| {
            let whole = passed >= gone;
            passed += if whole { 0 } else { char_width(c) };
            !whole
        });
        let text = cut(&front.chars().chain(rest.copied()).collect::<String>(), room);
        // a wide character goes as a whole
        let skipped = passed.saturating_sub(sign);
        let length = width(&text);
        Some(Self { text, skipped, sign, length })
    }

    /// The 0-based columns of a label, clamped to what is shown.
    fn columns(&self, place: &Place<'_>) -> (usize, usize) {
        let at =
            |column: usize| column.saturating_sub(self.skipped).clamp(self.sign, self.length.max(self.sign));
        (at(place.from), at(place.to))
    }

    /// The byte of a column.
    fn byte(&self, column: usize) -> usize {
        let mut before = 0;
        let at = self.text.char_indices().find(|&(_, c)| {
            let found = before >= column && char_width(c) > 0;
            before += char_width(c);
            found
        });
        at.map_or(self.text.len(), |(at, _)| at)
    }
}

/// The column up to which a line should be seen for this label: its end, and room for its text.
fn wanted(place: &Place<'_>, room: usize) -> usize {
    let length = (place.to - place.from).min(room / 2);
    let text = width(&place.text).min(room / 3) + ARROW;
    (place.from + length + 1).max(place.from + length / 2 + text)
}

/// Columns of a character of the source as it is shown; what [`sanitize`] takes away is shown too.
fn shown_width(c: char) -> usize {
    char_width(one(c))
}

/// One that shows, for one.
fn one(c: char) -> char {
    sanitize(c.encode_utf8(&mut [0; 4])).chars().next().unwrap_or('\u{fffd}')
}

/// A line with tabs spread and every character that would steer a terminal replaced by one that shows.
fn visible(line: &str, unicode: bool) -> Vec<char> {
    let mut out = Vec::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => out.extend(TAB.chars()),
            c if unicode => out.push(one(c)),
            c => out.push(ascii_sign(one(c))),
        }
    }
    out
}

/// One sign for one, so that underlines stay where they are when the report is turned to ASCII.
fn ascii_sign(c: char) -> char {
    match c {
        '…' => '.',
        '→' => '>',
        '×' => 'x',
        '–' => '-',
        c => c,
    }
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
mod tests;
