//! The report for people: miette's graphical frame for the worst groups, a line each for the rest.

use crate::check::Report;

/// How the human report is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HumanStyle {
    /// Columns, 40–120.
    pub width: usize,
    /// ANSI colours.
    pub color: bool,
    /// Unicode frames; else ASCII.
    pub unicode: bool,
    /// Name every kernel of a group and draw every group.
    pub verbose: bool,
    /// Show findings whose place lies outside the package.
    pub foreign: bool,
}

/// Renders the findings for people. Without the feature `graphical` it is the `short` text, with why and what to do below
/// what is denied.
#[cfg(not(feature = "graphical"))]
pub fn human(report: &Report, style: HumanStyle) -> String {
    lines(report, style)
}

/// A line for each group; below denied ones why, at the places of the worst, and what to do, a line each.
#[cfg(any(test, not(feature = "graphical")))]
pub(super) fn lines(report: &Report, style: HumanStyle) -> String {
    use crate::finding::Level;
    use crate::report::group::is_foreign;
    use crate::report::short::{Units, line, place};
    use crate::report::{group, words};
    use crate::text::sanitize;

    let units = Units::of(report);
    let mut out = String::new();
    for group in group(&report.findings).iter().filter(|group| style.foreign || !is_foreign(group.worst)) {
        out.push_str(&format!("{}\n", line(group, &units)));
        if group.worst.level < Level::Deny {
            continue;
        }
        for label in group.worst.labels.iter().filter(|label| !label.text.is_empty()) {
            out.push_str(&format!("  {}: {}\n", place(label), sanitize(&label.text)));
        }
        if let Some(advice) = words::advice(group, None) {
            out.push_str(&format!("  help: {}\n", sanitize(&advice.replace('\n', "; "))));
        }
    }
    out
}

/// Renders the findings for people: the worst five groups drawn, the rest a line each, about a hundred lines in all
/// unless `verbose`. Without the feature `graphical` it is the `short` text, with why and what to do below what is denied.
#[cfg(feature = "graphical")]
pub fn human(report: &Report, style: HumanStyle) -> String {
    graphical::human(report, style)
}

#[cfg(feature = "graphical")]
mod graphical {
    use super::HumanStyle;
    use crate::check::Report;
    use crate::report::frame::{Room, draw, draw_within};
    use crate::report::group::is_foreign;
    use crate::report::short::{Units, prefix};
    use crate::report::{Group, GroupDiagnostic, group, summary, words};
    use crate::text::{count, cut, cut_front};

    /// Groups that are drawn.
    const DRAWN: usize = 5;
    /// Lines of a report that is not verbose, the closing line outside it.
    const LINES: usize = 95;
    /// How a group is drawn, from the whole to the least: its places, its lines, its lines with a table. The worst keeps its
    /// table in all of them.
    const SIZES: [(usize, usize, usize); 5] = [
        (usize::MAX, usize::MAX, usize::MAX),
        (3, usize::MAX, usize::MAX),
        (2, usize::MAX, usize::MAX),
        (2, 15, 19),
        (1, 13, 16),
    ];
    /// Lines for the groups that are not drawn, however long the drawn ones are.
    const FEWEST_LINES: usize = 8;

    pub(super) fn human(report: &Report, style: HumanStyle) -> String {
        // three characters stand for each of at most four `…` of a line
        let width = if style.unicode { style.width } else { style.width.saturating_sub(8) };
        let style = HumanStyle { width, ..style };
        let groups: Vec<Group<'_>> = group(&report.findings)
            .into_iter()
            .filter(|group| style.foreign || !is_foreign(group.worst))
            .collect();
        let (mut out, drawn) = drawn(&groups, style);
        let rest = &groups[drawn..];
        let room = LINES.saturating_sub(out.lines().count()).max(FEWEST_LINES);
        let shown = if rest.len() > room { room - 1 } else { rest.len() };
        let units = Units::of(report);
        for group in &rest[..shown] {
            out.push_str(&line(group, &units, style));
        }
        if rest.len() > shown {
            out.push_str(&format!("… and {} more: -v shows them\n", rest.len() - shown));
        }
        let libraries = libraries(report, style);
        if shown > 0 && !libraries.is_empty() {
            out.push('\n');
        }
        out.push_str(&libraries);
        if style.unicode { out } else { ascii(&out) }
    }

