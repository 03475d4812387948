//! Findings of one cause, merged: architectures that agree, instantiations of one template.

use std::cmp::Reverse;

use crate::arch::Arch;
use crate::finding::{Finding, Label, Level, Subject};
use crate::lints;
use crate::order::{self, Map, Set};

/// Findings of one lint and level with one cause.
#[derive(Clone, PartialEq, Debug)]
pub struct Group<'a> {
    /// The worst of them: its message, places, notes and help stand for all.
    pub worst: &'a Finding,
    /// All, the worst first.
    pub members: Vec<&'a Finding>,
    /// The architectures whose message is the same as the worst's, ascending.
    pub archs: Vec<Arch>,
    /// Distinct kernels (by key).
    pub kernels: usize,
}

/// What findings of one group share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key<'a> {
    level: Reverse<Level>,
    lint: &'static str,
    foreign: bool,
    cause: Cause<'a>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Cause<'a> {
    Line(&'a str, u32),
    /// Kernels that one macro makes, wherever its file invokes it.
    Macro(&'a str, &'a str),
    /// Advisories of different codes at one place have different causes.
    Advisory(&'a str, String),
    Name(&'a str),
    Unit(&'a str, String),
    /// The configuration's findings are about one place each: the number in the report.
    Config(usize),
}

/// Groups findings by lint, level and place: instantiations of one template are one group, and so is what one macro of a
/// file makes.
///
/// Denied groups come first, then the heaviest; ties by lint, place and name. The order of `findings` changes nothing.
pub fn group(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut groups: Map<Key<'_>, Vec<&Finding>> = Map::new();
    for (index, finding) in findings.iter().enumerate() {
        groups.get_or_default(key(finding, index)).push(finding);
    }
    let mut groups: Vec<Group<'_>> = groups.into_values().filter_map(merge).collect();
    order::sort_by(&mut groups, |a, b| order(a).cmp(&order(b)));
    groups
}

/// A name for the group that a finding belongs to, the same for all its members and in every report of the same
/// sources.
#[cfg(any(test, feature = "json"))]
pub(crate) fn group_id(finding: &Finding) -> String {
    let key = key(finding, 0);
    let cause = match key.cause {
        Cause::Line(file, line) => format!("{file}:{line}"),
        Cause::Macro(file, name) => format!("{file}: {name}"),
        Cause::Name(name) => name.to_owned(),
        Cause::Advisory(name, message) => format!("{name}: {message}"),
        Cause::Unit(unit, message) => format!("{unit}: {message}"),
        Cause::Config(_) => match finding.labels.first() {
            Some(label) => format!("{}:{}: {}", label.file, label.line, finding.message()),
            None => finding.message(),
        },
    };
    format!("{}/{}/{cause}", key.lint, finding.level.word())
}

/// Whether a finding is about a kernel outside the package.
pub(crate) fn is_foreign(finding: &Finding) -> bool {
    matches!(finding.subject, Subject::Kernel { foreign: true, .. })
}

/// The architecture that a finding is about.
pub(crate) fn arch_of(finding: &Finding) -> Option<Arch> {
    match finding.subject {
        Subject::Kernel { arch, .. } | Subject::Unit { arch, .. } => arch,
        Subject::Config => None,
    }
}

/// The name that a finding is about: the kernel's, the unit's, or none.
pub(crate) fn name_of(finding: &Finding) -> &str {
    match &finding.subject {
        Subject::Kernel { name, .. } => name,
        Subject::Unit { unit, .. } => unit,
        Subject::Config => "",
    }
}

fn key(finding: &Finding, index: usize) -> Key<'_> {
    let cause = match (&finding.subject, finding.labels.first()) {
        (Subject::Config, _) => Cause::Config(index),
        (Subject::Unit { unit, .. }, _) => Cause::Unit(unit, finding.headline.render(unit, "")),
        (Subject::Kernel { qualified, .. }, _) if finding.lint == "perf-advisory" => {
            Cause::Advisory(qualified, finding.headline.render("", ""))
        }
        (Subject::Kernel { qualified, .. }, Some(label)) => match macro_of(label, qualified) {
            Some(name) => Cause::Macro(&label.file, name),
            None => Cause::Line(&label.file, label.line),
        },
        (Subject::Kernel { qualified, .. }, None) => Cause::Name(qualified),
    };
    Key { level: Reverse(finding.level), lint: finding.lint, foreign: is_foreign(finding), cause }
}

/// The macro that is invoked where a kernel's name stands: the line begins with `NAME(`, and what follows is no
/// declaration of the kernel itself.
fn macro_of<'a>(label: &'a Label, qualified: &str) -> Option<&'a str> {
    let (source, _) = label.span.as_ref()?;
    let line = source.line(label.line)?.trim_start();
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = line.split_at(end);
    let base = qualified.rsplit("::").next().unwrap_or(qualified);
    let opens = |text: &str| text.trim_start().starts_with(['(', '<']);
    let declared = || rest.match_indices(base).any(|(at, _)| opens(&rest[at + base.len()..]));
    let invoked = rest.trim_start().starts_with('(') && !name.starts_with("__") && name != base;
    (invoked && !rest.contains("__global__") && !declared()).then_some(name)
}

fn merge(mut members: Vec<&Finding>) -> Option<Group<'_>> {
    order::sort_by(&mut members, |a, b| {
        let order = |finding: &Finding| Reverse(finding.weight);
        (order(a), name_of(a), arch_of(a)).cmp(&(order(b), name_of(b), arch_of(b)))
    });
    let worst = *members.first()?;
    let archs = agreeing(worst, &members);
    let kernels = members.iter().filter_map(|finding| kernel_key(finding)).collect::<Set<_>>().len();
    Some(Group { worst, members, archs, kernels })
}

