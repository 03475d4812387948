//! What the benches share: a clock of CPU time, and artefacts of as many kernels as asked for.

#![allow(dead_code, reason = "each bench takes what it needs")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use occlint::arch::Arch;
use occlint::evidence::{self, Artefacts, Evidence};
use occlint::expect::{self, Rule};
use occlint::occupancy::Resources;
use occlint::source::SourceText;

/// CPU time of this thread where the system tells it (Linux), else time on the wall: other work on the machine does
/// not count.
fn clock() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stat.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// Runs `work` as often as half a second allows, 3 to 200 times, and gives the mean of its CPU time; `setup` is not
/// counted. The system's clock ticks in milliseconds, so one run could not be measured.
pub(crate) fn mean<I, O>(mut setup: impl FnMut() -> I, mut work: impl FnMut(I) -> O) -> Duration {
    let first = setup();
    let start = Instant::now();
    black_box(work(first));
    let runs = (Duration::from_millis(500).as_nanos() / start.elapsed().as_nanos().max(1)).clamp(3, 200);
    let inputs: Vec<I> = (0..runs).map(|_| setup()).collect();
    let before = clock();
    for input in inputs {
        black_box(work(black_box(input)));
    }
    (clock() - before) / u32::try_from(runs).unwrap_or(u32::MAX)
}

/// CPU time of `work`, once.
pub(crate) fn once<O>(work: impl FnOnce() -> O) -> Duration {
    let before = clock();
    black_box(work());
    clock() - before
}

/// The most memory that the process has had, in MB, where the system tells it (Linux).
pub(crate) fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(kib.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0 / 1e6)
}

/// A line of the result.
pub(crate) fn line(what: &str, time: Duration) {
    println!("{what:<58} {:>10.3} ms", time.as_secs_f64() * 1e3);
}

/// A unit that was compiled once for sm_90 with CUDA 13.0.
struct Sample {
    file: &'static str,
    source: &'static str,
    ptx: &'static str,
    log: &'static str,
    cubin: &'static [u8],
}

/// Ten kernels: shared memory, barriers, calls, recursion, `printf`.
const SUITE: Sample = Sample {
    file: "suite",
    source: include_str!("../../tests/kernels/suite.cu"),
    ptx: include_str!("../data/suite.ptx"),
    log: include_str!("../data/suite.log"),
    cubin: include_bytes!("../data/suite.cubin"),
};
/// Six kernels, all of which spill.
const SPILLS: Sample = Sample {
    file: "spills",
    source: include_str!("../../examples/gallery/kernels/spills.cu"),
    ptx: include_str!("../data/spills.ptx"),
    log: include_str!("../data/spills.log"),
    cubin: include_bytes!("../data/spills.cubin"),
};

/// What a compilation leaves behind, as text.
#[derive(Clone)]
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) ptx: String,
    pub(crate) log: String,
    /// The names in it are those of the sample: only [`sampled`] units have one.
    pub(crate) cubin: Option<&'static [u8]>,
    pub(crate) source: Arc<SourceText>,
}

/// Units of `hundreds` × 100 kernels: seven times ten and five times six, each kernel with a name of its own.
pub(crate) fn units(hundreds: usize) -> Vec<Unit> {
    let samples =
        |hundred: usize| (0..12).map(move |n| (hundred * 12 + n, if n < 7 { &SUITE } else { &SPILLS }));
    (0..hundreds).flat_map(samples).map(|(n, sample)| unit(n, sample)).collect()
}

/// Twelve units of 100 kernels together, as [`units`], with their cubins; each kernel has its own name, which twelve units
/// share.
pub(crate) fn sampled() -> Vec<Unit> {
    let one = |n: usize| {
        let sample = if n < 7 { &SUITE } else { &SPILLS };
        Unit {
            name: format!("kernels/{}.cu", sample.file),
            ptx: sample.ptx.to_owned(),
            log: sample.log.to_owned(),
            cubin: Some(sample.cubin),
            source: SourceText::new(format!("kernels/{}.cu", sample.file), sample.source),
        }
    };
    (0..12).map(one).collect()
}

fn unit(n: usize, sample: &Sample) -> Unit {
    let name = format!("kernels/{}_{n:05}.cu", sample.file);
    let file = format!("/crate/kernels/{}.cu", sample.file);
    let suffix = format!("_{n:05}");
    Unit {
        ptx: renamed(sample.ptx, &suffix).replace(&file, &format!("/crate/{name}")),
        log: renamed(sample.log, &suffix),
        cubin: None,
        source: SourceText::new(name.as_str(), sample.source),
        name,
    }
}

