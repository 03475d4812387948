//! What a group says, in words: its message, and its members as notes.

use crate::arch::Arch;
use crate::finding::{Finding, Piece, Subject};
use crate::order::{Map, Set};
use crate::report::Group;
use crate::report::group::{agreeing, arch_of, kernel_key, name_of, says_the_same};
#[cfg(feature = "graphical")]
use crate::text::without_namespaces;
use crate::text::{sanitize, shorten_name, without_signature};

/// Disagreeing architectures that are named.
const ALSO: usize = 3;
/// Kernels that are named.
const NAMED: usize = 3;

/// Advice that is shown where members of a group need different advice.
const ANSWERS: usize = 3;

/// How long a name may be; `None`: names are shown in full, and all of them.
pub(crate) type NameRoom = Option<usize>;

/// The name as it is shown.
pub(crate) fn shown_name(name: &str, room: NameRoom) -> String {
    let name = sanitize(name);
    room.map_or_else(|| name.clone(), |room| shorten_name(without_signature(&name), room))
}

/// The message of the group's worst member, with the architectures that say the same and how many kernels there are.
pub(crate) fn message(group: &Group<'_>, room: NameRoom) -> String {
    say(group.worst, &group.archs, &count(group), room)
}

/// The message for one line: the instantiations of a template are called by the template's name.
#[cfg(feature = "graphical")]
pub(crate) fn brief(group: &Group<'_>, room: usize) -> String {
    if group.kernels < 2 {
        return message(group, Some(room));
    }
    let name = sanitize(name_of(group.worst));
    let name = without_namespaces(without_signature(&name));
    let name = match name.find('<') {
        Some(at) if at > 0 => format!("{}<…>", &name[..at]),
        _ => name.to_owned(),
    };
    let name = shorten_name(&name, room);
    say_as(&name, group.worst, &group.archs, &format!(" ({} of {})", which(group), group.kernels))
}

/// `(worst of 174 instantiations)`, `(one of …)` where all are alike, or nothing for one kernel.
fn count(group: &Group<'_>) -> String {
    if group.kernels < 2 {
        return String::new();
    }
    let qualified = |finding: &&Finding| match &finding.subject {
        Subject::Kernel { qualified, .. } => Some(qualified.clone()),
        Subject::Unit { .. } | Subject::Config => None,
    };
    let names: Set<String> = group.members.iter().filter_map(qualified).collect();
    let place = |finding: &Finding| finding.labels.first().map(|label| label.line);
    let one_place = || group.members.iter().all(|member| place(member) == place(group.worst));
    let what = match names.len() {
        1 => "instantiations",
        _ if one_place() => "kernels at this place",
        _ => "kernels of this macro",
    };
    format!(" ({} of {} {what})", which(group), group.kernels)
}

/// How the member that is named stands among the others.
fn which(group: &Group<'_>) -> &'static str {
    let alike = group.members.iter().all(|member| member.weight == group.worst.weight);
    if alike { "one" } else { "worst" }
}

fn say(finding: &Finding, archs: &[Arch], count: &str, room: NameRoom) -> String {
    say_as(&shown_name(name_of(finding), room), finding, archs, count)
}

fn say_as(name: &str, finding: &Finding, archs: &[Arch], count: &str) -> String {
    let archs = arch_list(archs);
    let has_kernel = finding.headline.pieces().contains(&Piece::Kernel);
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => sanitize(text),
        Piece::Kernel => format!("`{name}`{count}"),
        Piece::Arch => archs.clone(),
    };
    let mut words: String = finding.headline.pieces().iter().map(piece).collect();
    if !has_kernel {
        words.push_str(count);
    }
    words
}

