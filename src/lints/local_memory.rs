//! `local-memory`.

use crate::check::CheckedKernel;
use crate::finding::{Headline, Label, Level};
use crate::kernel::{LocalKind, LocalMemory};
use crate::lints::facts::{and, label_on_line, label_on_name};
use crate::lints::{Check, Draft, declare_lint};
use crate::order;
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when a kernel has local memory that is no spill, and says why it is there: an array with a dynamic index
    /// (`array`), a value whose address is taken (`address-taken`), the frame of a call (`call-frame`), the slow path of a
    /// trigonometric function's range reduction (`slow-path`), the arguments of `printf` (`printf`). The first two warn; the
    /// others are allowed by default, and so is a frame of `unknown` kind: all that a log can tell.
    ///
    /// An array that the compiler resolves into registers is no local memory: what counts is the frame in the compiled
    /// kernel.
    ///
    /// ## Why it matters
    /// Local memory is slower than registers, but it is no spill: neither a register cap nor its removal changes it.
    ///
    /// ## Example
    /// ```cuda
    /// float s[16];            // indexed with a value known at run time only
    /// out[i] = s[k & 15];
    /// ```
    ///
    /// ## What to try
    /// Constant indices after unrolling, shared memory, a select; a function that is inlined or takes values instead of
    /// references. Measure: a table in local memory can be the fastest.
    ///
    /// ## Configuration
    /// `allow = ["local-memory"]` of a kernel, with `max` in bytes of local memory; the level: `lints.local-memory`.
    LOCAL_MEMORY: "local-memory", Warn,
    "a frame in local memory that is no spill",
    Check::Kernel(check), max: "bytes of local memory per thread"
}

/// Places that are labelled.
const PLACES: usize = 3;

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    match kernel.kernel.local_memory.as_deref() {
        None => drafts.extend(unknown(kernel)),
        Some([]) => {}
        Some(memory) if memory.iter().all(|one| one.kind == LocalKind::Unknown) => match total(memory) {
            Some(0) => {}
            Some(bytes) => drafts.push(of_unknown_kind(kernel, bytes)),
            None => drafts.push(beside_spills(kernel, memory)),
        },
        Some(memory) => drafts.push(known(kernel, memory)),
    }
}

/// All that a log can tell: a frame without spills.
fn unknown(kernel: &CheckedKernel) -> Option<Draft> {
    frame_without_spills(kernel).map(|frame| of_unknown_kind(kernel, frame))
}

/// The kernel's frame, where it has one and no spills. Unknown spills could explain it.
fn frame_without_spills(kernel: &CheckedKernel) -> Option<u32> {
    let usage = &kernel.kernel.usage;
    let frame = usage.stack_frame_bytes.filter(|&bytes| bytes > 0).or(usage.local_bytes);
    let no_spills = usage.spill_store_bytes == Some(0) && usage.spill_load_bytes == Some(0);
    frame.filter(|&bytes| bytes > 0 && no_spills)
}

fn of_unknown_kind(kernel: &CheckedKernel, bytes: u32) -> Draft {
    let words =
        format!(" has {} of local memory per thread that no spill explains on ", count(bytes, "byte"));
    Draft {
        default: Some(Level::Allow),
        weight: u64::from(bytes),
        amount: Some(u64::from(bytes)),
        labels: label_on_name(kernel, ""),
        notes: vec![
            "kind unknown: an array, a taken address, a call frame, a slow path or `printf`".to_owned(),
        ],
        help: Some("a register cap does not change it; measure before changing anything".to_owned()),
        ..Draft::new(Headline::new().kernel().text(words).arch())
    }
}

/// What may be in a frame that spills may fill alone: whether the compiler resolved it, nothing tells.
fn beside_spills(kernel: &CheckedKernel, memory: &[LocalMemory]) -> Draft {
    let mut names: Vec<String> =
        memory.iter().filter_map(|one| one.name.as_deref()).map(|name| format!("`{name}`")).collect();
    names.dedup();
    let what = if names.is_empty() { "something beside spills".to_owned() } else { and(&names) };
    let words = format!(" may keep {what} in local memory on ");
    let labels: Vec<Label> = memory.iter().filter_map(label).take(PLACES).collect();
    let frame = kernel.kernel.usage.stack_frame_bytes.filter(|&bytes| bytes > 0);
    let frame = frame
        .map_or_else(|| "the frame".to_owned(), |bytes| format!("the frame of {}", count(bytes, "byte")));
    Draft {
        default: Some(Level::Allow),
        // nothing is proven, so no ceiling of a waiver is exceeded
        amount: Some(0),
        labels: if labels.is_empty() { label_on_name(kernel, "") } else { labels },
        notes: vec![format!("kind unknown: {frame} can hold it, or spills alone")],
        help: Some("look again once the kernel does not spill".to_owned()),
        ..Draft::new(Headline::new().kernel().text(words).arch())
    }
}

