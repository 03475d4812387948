//! What the benches share: a clock of CPU time, and artefacts of as many kernels as asked for.

#![allow(dead_code, reason = "each bench takes what it needs")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use occlint::arch::Arch;
use occlint::evidence::{self, Artefacts, Evidence};
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
}

/// Ten kernels: shared memory, barriers, calls, recursion, `printf`.
const SUITE: Sample = Sample {
    file: "suite",
    source: include_str!("../../tests/kernels/suite.cu"),
    ptx: include_str!("../data/suite.ptx"),
    log: include_str!("../data/suite.log"),
};
/// Six kernels, all of which spill.
const SPILLS: Sample = Sample {
    file: "spills",
    source: include_str!("../../examples/gallery/kernels/spills.cu"),
    ptx: include_str!("../data/spills.ptx"),
    log: include_str!("../data/spills.log"),
};

/// What a compilation leaves behind, as text.
#[derive(Clone)]
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) ptx: String,
    pub(crate) log: String,
    pub(crate) source: Arc<SourceText>,
}

/// Units of `hundreds` × 100 kernels: seven times ten and five times six, each kernel with a name of its own.
pub(crate) fn units(hundreds: usize) -> Vec<Unit> {
    let samples =
        |hundred: usize| (0..12).map(move |n| (hundred * 12 + n, if n < 7 { &SUITE } else { &SPILLS }));
    (0..hundreds).flat_map(samples).map(|(n, sample)| unit(n, sample)).collect()
}

fn unit(n: usize, sample: &Sample) -> Unit {
    let name = format!("kernels/{}_{n:05}.cu", sample.file);
    let file = format!("/crate/kernels/{}.cu", sample.file);
    let suffix = format!("_{n:05}");
    Unit {
        ptx: renamed(sample.ptx, &suffix).replace(&file, &format!("/crate/{name}")),
        log: renamed(sample.log, &suffix),
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
        let artefacts =
            Artefacts { unit: &unit.name, arch, log: &unit.log, ptx: &unit.ptx, cubin: None, debug: false };
        let lookup = |_: &str| (unit.name.clone(), false, Some(Arc::clone(&unit.source)));
        let mut one = evidence::from_artefacts(&artefacts, &lookup);
        all.kernels.append(&mut one.kernels);
        all.units.append(&mut one.units);
    }
    all
}
