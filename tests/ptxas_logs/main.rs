//! Every log in `tests/logs`, value by value. The expected values were worked out from the logs by other means than the
//! parser under test; a log without an entry here fails the test.
//!
//! A function is `K` (kernel), `D` (device function), `L` (kernel as linked) or `W` (known from a warning alone), then
//! architecture, name (`~` for a space), registers, barriers, shared memory, frame, cumulative stack, local memory,
//! spill stores/loads; a device function has the index of the kernel it follows. A remark is `I`, `W` or `E`,
//! architecture, function, what it says; `…` stands for the function's name. `-` is unknown.

#![allow(clippy::unwrap_used, reason = "a test")]

mod expected;

use std::collections::BTreeSet;
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};

use occlint::evidence::ptxas_log::{Log, LogFunction, LogRemark, parse};
use occlint::kernel::{RemarkKind, Severity};

use expected::LOGS;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs")
}

fn read(name: &str) -> String {
    let bytes = std::fs::read(folder().join(name)).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn or_dash<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn function(f: &LogFunction) -> String {
    let letter = match f {
        LogFunction { from_warning: true, .. } => 'W',
        LogFunction { linked: true, .. } => 'L',
        LogFunction { entry: true, .. } => 'K',
        _ => 'D',
    };
    let u = &f.usage;
    let mut line = format!(
        "{letter} {} {} r{} b{} s{} f{} c{} l{} {}/{}",
        or_dash(f.arch),
        or_dash(f.name.as_ref()).replace(' ', "~"),
        or_dash(u.registers),
        or_dash(u.barriers),
        or_dash(u.static_shared_bytes),
        or_dash(u.stack_frame_bytes),
        or_dash(u.cumulative_stack_bytes),
        or_dash(u.local_bytes),
        or_dash(u.spill_store_bytes),
        or_dash(u.spill_load_bytes),
    );
    if letter == 'D' {
        write!(line, " after {}", or_dash(f.after)).unwrap();
    }
    line
}

fn remark(r: &LogRemark) -> String {
    let severity = match r.remark.severity {
        Severity::Info => 'I',
        Severity::Warning => 'W',
        Severity::Error => 'E',
    };
    let what = match &r.remark.kind {
        RemarkKind::MinBlocksIgnored { with_threads: false } => "minblocks".to_owned(),
        RemarkKind::MinBlocksIgnored { with_threads: true } => "minblocks+threads".to_owned(),
        RemarkKind::CapOverridden { from, to, by } => format!("overridden {from}>{to} {by}"),
        RemarkKind::CapTooBig(cap) => format!("toobig {cap}"),
        RemarkKind::CapRaised { from, to } => format!("raised {from}>{to}"),
        RemarkKind::SetmaxnregIgnored { code } => format!("setmaxnreg {}", or_dash(*code)),
        RemarkKind::Advisory { code, ptx_line: None } => format!("advisory {code}"),
        RemarkKind::Advisory { code, ptx_line: Some(line) } => format!("advisory {code}@{line}"),
        RemarkKind::StackUnknown => "stack".to_owned(),
        RemarkKind::TooMuchShared { used_bytes, max_bytes } => format!("shared {used_bytes}/{max_bytes}"),
        RemarkKind::CalleeNeedsRegisters { cap, callee, needs } => {
            format!("callee {callee} needs {needs} of {cap}")
        }
        RemarkKind::Other => {
            let name = r.function.as_deref().unwrap_or("…");
            format!("other {}", r.remark.text.replace(name, "…"))
        }
    };
    format!("{severity} {} {} {what}", or_dash(r.arch), or_dash(r.function.as_ref()))
}

/// The log in lines; equal remarks in a row are one line with their number.
fn shown(log: &Log) -> String {
    let mut lines: Vec<String> = log.functions.iter().map(function).collect();
    let remarks: Vec<String> = log.remarks.iter().map(remark).collect();
    for same in remarks.chunk_by(|a, b| a == b) {
        lines.push(if same.len() == 1 { same[0].clone() } else { format!("{}× {}", same.len(), same[0]) });
    }
    lines.join("\n")
}

#[test]
fn every_log_gives_the_right_values() {
    let mut wrong = String::new();
    for (name, expected) in LOGS {
        let seen = shown(&parse(&read(name)));
        if seen != expected.trim() {
            write!(wrong, "== {name}\nexpected:\n{}\nseen:\n{seen}\n", expected.trim()).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_log_is_in_the_table() {
    let files = std::fs::read_dir(folder()).unwrap();
    let files: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".log"))
        .collect();
    let table: BTreeSet<String> = LOGS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(files, table);
}

#[test]
fn line_endings_and_prefixes_change_nothing() {
    for (name, expected) in LOGS {
        if name.starts_with("46") || name.contains("sm_86.log") {
            continue;
        }
        let text = read(name);
        assert_eq!(shown(&parse(&text.replace('\n', "\r\n"))), expected.trim(), "{name} with CRLF");
        let prefixed: String =
            text.lines().map(|line| format!("12:30:01.5 DEBUG [3/9] 1> {line}\n")).collect();
        assert_eq!(shown(&parse(&prefixed)), expected.trim(), "{name} with a prefix");
    }
}

#[test]
fn a_log_cut_off_anywhere_is_read() {
    for name in [
        "made_wgmma_setmaxnreg.sm_90a.log",
        "15_learncuda_conv_nvlink_multiarch.log",
        "46_clangformat_wrapped_log.log",
    ] {
        let text = read(name);
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            parse(&text[..end]);
        }
    }
}
