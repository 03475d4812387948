//! `--from-build`: the reports that `occlint::Build` left at the last build.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use occlint::sys::env::Env;
use occlint::sys::files;
use occlint::sys::process::Cancel;
use occlint::text::{count, sanitize};
use serde_json::Value;

use crate::cli::{CheckArgs, MessageFormat};
use crate::error::{CLEAN, FINDINGS, RunError};
use crate::terminal::Terminal;
use crate::workspace;

/// Shows them, newest build of each selected package.
pub(crate) fn run(args: &CheckArgs, env: &Env, terminal: &Terminal, cancel: &Cancel) -> Result<u8, RunError> {
    let workspace = workspace::load(&args.selection, env, cancel)?;
    let (mut text, mut denied, mut shown) = (String::new(), 0, 0);
    for member in &workspace.selected {
        let Some(folder) = newest(&workspace.target, &member.name) else { continue };
        let reports = reports(&folder)?;
        shown += reports.len();
        let place = folder.strip_prefix(&workspace.root).unwrap_or(&folder).display().to_string();
        let what =
            format!("{}: {} of its last build, in {}", member.name, count(reports.len(), "report"), place);
        terminal.status("Reading", &sanitize(&what));
        for report in &reports {
            text.push_str(&report.shown(args.output.message_format)?);
            denied += report.denied()?;
        }
    }
    if shown == 0 {
        return Err(RunError::cannot(
            "no build script with `occlint::Build` left a report in the target folder",
            "build first (`cargo build`), or leave `--from-build` out: `cargo occlint` compiles and checks by itself",
        ));
    }
    terminal.out(&text)?;
    Ok(if denied > 0 && !args.levels.exit_zero { FINDINGS } else { CLEAN })
}

/// The `occlint` folder of a package's newest build script run, whatever the profile and target.
fn newest(target: &Path, package: &str) -> Option<PathBuf> {
    let folders = |folder: &Path| files::entries(folder).unwrap_or_default();
    let profiles = folders(target).into_iter().filter(|path| !path.ends_with("occlint"));
    let profiles = profiles.flat_map(|path| [vec![path.clone()], folders(&path)].concat());
    let builds = profiles.flat_map(|profile| folders(&profile.join("build")));
    let own = builds.filter(|build| is_of(build, package)).map(|build| build.join("out/occlint"));
    own.filter_map(|folder| Some((written(&folder)?, folder))).max().map(|(_, folder)| folder)
}

/// `target/debug/build/NAME-0123456789abcdef`.
fn is_of(build: &Path, package: &str) -> bool {
    let name = build.file_name().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').is_some_and(|(name, hash)| {
        name == package && hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// When the newest report of a folder was written.
fn written(folder: &Path) -> Option<SystemTime> {
    let times = json_files(folder).into_iter().map(|path| std::fs::metadata(path)?.modified());
    times.filter_map(Result::ok).max()
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let files = files::entries(folder).unwrap_or_default();
    files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

/// One report: what it says as JSON, and for people.
struct Report {
    path: PathBuf,
    json: String,
    human: Option<String>,
}

fn reports(folder: &Path) -> Result<Vec<Report>, RunError> {
    json_files(folder)
        .into_iter()
        .map(|path| {
            let human = files::read_text(&path.with_extension("txt")).ok();
            Ok(Report { json: files::read_text(&path)?, human, path })
        })
        .collect()
}

impl Report {
    fn lines(&self) -> Result<Vec<Value>, RunError> {
        let read: Result<Vec<Value>, _> = self.json.lines().map(serde_json::from_str).collect();
        read.map_err(|error| {
            let message = format!("`{}` is no report: {error}", self.path.display());
            RunError::cannot(message, "build again")
        })
    }

    /// Denied findings, by the report's own summary.
    fn denied(&self) -> Result<u64, RunError> {
        let lines = self.lines()?;
        let summary = lines.iter().find(|line| line["reason"] == "summary");
        summary.and_then(|summary| summary["denied"].as_u64()).ok_or_else(|| {
            let message = format!("`{}` has no summary", self.path.display());
            RunError::cannot(message, "build again")
        })
    }

    fn shown(&self, format: MessageFormat) -> Result<String, RunError> {
        match (format, &self.human) {
            (MessageFormat::Json, _) => Ok(self.json.clone()),
            (MessageFormat::Human, Some(human)) => Ok(human.clone()),
            _ => Ok(self.lines()?.iter().filter_map(short).collect()),
        }
    }
}

/// `kernels/k.cu:3:1: error[occlint::spill]: …`.
fn short(line: &Value) -> Option<String> {
    let text = |field: &str| line[field].as_str().map(sanitize);
    let place = text("file").map(|file| {
        let number =
            |field: &str| line[field].as_u64().map(|number| format!(":{number}")).unwrap_or_default();
        format!("{file}{}{}: ", number("line"), number("column"))
    });
    let level = if line["level"] == "deny" { "error" } else { "warning" };
    (line["reason"] == "finding").then(|| {
        let (lint, message) = (text("lint").unwrap_or_default(), text("message").unwrap_or_default());
        format!("{}{level}[occlint::{lint}]: {message}\n", place.unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_not_taken_for_another_whose_name_goes_on() {
        assert!(is_of(Path::new("t/build/gpu-0123456789abcdef"), "gpu"));
        assert!(!is_of(Path::new("t/build/gpu-kernels-0123456789abcdef"), "gpu"));
        assert!(!is_of(Path::new("t/build/gpu-kernels"), "gpu"));
    }

    #[test]
    fn a_finding_is_a_line_without_what_could_break_it() {
        let line = serde_json::json!({"reason": "finding", "lint": "spill", "level": "deny", "file": "k.cu", "line": 3,
            "column": null, "message": "a\u{1b}[31m\nb"});
        assert_eq!(short(&line).unwrap().lines().count(), 1);
        assert!(short(&line).unwrap().starts_with("k.cu:3: error[occlint::spill]: a"));
        assert_eq!(short(&serde_json::json!({"reason": "kernel"})), None);
    }
}
