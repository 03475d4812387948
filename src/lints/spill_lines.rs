//! Where `spill` points: the lines with the most spill instructions, and what goes to shared memory.

use crate::check::CheckedKernel;
use crate::evidence::names;
use crate::finding::{Headline, Label};
use crate::kernel::{CodeLine, Kernel, SpillLine, SpillWitness, Spills};
use crate::lints::facts::{and, label_on_line, label_on_name};
use crate::lints::frontier_words::{against_spills, with_experiments};
use crate::lints::{Draft, spill};
use crate::order::{self, Map};
use crate::text::count;

/// Lines that are labelled.
const LINES: usize = 3;
/// Further lines that a note names.
const OTHER_LINES: usize = 8;
/// Call sites that a label names.
const CALL_SITES: usize = 3;
/// Bytes of a register.
const REGISTER: u32 = 4;
/// What the compiler aligns its spills in shared memory to, bytes: measured with ptxas 13.0 and 13.5.
const SHARED_ALIGNMENT: u32 = 16;

const SHARED_HELP: &str = "try fewer min blocks, a smaller block or fewer live values; without the pragma `enable_smem_spilling` the spills go to local memory: measure each";

const UNCOUNTED_HELP: &str = "try fewer min blocks, a smaller block or fewer live values, and measure";

/// `spill`: what the bytes say, with lines; and spills that no byte count shows.
pub(super) fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let mut found = Vec::new();
    spill::by_bytes(kernel, &mut found);
    let spills = kernel.kernel.spills.as_ref().filter(|spills| spills.instructions > 0);
    if let Some(spills) = spills {
        if found.is_empty() {
            found.push(uncounted(kernel, spills));
        }
        for draft in &mut found {
            let (labels, others) = lines(kernel, spills);
            draft.labels.extend(labels);
            draft.notes.extend(shared_note(kernel, spills));
            draft.notes.extend(incomplete_note(spills));
            draft.notes.extend(others);
        }
    }
    let unknown = kernel.kernel.spills.as_ref().and_then(|spills| spills.unread.words());
    found.iter_mut().for_each(|draft| draft.notes.extend(unknown.clone()));
    drafts.append(&mut found);
}

/// Spill instructions where the byte counts are 0 or unknown: those to shared memory are in none.
fn uncounted(kernel: &CheckedKernel, spills: &Spills) -> Draft {
    let shared = spills.shared() == spills.instructions;
    let (words, help) = if shared {
        (" spills to shared memory".to_owned(), SHARED_HELP)
    } else {
        (format!(" has {}", count(spills.instructions, "spill instruction")), UNCOUNTED_HELP)
    };
    let caused =
        kernel.kernel.frontier.as_ref().is_some_and(|frontier| frontier.bounds_cause_spills == Some(true));
    let draft = Draft {
        weight: u64::from(spills.instructions) * u64::from(REGISTER),
        labels: if caused { spill::label_of_cause(kernel) } else { label_on_name(kernel, "") },
        notes: spill::no_cause(kernel).into_iter().collect(),
        help: Some(help.to_owned()),
        ..Draft::new(Headline::new().kernel().text(format!("{words} on ")).arch())
    };
    with_experiments(draft, kernel, against_spills)
}

/// `46 spill instructions go to shared memory and cost 5632 bytes of it per block`.
fn shared_note(kernel: &CheckedKernel, spills: &Spills) -> Option<String> {
    let shared = spills.shared();
    let (verb, cost_verb) = if shared == 1 { ("goes", "costs") } else { ("go", "cost") };
    let cost = shared_cost(kernel);
    let cost = cost.map(|cost| format!(" and {cost_verb} {} of it per block", count(cost, "byte")));
    let number = count(shared, "spill instruction");
    (shared > 0).then(|| format!("{number} {verb} to shared memory{}", cost.unwrap_or_default()))
}

/// What the lines cannot be taken for.
fn incomplete_note(spills: &Spills) -> Option<String> {
    let found = match spills.witness {
        SpillWitness::Annotations => {
            "that the compiler annotated do not move exactly these bytes: some are missing"
        }
        SpillWitness::Disassembly => "cannot be told from other accesses to local memory: some may be none",
    };
    let number = count(spills.instructions, "spill instruction");
    (spills.adds_up == Some(false)).then(|| format!("the {number} {found}, and the lines are approximate"))
}

/// Static shared memory beyond what the PTX declares; `None` where that is not a number of registers for each thread, so
/// that something else is in it too.
fn shared_cost(kernel: &CheckedKernel) -> Option<u32> {
    let record = &kernel.kernel;
    let declared = record.declared_shared_bytes?.checked_next_multiple_of(SHARED_ALIGNMENT)?;
    let cost = record.usage.static_shared_bytes?.checked_sub(declared).filter(|&cost| cost > 0)?;
    let threads = record.bounds.block()?.threads;
    let each = threads.checked_mul(REGISTER).filter(|&each| each > 0)?;
    (cost % each == 0).then_some(cost)
}

/// The spills of one line, whatever it was inlined through.
struct Merged<'a> {
    at: &'a CodeLine,
    function: Option<&'a str>,
    instructions: u32,
    hot: bool,
    /// Where the line's own code was inlined: the outermost call sites.
    sites: Vec<&'a CodeLine>,
    /// The library's line that the instructions themselves belong to.
    library: Option<&'a CodeLine>,
}