/// `sm_80, sm_90`; a log that does not say it has an unknown one.
pub(crate) fn arch_list(archs: &[Arch]) -> String {
    if archs.is_empty() {
        return "an unknown architecture".to_owned();
    }
    archs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The worst member's notes, what other architectures say, and the names of the other kernels.
pub(crate) fn notes(group: &Group<'_>, room: NameRoom) -> Vec<String> {
    let own = group.worst.notes.iter().map(|note| note.lines().map(sanitize).collect::<Vec<_>>().join("\n"));
    own.chain(also(group, room)).chain(others(group, room)).collect()
}

/// What the worst member of each architecture that disagrees says; the same kernel's answer if there is one.
fn also(group: &Group<'_>, room: NameRoom) -> Vec<String> {
    let mut by_arch: Map<Option<Arch>, &Finding> = Map::new();
    let same_kernel = |finding: &Finding| kernel_key(finding) == kernel_key(group.worst);
    let agreed: Set<Arch> = group.archs.iter().copied().collect();
    for &member in &group.members {
        let arch = arch_of(member);
        if says_the_same(member, group.worst) || arch.is_some_and(|arch| agreed.contains(&arch)) {
            continue;
        }
        let best = by_arch.get_or_insert(arch, member);
        if same_kernel(member) && !same_kernel(best) {
            *best = member;
        }
    }
    let members: Vec<&Finding> = by_arch.into_values().collect();
    let mut distinct: Vec<&Finding> = Vec::new();
    for &member in &members {
        if !distinct.iter().any(|seen| says_the_same(seen, member)) {
            distinct.push(member);
        }
    }
    let shown = if room.is_some() { ALSO } else { distinct.len() };
    let line = |member: &&Finding| format!("also: {}", say(member, &agreeing(member, &members), "", room));
    let mut lines: Vec<String> = distinct.iter().take(shown).map(line).collect();
    if distinct.len() > shown {
        lines.push(format!(
            "… and {} more answers on other architectures: -v shows them",
            distinct.len() - shown
        ));
    }
    lines
}

/// Advice, each with the members that it is true of where it is not true of all; the worst member's first.
pub(crate) fn advice(group: &Group<'_>, room: NameRoom) -> Option<String> {
    let mut answers: Vec<(&str, Vec<&Finding>)> = Vec::new();
    for &member in &group.members {
        let Some(help) = member.help.as_deref() else { continue };
        match answers.iter_mut().find(|(text, _)| *text == help) {
            Some((_, members)) => members.push(member),
            None => answers.push((help, vec![member])),
        }
    }
    if let [(only, members)] = answers.as_slice() {
        let all = members.len() == group.members.len();
        return Some(if all {
            (*only).to_owned()
        } else {
            format!("{}: {only}", whose(group, members, room))
        });
    }
    let shown = if room.is_some() { ANSWERS.min(answers.len()) } else { answers.len() };
    let mut lines: Vec<String> = answers[..shown]
        .iter()
        .map(|(text, members)| format!("{}: {text}", whose(group, members, room)))
        .collect();
    if shown < answers.len() {
        lines.push(format!("… and {} that differ: -v shows them", more(answers.len() - shown, "answer")));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn more(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} more {what}{plural}")
}

/// `on sm_80, sm_90` where the group is about one kernel, else `` `k<1>` and 3 more kernels on sm_80 ``.
fn whose(group: &Group<'_>, members: &[&Finding], room: NameRoom) -> String {
    let archs: Set<Arch> = members.iter().filter_map(|member| arch_of(member)).collect();
    let archs = arch_list(&archs.into_iter().collect::<Vec<Arch>>());
    if group.kernels < 2 {
        return format!("on {archs}");
    }
    let kernels = members.iter().filter_map(|member| kernel_key(member)).collect::<Set<_>>().len();
    let name = members.first().map(|member| shown_name(name_of(member), room)).unwrap_or_default();
    let others = if kernels > 1 { format!(" and {}", more(kernels - 1, "kernel")) } else { String::new() };
    format!("`{name}`{others} on {archs}")
}

/// The names of the kernels that are not the worst.
fn others(group: &Group<'_>, room: NameRoom) -> Option<String> {
    let mut seen: Set<&str> = kernel_key(group.worst).into_iter().collect();
    let mut names = Vec::new();
    for member in &group.members {
        if kernel_key(member).is_some_and(|key| seen.insert(key)) {
            names.push(name_of(member));
        }
    }
    let shown = if room.is_some() { NAMED } else { names.len() };
    let quoted: Vec<String> =
        names.iter().take(shown).map(|name| format!("`{}`", shown_name(name, room))).collect();
    let rest = names.len().saturating_sub(shown);
    let more = if rest > 0 { format!(" and {rest} more: -v names all") } else { String::new() };
    (!quoted.is_empty()).then(|| format!("also {}{more}", quoted.join(", ")))
}