fn known(kernel: &CheckedKernel, memory: &[LocalMemory]) -> Draft {
    let bytes = frame_without_spills(kernel).or_else(|| total(memory));
    let room = bytes.map_or_else(
        || "local memory".to_owned(),
        |bytes| format!("{} of local memory", count(bytes, "byte")),
    );
    let words = format!(" keeps {} in {room} per thread on ", and(&contents(memory)));
    let warns = memory.iter().any(|one| matches!(one.kind, LocalKind::Array | LocalKind::AddressTaken));
    let known = |bytes: u32| u64::from(bytes);
    let mut labels: Vec<Label> = memory.iter().filter_map(label).take(PLACES).collect();
    if labels.is_empty() {
        labels = label_on_name(kernel, "");
    }
    let note = "it is no spill: a register cap does not change it".to_owned();
    Draft {
        default: (!warns).then_some(Level::Allow),
        weight: bytes.map_or(0, known),
        amount: bytes.map(known),
        labels,
        notes: vec![note],
        help: Some(help(memory).to_owned()),
        ..Draft::new(Headline::new().kernel().text(words).arch())
    }
}

/// The parts together; `None` where the size of one is unknown.
fn total(memory: &[LocalMemory]) -> Option<u32> {
    memory.iter().try_fold(0_u32, |sum, one| Some(sum.saturating_add(one.bytes?)))
}

/// What is in it, each kind once: `the dynamically indexed arrays `a` and `b``, `the slow path of `cos``.
fn contents(memory: &[LocalMemory]) -> Vec<String> {
    let mut kinds: Vec<LocalKind> = memory.iter().map(|one| one.kind).collect();
    order::sort(&mut kinds);
    kinds.dedup();
    kinds.into_iter().map(|kind| words(kind, memory)).collect()
}

fn words(kind: LocalKind, memory: &[LocalMemory]) -> String {
    let parts: Vec<&LocalMemory> = memory.iter().filter(|one| one.kind == kind).collect();
    let mut names: Vec<String> =
        parts.iter().filter_map(|one| one.name.as_deref()).map(|name| format!("`{name}`")).collect();
    names.dedup();
    let (all_named, several) = (parts.iter().all(|one| one.name.is_some()), parts.len() > 1);
    let s = if several { "s" } else { "" };
    let a = if several { parts.len().to_string() } else { "a".to_owned() };
    match (kind, names.as_slice()) {
        (LocalKind::Array, [name]) if all_named && several => {
            format!("{a} dynamically indexed arrays {name}")
        }
        (LocalKind::Array, [_, ..]) if all_named => {
            format!("the dynamically indexed array{s} {}", and(&names))
        }
        (LocalKind::Array, []) => format!("{a} dynamically indexed array{s}"),
        (LocalKind::Array, _) => format!("{a} dynamically indexed array{s}, among them {},", and(&names)),
        (LocalKind::AddressTaken, [_, ..]) if all_named => {
            let value = if several { "values whose addresses go" } else { "a value whose address goes" };
            format!("{value} to {}", and(&names))
        }
        (LocalKind::AddressTaken, _) => format!("{a} value{s} whose address is taken"),
        (LocalKind::CallFrame, [name]) => format!("the frame of a call of {name}"),
        (LocalKind::CallFrame, _) => "the frame of a call".to_owned(),
        (LocalKind::SlowPath, [_, ..]) if all_named => format!("the slow path of {}", and(&names)),
        (LocalKind::SlowPath, _) => "the slow path of a trigonometric function".to_owned(),
        (LocalKind::Printf, _) => "the arguments of `printf`".to_owned(),
        (LocalKind::Unknown, _) => "something of unknown kind".to_owned(),
    }
}

fn label(memory: &LocalMemory) -> Option<Label> {
    let at = memory.at.as_ref()?;
    let bytes = memory.bytes.map(|bytes| count(bytes, "byte"));
    let (word, text) = match memory.kind {
        LocalKind::Array => (memory.name.as_deref(), "is indexed with values known at run time only"),
        LocalKind::AddressTaken if memory.name.is_none() => (None, "its address is taken"),
        LocalKind::AddressTaken => (None, "an address goes to a function that is not inlined"),
        LocalKind::SlowPath => (memory.name.as_deref(), "large arguments are reduced in local memory"),
        LocalKind::Printf => (Some("printf"), "its arguments are passed in local memory"),
        LocalKind::CallFrame => (None, ""),
        LocalKind::Unknown => (memory.name.as_deref(), "may be in local memory"),
    };
    let text = match bytes {
        Some(bytes) => format!("{bytes}: {text}"),
        None => text.to_owned(),
    };
    Some(label_on_line(at, word, text))
}

fn help(memory: &[LocalMemory]) -> &'static str {
    let has = |kind| memory.iter().any(|one| one.kind == kind);
    if has(LocalKind::Array) {
        "try constant indices (unroll the loops), shared memory or a select, and measure"
    } else if has(LocalKind::AddressTaken) {
        "try to inline the function, or pass and return values, and measure"
    } else {
        "measure before changing anything"
    }
}
