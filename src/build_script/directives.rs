//! What cargo is told: lines on standard output.

use std::path::{Path, PathBuf};

use crate::order::Set;
use crate::text::sanitize;

/// Warnings that are shown.
const SHOWN: usize = 12;

/// Errors, a line each, and how many more.
pub(super) fn errors(lines: &[String]) -> Vec<String> {
    capped(lines, "error", |line| format!("cargo::error={line}"))
}

/// Warnings, a line each, and how many more.
pub(super) fn warnings(lines: &[String]) -> Vec<String> {
    capped(lines, "warning", |line| format!("cargo:warning={line}"))
}

fn capped(lines: &[String], word: &str, directive: impl Fn(&str) -> String) -> Vec<String> {
    let shown = if lines.len() > SHOWN { SHOWN - 1 } else { lines.len() };
    let mut all: Vec<String> = lines[..shown].iter().map(|line| directive(&sanitize(line))).collect();
    if lines.len() > shown {
        let more = lines.len() - shown;
        all.push(directive(&format!("… and {}", crate::text::count(more, &format!("more {word}")))));
    }
    all
}

/// When the build script runs again: files that are there (one that is not would run it every time) outside `out`, whose
/// files the script itself makes.
pub(super) fn changed_files(files: &Set<PathBuf>, out: &Path) -> Vec<String> {
    let watched = files.iter().filter(|file| !file.starts_with(out) && file.is_file());
    watched.map(|file| format!("cargo:rerun-if-changed={}", file.display())).collect()
}

/// Has cargo run the build script each time, until it finds what it waits for: a file that is never there.
pub(super) fn each_time(out: &Path) -> String {
    format!("cargo:rerun-if-changed={}", super::reports::folder(out).join("no-toolkit-yet").display())
}

/// When the build script runs again: variables.
pub(super) fn changed_variables(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("cargo:rerun-if-env-changed={name}")).collect()
}

/// Prints directives, the one way in which they leave: each is one line, whatever is in it.
pub(super) fn print(lines: &[String]) {
    lines.iter().for_each(|line| println!("{}", one_line(line)));
}

/// A line without control characters, whose rest cargo would take for another directive.
fn one_line(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Prints an error, which cargo shows with the failed build script.
pub(super) fn print_error(text: &str) {
    eprint!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_warnings_are_capped_and_counted() {
        let lines: Vec<String> = (0..30).map(|n| format!("w{n}\x1b")).collect();
        let all = warnings(&lines);
        assert_eq!(all.len(), SHOWN);
        assert_eq!(all[0], "cargo:warning=w0\u{fffd}");
        assert_eq!(all[SHOWN - 1], "cargo:warning=… and 19 more warnings");
        assert_eq!(warnings(&lines[..SHOWN]).len(), SHOWN);
    }

    #[test]
    fn no_directive_has_a_second_line() {
        assert_eq!(
            one_line("cargo:rerun-if-changed=a\ncargo:x\r\x1b\u{85}b"),
            "cargo:rerun-if-changed=a\u{fffd}cargo:x\u{fffd}\u{fffd}\u{fffd}b"
        );
    }

    #[test]
    fn only_files_that_are_there_and_not_made_here_are_watched() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("out")).unwrap();
        for name in ["k.cu", "out/made.h"] {
            std::fs::write(at(name), "").unwrap();
        }
        let files = ["k.cu", "gone.h", "out/made.h"].map(at).into();
        assert_eq!(
            changed_files(&files, &at("out")),
            [format!("cargo:rerun-if-changed={}", at("k.cu").display())]
        );
    }
}