/// Every mangled name with `suffix` at its last part: `_Z4kernPf` → `_Z10kern_00001Pf`.
fn renamed(text: &str, suffix: &str) -> String {
    let mut out = String::with_capacity(text.len() * 9 / 8);
    let mut rest = text;
    while let Some(at) = rest.find("_Z") {
        let nested = usize::from(rest[at..].starts_with("_ZN"));
        let (before, after) = rest.split_at(at + 2 + nested);
        out.push_str(before);
        rest = after;
        let mut parts = Vec::new();
        while let Some((part, left)) = part(rest) {
            parts.push(part);
            rest = left;
        }
        let last = parts.len().saturating_sub(1);
        for (index, part) in parts.iter().enumerate() {
            let suffix = if index == last { suffix } else { "" };
            out.push_str(&format!("{}{part}{suffix}", part.len() + suffix.len()));
        }
    }
    out + rest
}

/// `4kernPf` → `kern`, `Pf`.
fn part(text: &str) -> Option<(&str, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    text[digits..].split_at_checked(text[..digits].parse().ok()?)
}

/// Reads the units' artefacts.
pub(crate) fn evidence_of(units: &[Unit]) -> Evidence {
    let arch = Arch::from_cc_tenths(90);
    let mut all = Evidence::default();
    for unit in units {
        let artefacts = Artefacts {
            unit: &unit.name,
            arch,
            log: &unit.log,
            ptx: &unit.ptx,
            cubin: unit.cubin,
            debug: false,
        };
        let lookup = |_: &str| (unit.name.clone(), false, Some(Arc::clone(&unit.source)));
        let mut one = evidence::from_artefacts(&artefacts, &lookup);
        all.kernels.append(&mut one.kernels);
        all.units.append(&mut one.units);
        all.problems.append(&mut one.problems);
    }
    all
}

/// A configuration with 50 tables; `#` in the name is the table's number.
pub(crate) fn rules(name: &str) -> Vec<Rule> {
    let mut text = "[package]\nname = \"bench\"\n[package.metadata.occlint]\n".to_owned();
    for n in 0..50 {
        let name = name.replace('#', &format!("{n:05}"));
        text.push_str(&format!(
            "[[package.metadata.occlint.kernel]]\nname = \"{name}\"\nblock = 128\nmin-blocks = 4\nallow = [\"spill\"]\n"
        ));
    }
    let manifest = SourceText::new("Cargo.toml", text);
    expect::parse(&manifest, &manifest).unwrap().rules
}

/// One of 49,152 × 255 × … configurations, no two the same below that: register counts, block sizes, barriers, shared
/// memory up to 48 KiB.
pub(crate) fn resources(n: u32) -> Resources {
    Resources {
        block_threads: 32 * (n % 32 + 1),
        registers: n % 255 + 1,
        static_shared_bytes: n * 7 % 49_152,
        barriers: n % 17,
        ..Resources::default()
    }
}

/// A cubin for sm_90 of `kernels` kernels of 100 KB of code each: the code is that of the sample's largest kernel, repeated. One
/// instruction in 64 is annotated as a spill, every instruction has a line.
pub(crate) fn large_cubin(kernels: usize) -> Vec<u8> {
    const CODE: usize = 96 << 10;
    let sample = elf_section(SPILLS.cubin, b".text.");
    let code: Vec<u8> = sample.iter().copied().cycle().take(CODE).collect();
    let mut elf = Elf::default();
    let mut symbols = vec![0; 24];
    let (mut table, mut fixups) = (line_head(), Vec::new());
    for kernel in 0..kernels {
        let name = format!("_Z8k{kernel:07}v");
        let section = elf.section(&format!(".text.{name}"), 1, 6, 0, code.clone());
        let notes: Vec<u8> = (0..CODE / 16)
            .step_by(64)
            .flat_map(|n| [1, u32::try_from(n * 16).unwrap()])
            .flat_map(u32::to_le_bytes)
            .collect();
        let head = [&[4, 0x55][..], &u16::try_from(notes.len()).unwrap().to_le_bytes()].concat();
        elf.section(&format!(".nv.info.{name}"), 0x7000_0000, 0, section, [head, notes].concat());
        elf.section(&format!(".nv.constant0.{name}"), 1, 2, section, vec![0; 544]);
        symbols.extend(elf.string(&name).to_le_bytes());
        symbols.extend([0x12, 0x10]);
        symbols.extend(u16::try_from(section).unwrap().to_le_bytes());
        symbols.extend([0_u64, CODE as u64].into_iter().flat_map(u64::to_le_bytes));
        table.extend([0, 9, 2]);
        fixups.extend(
            [table.len() as u64, (kernel as u64 + 1) << 32 | 2].into_iter().flat_map(u64::to_le_bytes),
        );
        table.extend([0; 8]);
        table.push(1);
        // a row an instruction, one line on or back
        table.extend((0..CODE / 16).flat_map(|n| [3, if n % 2 == 0 { 1 } else { 0x7f }, 2, 16, 1]));
        table.extend([0, 1, 1]);
    }
    let length = u32::try_from(table.len() - 4).unwrap();
    table[..4].copy_from_slice(&length.to_le_bytes());
    let debug = elf.section(".debug_line", 1, 0, 0, table);
    elf.section(".rel.debug_line", 9, 0, debug, fixups);
    elf.finish(symbols)
}