/// The architectures of the members that say the same as `finding` about the same kernel, ascending.
pub(crate) fn agreeing(finding: &Finding, members: &[&Finding]) -> Vec<Arch> {
    let same = |other: &&&Finding| says_the_same(finding, other);
    members.iter().filter(same).filter_map(|other| arch_of(other)).collect::<Set<_>>().into_iter().collect()
}

/// Whether two findings differ in nothing but the architecture.
pub(crate) fn says_the_same(a: &Finding, b: &Finding) -> bool {
    a.headline == b.headline && name_of(a) == name_of(b) && arch_of(a).is_some() == arch_of(b).is_some()
}

/// The key of the kernel that a finding is about.
pub(crate) fn kernel_key(finding: &Finding) -> Option<&str> {
    match &finding.subject {
        Subject::Kernel { key, .. } => Some(key),
        Subject::Unit { .. } | Subject::Config => None,
    }
}

type Order<'a> = (Reverse<Level>, u8, Reverse<u64>, &'static str, Option<(&'a str, u32)>, &'a str);

fn order<'a>(group: &Group<'a>) -> Order<'a> {
    let worst = group.worst;
    let place = worst.labels.first().map(|label| (label.file.as_str(), label.line));
    (Reverse(worst.level), rank(worst.lint), Reverse(worst.weight), worst.lint, place, name_of(worst))
}