/// The lines with the most spill instructions as labels, and where the others are.
pub(super) fn lines(kernel: &CheckedKernel, spills: &Spills) -> (Vec<Label>, Option<String>) {
    let mut merged = merge(&kernel.kernel, spills);
    order::sort_by(&mut merged, |a, b| {
        let key = |line: &Merged<'_>| (std::cmp::Reverse(line.instructions), line.at.line);
        (key(a), &a.at.file).cmp(&(key(b), &b.at.file))
    });
    let (most, others) = merged.split_at(LINES.min(merged.len()));
    let labels = most.iter().map(|line| label_of(&kernel.kernel, line, spills.instructions));
    (labels.collect(), others_note(others))
}

/// `41 spill instructions are on other lines: 35 on k.cu:26, 5 on k.cu:9 and 1 on k.cu:4`.
fn others_note(others: &[Merged<'_>]) -> Option<String> {
    let number = others.iter().fold(0_u32, |sum, line| sum.saturating_add(line.instructions));
    let named = others.iter().take(OTHER_LINES);
    let mut named: Vec<String> =
        named.map(|line| format!("{} on {}:{}", line.instructions, line.at.file, line.at.line)).collect();
    if let Some(more) = others.get(OTHER_LINES..).filter(|more| !more.is_empty()) {
        let lines = count(u32::try_from(more.len()).unwrap_or(u32::MAX), "more line");
        let rest = more.iter().fold(0_u32, |sum, line| sum.saturating_add(line.instructions));
        named.push(format!("{rest} on {lines}"));
    }
    let verb = if number == 1 { "is" } else { "are" };
    let number = count(number, "spill instruction");
    (!others.is_empty()).then(|| format!("{number} {verb} on other lines: {}", and(&named)))
}

fn merge<'a>(kernel: &Kernel, spills: &'a Spills) -> Vec<Merged<'a>> {
    let foreign = kernel.place.as_ref().is_some_and(|place| place.foreign);
    let mut merged: Map<(Option<&str>, &str, u32), Merged<'a>> = Map::new();
    for line in &spills.lines {
        let chain: Vec<&CodeLine> = chain(line).collect();
        let own = if foreign { 0 } else { chain.iter().position(|at| !at.foreign).unwrap_or(0) };
        let Some(&at) = chain.get(own) else { continue };
        let function = line.function.as_deref();
        let one = merged.get_or_insert_with((function, &at.file, at.line), || Merged {
            at,
            function,
            instructions: 0,
            hot: false,
            sites: Vec::new(),
            library: (own > 0).then(|| chain[0]),
        });
        one.instructions = one.instructions.saturating_add(line.instructions());
        one.hot |= line.hot;
        let outermost = chain.last().filter(|_| own + 1 < chain.len());
        one.sites.extend(outermost.filter(|site| !one.sites.contains(site)));
        if one.library != (own > 0).then(|| chain[0]) {
            one.library = None;
        }
    }
    merged.into_values().collect()
}

/// The line of an instruction and the call sites around it, innermost first.
fn chain(line: &SpillLine) -> impl Iterator<Item = &CodeLine> {
    line.at.iter().chain(&line.inlined_from)
}

/// `252 of 520 spill instructions are on this line, in a loop, inlined into `forced_spill` at line 28`.
fn label_of(kernel: &Kernel, line: &Merged<'_>, all: u32) -> Label {
    let are = if line.instructions == 1 { "is" } else { "are" };
    let instructions = count(all, "spill instruction");
    let mut text = format!("{} of {instructions} {are} on this line", line.instructions);
    if line.hot {
        text.push_str(", in a loop");
    }
    if let Some(library) = line.library {
        text.push_str(&format!(", inlined from {}:{}", library.file, library.line));
    }
    let inlined = inlined(kernel, line);
    let inside = line.function.map(|function| format!(", in `{}`", base(function)));
    text.push_str(&inlined.or(inside).unwrap_or_default());
    label_on_line(line.at, None, text)
}

fn inlined(kernel: &Kernel, line: &Merged<'_>) -> Option<String> {
    let into = match line.function {
        Some(function) => base(function),
        None => names::base(&kernel.name.qualified).to_owned(),
    };
    let mut sites: Vec<(&str, u32)> = line.sites.iter().map(|at| (at.file.as_str(), at.line)).collect();
    order::sort(&mut sites);
    sites.dedup();
    let elsewhere = sites.iter().any(|(file, _)| *file != line.at.file);
    let place =
        |&(file, line): &(&str, u32)| if elsewhere { format!("{file}:{line}") } else { line.to_string() };
    let places: Vec<String> = sites.iter().map(place).collect();
    let at = match places.as_slice() {
        [] => return None,
        [one] if elsewhere => one.clone(),
        [one] => format!("line {one}"),
        many if many.len() > CALL_SITES => format!("{} places", many.len()),
        many if elsewhere => and(many),
        many => format!("lines {}", and(many)),
    };
    Some(format!(", inlined into `{into}` at {at}"))
}

/// A function's name without namespaces and parameters.
fn base(mangled: &str) -> String {
    names::base(&names::name(mangled).qualified).to_owned()
}