/// The head of a DWARF 2 line table with one file; its length is still 0.
fn line_head() -> Vec<u8> {
    let head = [&[1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0][..], b"k.cu\0\0\0\0\0"].concat();
    [&[0; 4][..], &[2, 0], &u32::try_from(head.len()).unwrap().to_le_bytes(), &head].concat()
}

/// The largest section of an ELF file whose name begins like this.
fn elf_section<'a>(elf: &'a [u8], prefix: &[u8]) -> &'a [u8] {
    let number = |at: usize, length: usize| {
        elf[at..at + length].iter().rev().fold(0_usize, |n, &byte| n << 8 | usize::from(byte))
    };
    let (table, count, names) = (number(0x28, 8), number(0x3c, 2), number(0x3e, 2));
    let data = |index: usize| {
        let header = table + 64 * index;
        &elf[number(header + 24, 8)..][..number(header + 32, 8)]
    };
    let named = |index: &usize| data(names)[number(table + 64 * index, 4)..].starts_with(prefix);
    (1..count).filter(named).map(data).max_by_key(|data| data.len()).unwrap()
}

/// An ELF file in the making.
struct Elf {
    bytes: Vec<u8>,
    headers: Vec<u8>,
    strings: Vec<u8>,
    sections: u32,
}

impl Default for Elf {
    fn default() -> Self {
        Self { bytes: vec![0; 64], headers: vec![0; 64], strings: vec![0], sections: 1 }
    }
}

impl Elf {
    fn string(&mut self, text: &str) -> u32 {
        let at = u32::try_from(self.strings.len()).unwrap();
        self.strings.extend_from_slice(text.as_bytes());
        self.strings.push(0);
        at
    }

    fn section(&mut self, name: &str, kind: u32, flags: u64, info: u32, data: Vec<u8>) -> u32 {
        let name = self.string(name);
        self.header(name, kind, flags, [0, info], data)
    }

    fn header(&mut self, name: u32, kind: u32, flags: u64, [link, info]: [u32; 2], data: Vec<u8>) -> u32 {
        let (at, size) = (self.bytes.len() as u64, data.len() as u64);
        self.bytes.extend(data);
        self.headers.extend([name, kind].into_iter().flat_map(u32::to_le_bytes));
        self.headers.extend([flags, 0, at, size].into_iter().flat_map(u64::to_le_bytes));
        self.headers.extend([link, info].into_iter().flat_map(u32::to_le_bytes));
        let entry = if kind == 2 { 24_u64 } else { 16 };
        self.headers.extend([1, entry].into_iter().flat_map(u64::to_le_bytes));
        self.sections += 1;
        self.sections - 1
    }

    /// Adds symbols and names, and the file's header: of a linked cubin for sm_90 as of CUDA 13.
    fn finish(mut self, symbols: Vec<u8>) -> Vec<u8> {
        let (symtab, strtab) = (self.string(".symtab"), self.string(".strtab"));
        let strings = self.sections + 1;
        self.header(symtab, 2, 0, [strings, 1], symbols);
        let names = std::mem::take(&mut self.strings);
        self.header(strtab, 3, 0, [0, 0], names);
        let (table, count) = (self.bytes.len() as u64, u16::try_from(self.sections).unwrap());
        let Self { mut bytes, headers, .. } = self;
        bytes.extend(headers);
        bytes[..16].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 65, 8, 0, 0, 0, 0, 0, 0, 0]);
        bytes[0x10..0x18].copy_from_slice(&[2, 0, 190, 0, 1, 0, 0, 0]);
        bytes[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        bytes[0x30..0x34].copy_from_slice(&(90_u32 << 8).to_le_bytes());
        let sizes = [64_u16, 56, 0, 64, count, count - 1];
        bytes[0x34..0x40].copy_from_slice(&sizes.map(u16::to_le_bytes).concat());
        bytes
    }
}