fn rank(lint: &str) -> u8 {
    lints::find(lint).map_or(u8::MAX, |lint| lint.rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::{arch, finding, label, spills};
    use crate::source::SourceText;

    fn spill(name: &str, on: u16, bytes: u32, line: &str) -> Finding {
        let text = SourceText::new("a.cu", "one\ntwo\nthree\n");
        let mut made = finding("spill", Level::Warn, name, Some(arch(on)), spills(bytes, bytes));
        made.weight = u64::from(bytes);
        made.labels = vec![label(&text, line, "")];
        made
    }

    #[test]
    fn a_template_at_one_line_is_one_group_with_the_worst_first() {
        let findings =
            [spill("k<1>", 80, 8, "one"), spill("k<2>", 80, 96, "one"), spill("k<3>", 90, 16, "one")];
        let groups = group(&findings);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].kernels, 3);
        assert_eq!(name_of(groups[0].worst), "k<2>");
        let names: Vec<&str> = groups[0].members.iter().map(|finding| name_of(finding)).collect();
        assert_eq!(names, ["k<2>", "k<3>", "k<1>"]);
    }

    #[test]
    fn architectures_are_merged_only_where_they_agree() {
        let findings = [spill("k", 90, 8, "one"), spill("k", 80, 8, "one"), spill("k", 120, 4, "one")];
        let groups = group(&findings);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].archs, [arch(80), arch(90)]);
        assert_eq!(groups[0].kernels, 1);
    }

    #[test]
    fn level_lint_line_and_library_divide_groups_and_denied_ones_lead() {
        let mut findings =
            vec![spill("a", 80, 900, "one"), spill("b", 80, 8, "two"), spill("c", 80, 9, "two")];
        findings[2].level = Level::Deny;
        let mut library = spill("a", 80, 900, "one");
        let Subject::Kernel { foreign, .. } = &mut library.subject else { panic!("a kernel") };
        *foreign = true;
        findings.push(library);
        let names: Vec<(&str, bool)> =
            group(&findings).iter().map(|group| (name_of(group.worst), is_foreign(group.worst))).collect();
        assert_eq!(names, [("c", false), ("a", false), ("a", true), ("b", false)]);
    }

    #[test]
    fn without_a_place_instantiations_share_the_qualified_name() {
        let mut findings =
            [spill("k<1>", 80, 8, "one"), spill("k<2>", 80, 8, "one"), spill("m", 80, 8, "one")];
        for finding in &mut findings {
            finding.labels.clear();
        }
        assert_eq!(group(&findings).len(), 2);
        assert_eq!(group_id(&findings[0]), group_id(&findings[1]));
        assert_ne!(group_id(&findings[0]), group_id(&findings[2]));
    }

    /// A spill of `qualified` whose place is the line of `text` that has `needle`.
    fn at(text: &str, needle: &str, qualified: &str) -> Finding {
        let mut made = spill(qualified, 80, 8, "one");
        let Subject::Kernel { qualified: name, .. } = &mut made.subject else { panic!("a kernel") };
        *name = qualified.to_owned();
        made.labels = vec![label(&SourceText::new("a.cu", text), needle, "")];
        made
    }

    #[test]
    fn the_kernels_of_one_macro_are_one_group_and_declarations_are_not() {
        let text = "ROW(1) ROW(2)\nROW(3)\n  MAKE(named, 4)\nMAKE(other, 5)\nBOUNDS(128) void own(float* o) {\n\
                    BOUNDS(64) void next(float* o) {\nalone(float* o)\nGLOBAL(8) __global__ void g(int)\nzz";
        for (a, b, groups) in [
            (("ROW(1)", "row_1"), ("ROW(3)", "row_3"), 1),
            (("MAKE(named", "ns::named"), ("MAKE(other", "ns::other"), 1),
            (("ROW(3)", "row_3"), ("MAKE(other", "other"), 2),
            (("own", "own"), ("next", "next"), 2),
            (("alone", "ns::alone"), ("own", "own"), 2),
            (("GLOBAL", "f"), ("zz", "zz"), 2),
        ] {
            let findings = [at(text, a.0, a.1), at(text, b.0, b.1)];
            assert_eq!(group(&findings).len(), groups, "{a:?} {b:?}");
        }
        assert_eq!(group_id(&at(text, "MAKE(other", "ns::other")), "spill/warn/a.cu: MAKE");
        for (needle, name) in [("own", "own"), ("alone", "ns::alone"), ("GLOBAL", "f"), ("zz", "zz")] {
            let id = group_id(&at(text, needle, name));
            assert!(id.starts_with("spill/warn/a.cu:") && !id.contains(": "), "{id}");
        }
    }

    #[test]
    fn the_name_of_a_group_says_its_place_and_no_number_of_the_report() {
        let mut config = Finding { subject: Subject::Config, ..spill("x", 80, 8, "two") };
        config.headline = crate::finding::Headline::new().text("matches nothing");
        assert_eq!(group_id(&config), "spill/warn/a.cu:2: matches nothing");
        assert_eq!(group_id(&spill("k<1>", 80, 8, "one")), "spill/warn/a.cu:1");
    }

    #[test]
    fn units_merge_over_architectures_and_configuration_never() {
        let unit = |on| Finding {
            subject: Subject::Unit { unit: "a.cu".to_owned(), arch: Some(arch(on)) },
            ..spill("x", on, 8, "one")
        };
        let config = Finding { subject: Subject::Config, ..spill("x", 80, 8, "one") };
        let findings = [unit(80), unit(90), config.clone(), config];
        let sizes: Vec<usize> = group(&findings).iter().map(|group| group.members.len()).collect();
        assert_eq!(sizes, [1, 1, 2]);
    }

    #[test]
    fn ten_thousand_findings_are_one_group() {
        let findings: Vec<Finding> = (0..10_000).map(|n| spill(&format!("k<{n}>"), 80, n, "one")).collect();
        let groups = group(&findings);
        assert_eq!((groups.len(), groups[0].kernels), (1, 10_000));
    }
}
