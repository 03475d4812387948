//! Holds the cubin reader against nvdisasm, on any cubins. What came of it stands in `docs/spill-lines.md`.
//!
//!     cargo run --release --example spill_oracle -- --nvdisasm PATH FILE.cubin…
//!
//! nvdisasm must know `-annotate` (13.5 does). For every section with code these are compared: which instructions are
//! spills (`SpillRefill`), which access local memory and how, whether they are in a loop, and for each of both its
//! innermost line and the calls that it was inlined through. One line a cubin; ends with 1 where anything differs, with
//! 2 where it could not look.

#![expect(
    clippy::unwrap_used,
    reason = "what nvdisasm prints is read as in the tests: a new shape must be seen"
)]

#[path = "../tests/cubin/compare.rs"]
mod compare;
#[path = "../tests/cubin/disassembler.rs"]
mod disassembler;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;
use std::path::Path;
use std::process::ExitCode;

use occlint::evidence::cubin::{self, Access, Cubin, MemoryOp};
use occlint::sys::process::{self, Call, Cancel};

use crate::compare::{chain, collected, in_section};
use crate::disassembler::{Instruction, code, in_loops};

/// A disassembly of a large cubin is far more than any compiler prints.
const MOST_PRINTED: u64 = 4 << 30;
/// Differences that are shown of one cubin; all are counted.
const SHOWN: usize = 20;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some("--nvdisasm"), Some(nvdisasm)) = (args.next().as_deref(), args.next()) else {
        eprintln!("usage: spill_oracle --nvdisasm PATH FILE.cubin…");
        return ExitCode::from(2);
    };
    if args.len() == 0 {
        eprintln!("no cubins to look at");
        return ExitCode::from(2);
    }
    let mut sum = Tally::default();
    for file in args {
        match look(Path::new(&nvdisasm), Path::new(&file)) {
            Ok(tally) => {
                println!("{file}: {}", tally.line());
                tally.differences.iter().take(SHOWN).for_each(|difference| println!("  {difference}"));
                sum += tally;
            }
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    println!("in all: {}", sum.line());
    ExitCode::from(u8::from(!sum.differences.is_empty()))
}

/// What was compared.
#[derive(Default)]
struct Tally {
    kernels: usize,
    /// Kernels with spill instructions.
    spilling: usize,
    /// Instructions that nvdisasm marks as spills.
    spills: usize,
    /// Instructions whose lines were compared: spills and other accesses to local memory.
    lines: usize,
    /// Of those, inlined ones.
    inlined: usize,
    /// The most lines of one instruction: its own and those of calls.
    deepest: usize,
    differences: Vec<String>,
}

impl Tally {
    fn line(&self) -> String {
        let Self { kernels, spilling, spills, lines, inlined, deepest, differences } = self;
        let differences = differences.len();
        format!(
            "{kernels} kernels ({spilling} spill), {spills} spill instructions, {lines} lines compared \
             ({inlined} inlined, at most {deepest} deep), {differences} differences"
        )
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.kernels += other.kernels;
        self.spilling += other.spilling;
        self.spills += other.spills;
        self.lines += other.lines;
        self.inlined += other.inlined;
        self.deepest = self.deepest.max(other.deepest);
        self.differences.extend(other.differences);
    }
}

/// Compares one cubin.
fn look(nvdisasm: &Path, file: &Path) -> Result<Tally, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let cubin = cubin::read(&bytes).map_err(|error| error.to_string())?;
    let lines = run(&Call::new(nvdisasm).arg("-gi").arg(file).most_printed(MOST_PRINTED))?;
    let annotated =
        run(&Call::new(nvdisasm).args(["-json", "-annotate"]).arg(file).most_printed(MOST_PRINTED))?;
    let code = code(&lines, &annotated);
    let mut tally = Tally::default();
    let read: BTreeSet<&str> = cubin.functions.iter().map(|function| function.name.as_str()).collect();
    let mut seen = BTreeSet::new();
    for (section, shown) in &code {
        if !read.contains(section.as_str()) {
            tally.differences.push(format!("{section}: is not read"));
            continue;
        }
        let functions = in_section(&cubin, section, &code);
        seen.extend(functions.iter().copied());
        compare(&cubin, section, &functions, shown, &mut tally);
    }
    for (index, function) in cubin.functions.iter().enumerate().filter(|(index, _)| !seen.contains(index)) {
        tally.differences.push(format!("{} ({index}): nvdisasm does not show it", function.name));
    }
    tally.kernels = cubin.functions.iter().filter(|function| function.entry).count();
    Ok(tally)
}

fn run(call: &Call) -> Result<String, String> {
    let keep = tempfile::tempdir().map_err(|error| error.to_string())?;
    let output = process::run(call, keep.path(), &Cancel::new()).map_err(|error| error.to_string())?;
    if output.status.success() { Ok(output.stdout) } else { Err(output.stderr) }
}

/// Compares a section: the reader's functions in it with what nvdisasm shows.
fn compare(
    cubin: &Cubin,
    section: &str,
    functions: &[usize],
    shown: &BTreeMap<u32, Instruction>,
    tally: &mut Tally,
) {
    let spills = collected(cubin, functions, |function| &function.annotated);
    let local = collected(cubin, functions, |function| &function.local);
    let inside = in_loops(shown);
    let mut differ = |offset: u32, what: String| {
        tally.differences.push(format!("{section} at {offset:#x}: {what}"));
    };
    let marked = shown.values().filter(|one| one.spill).count();
    for (&offset, one) in shown {
        if one.spill != spills.contains_key(&offset) {
            differ(offset, format!("a spill for nvdisasm: {}, `{}`", one.spill, one.text));
        }
        let accesses = matches!(access(one), Access::LocalStore | Access::LocalLoad);
        if accesses != local.contains_key(&offset) {
            differ(offset, format!("an access to local memory for nvdisasm: {accesses}, `{}`", one.text));
        }
    }
    let ops: BTreeMap<u32, &MemoryOp> = spills.into_iter().chain(local).collect();
    for (&offset, op) in &ops {
        let Some(one) = shown.get(&offset) else {
            differ(offset, "nvdisasm shows no instruction".to_owned());
            continue;
        };
        let (access, ours) = (access(one), chain(cubin, op));
        if op.access != access || access != Access::Other && op.bytes != one.bytes() {
            differ(offset, format!("{:?} of {} bytes, `{}`", op.access, op.bytes, one.text));
        }
        if ours != one.chain {
            differ(offset, format!("lines {ours:?}, nvdisasm has {:?}", one.chain));
        }
        if op.hot != inside.contains(&offset) {
            differ(offset, format!("in a loop for the reader: {}", op.hot));
        }
        tally.inlined += usize::from(ours.len() > 1);
        tally.deepest = tally.deepest.max(ours.len());
    }
    tally.spilling += usize::from(marked > 0);
    tally.spills += marked;
    tally.lines += ops.len();
}

fn access(one: &Instruction) -> Access {
    match one.opcode() {
        "STL" => Access::LocalStore,
        "LDL" => Access::LocalLoad,
        "STS" => Access::SharedStore,
        "LDS" => Access::SharedLoad,
        _ => Access::Other,
    }
}