    /// The groups that are drawn, and how many they are: all, or the worst as far as there is room.
    fn drawn(groups: &[Group<'_>], style: HumanStyle) -> (String, usize) {
        if style.verbose || groups.len() <= DRAWN {
            let all = groups.iter().map(|group| draw(&GroupDiagnostic::new(group, style), style) + "\n");
            return (all.collect(), groups.len());
        }
        let rest = (groups.len() - DRAWN).max(FEWEST_LINES);
        let mut pictures: Vec<Picture> =
            groups.iter().take(DRAWN).enumerate().map(|of| Picture::new(of, 0, style)).collect();
        let lines = |pictures: &[Picture]| pictures.iter().map(|picture| picture.lines).sum::<usize>();
        // the largest gives way first
        while lines(&pictures) + rest > LINES {
            let shrinks = |(_, picture): &(usize, &Picture)| picture.size + 1 < SIZES.len();
            let Some((at, _)) = pictures.iter().enumerate().filter(shrinks).max_by_key(|(_, p)| p.lines)
            else {
                break;
            };
            pictures[at] = Picture::new((at, &groups[at]), pictures[at].size + 1, style);
        }
        let (mut out, mut lines) = (String::new(), 0);
        for (index, picture) in pictures.iter().enumerate() {
            lines += picture.lines;
            if index > 0 && lines > LINES - FEWEST_LINES {
                return (out, index);
            }
            out.push_str(&picture.text);
        }
        (out, DRAWN)
    }

    /// A group as it is drawn.
    struct Picture {
        /// Index in [`SIZES`].
        size: usize,
        text: String,
        lines: usize,
    }

    impl Picture {
        fn new((at, group): (usize, &Group<'_>), size: usize, style: HumanStyle) -> Self {
            let (places, plain, table) = SIZES[size];
            let diagnostic = GroupDiagnostic::with_places(group, style, places);
            let lines = if diagnostic.table().is_some() { table } else { plain };
            let text = draw_within(&diagnostic, style, Room { lines, keep_table: at == 0 }) + "\n";
            Self { size, lines: text.lines().count(), text }
        }
    }

    /// A group in one line of the report's width: its figures come before the whole of its place and its name.
    fn line(group: &Group<'_>, units: &Units<'_>, style: HumanStyle) -> String {
        let worst = group.worst;
        let width = style.width.clamp(40, 120);
        let place = prefix(worst, units);
        let head = format!("{}[{}]: ", worst.level.heading(), worst.lint);
        let message = words::brief(group, width / 4);
        let left = width.saturating_sub(crate::text::width(&head) + crate::text::width(&message));
        let place = cut_front(&place, left.max(width / 4));
        cut(&format!("{place}{head}{message}"), width) + "\n"
    }

    /// The findings about kernels of libraries, in one line, where they are not shown.
    fn libraries(report: &Report, style: HumanStyle) -> String {
        let counts = summary(report);
        let (findings, kernels) = (counts.foreign_findings, counts.foreign_kernels);
        if style.foreign || findings == 0 {
            return String::new();
        }
        let (findings, kernels) = (count(findings, "finding"), count(kernels, "kernel"));
        format!("{findings} about {kernels} of libraries, outside the package: --foreign shows them\n")
    }

    /// Our own signs for terminals that have ASCII only; names and sources stay as they are.
    fn ascii(text: &str) -> String {
        text.replace('…', "...").replace('→', "->").replace('×', "x").replace('–', "-")
    }
}
