use super::*;
use crate::report::fixture::label;
use crate::source::SourceText;

fn canvas(width: usize) -> Canvas {
    Canvas { width, unicode: true, verbose: false }
}

#[test]
fn labels_of_one_line_are_drawn_apart() {
    for (given, drawn) in [
        (vec![(33, 58), (0, 91)], vec![(33, 58), (0, 33)]),
        (vec![(0, 91), (0, 20)], vec![(20, 91), (0, 20)]),
        (vec![(4, 9), (12, 20)], vec![(4, 9), (12, 20)]),
        (vec![(4, 9), (4, 9)], vec![(4, 9), (9, 9)]),
        (vec![(7, 7)], vec![(7, 7)]),
    ] {
        assert_eq!(apart(given.clone()), drawn, "{given:?}");
    }
}

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
    let snippet = Snippet::new(&[&third, &here], canvas(80)).unwrap();
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
    let snippet = Snippet::new(&[&label(&source, "b", "ESC \x1b\nhere")], canvas(80)).unwrap();
    assert_eq!(snippet.data, "int a\u{fffd}[31m\u{fffd}\u{fffd}; b\n");
    assert_eq!(snippet.name, "a\u{fffd}.cu");
    assert_eq!(snippet.labels[0].text, "ESC \u{fffd} here");
}

#[test]
fn a_line_wider_than_the_report_is_cut_around_its_label() {
    let source = SourceText::new("a.cu", format!("{}target{}\n", "x ".repeat(80), " y".repeat(80)));
    let snippet = Snippet::new(&[&label(&source, "target", "")], canvas(80)).unwrap();
    assert!(snippet.data.chars().count() <= 80 - MARGIN + 1, "{}", snippet.data);
    let mark = &snippet.labels[0];
    assert_eq!(&snippet.data[mark.start..mark.end], "target");
    assert_eq!(mark.column, 160);
    assert!(snippet.data.starts_with('…') && snippet.data.ends_with("…\n"));
}

#[test]
fn wide_characters_are_cut_by_columns_and_keep_their_labels() {
    for front in ["核心", "🚀 ", "e\u{301}x"] {
        let source = SourceText::new("a.cu", format!("{}核target心{}\n", front.repeat(40), "心".repeat(80)));
        let snippet = Snippet::new(&[&label(&source, "target", "")], canvas(60)).unwrap();
        assert!(width(snippet.data.trim_end()) <= 60 - MARGIN, "{}", snippet.data);
        let mark = &snippet.labels[0];
        assert_eq!(&snippet.data[mark.start..mark.end], "target", "{}", snippet.data);
    }
}

#[test]
fn labels_of_one_wide_line_are_seen_together_and_underlined_in_ascii_too() {
    let line = format!("{}→ __launch_bounds__(128, 8) kernel(float* o)\n", "typename A, ".repeat(12));
    let source = SourceText::new("a.cu", line);
    let labels = [label(&source, "kernel", ""), label(&source, "__launch_bounds__(128, 8)", "says so")];
    for (unicode, sign) in [(true, "…"), (false, "...")] {
        let snippet =
            Snippet::new(&[&labels[0], &labels[1]], Canvas { width: 80, unicode, verbose: false }).unwrap();
        let under: Vec<&str> =
            snippet.labels.iter().map(|mark| &snippet.data[mark.start..mark.end]).collect();
        assert_eq!(under, ["kernel", "__launch_bounds__(128, 8)"], "{}", snippet.data);
        assert!(snippet.data.starts_with(sign), "{}", snippet.data);
        assert!(unicode == snippet.data.contains('→'), "{}", snippet.data);
        assert_eq!(snippet.lines.len(), 1);
    }
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
        let _ = (drawable(&label), Snippet::new(&[&label], canvas(40)));
    }
    assert!(Snippet::new(&[], canvas(40)).is_none());
}
