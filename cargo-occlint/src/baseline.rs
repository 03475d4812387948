//! The baseline's file: JSON with one kernel and architecture a line, so that merges and reviews work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use occlint::arch::Arch;
use occlint::baseline::{Baseline, Entry};
use occlint::digest;
use occlint::sys::files;
use occlint::text::sanitize;
use serde_json::{Value, json};

use crate::error::RunError;

/// The file where nothing names one.
pub(crate) const DEFAULT: &str = "occlint.baseline.json";
/// The version of the format.
///
/// 1 had the compilers in its head alone, and neither settings nor digests of code.
const FORMAT_VERSION: u64 = 2;

/// More links in a row are a circle.
const MOST_LINKS: usize = 40;

/// A baseline's file.
#[derive(Clone, Default, Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) baseline: Baseline,
}

/// Reads one; `None` where there is none.
///
/// # Errors
/// It is there and cannot be read, is broken, has conflicts of a merge in it, or is of a newer occlint: never an empty
/// baseline.
pub(crate) fn read(path: &Path) -> Result<Option<File>, RunError> {
    // A link that leads nowhere, or where nobody may look, is no absent baseline.
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    let text = files::read_text(path)?;
    let file = parse(&text)
        .map_err(|(what, help)| RunError::cannot(format!("`{}` {what}", path.display()), help))?;
    Ok(Some(File { path: path.to_owned(), ..file }))
}

/// What is wrong with a baseline, and what to do.
type Broken = (String, &'static str);
const ANEW: &str = "restore it, or write it anew with `--bless`";

fn parse(text: &str) -> Result<File, Broken> {
    let is_conflict = |line: &str| ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark));
    if let Some(line) = text.lines().position(is_conflict) {
        let what = format!("has a conflict of a merge in line {}", line + 1);
        return Err((what, "take either side, then run `cargo occlint --bless`"));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| (format!("is no baseline: {error}"), ANEW))?;
    match value["format_version"].as_u64() {
        Some(1..=FORMAT_VERSION) => {}
        Some(newer) if newer > FORMAT_VERSION => {
            let what = format!("is of format {newer}; this occlint reads {FORMAT_VERSION}");
            return Err((what, "take the occlint that wrote it, or write it anew with `--bless`"));
        }
        _ => return Err(("is no baseline: it has no `format_version`".to_owned(), ANEW)),
    }
    let part =
        |name: &str| value[name].as_array().ok_or((format!("is no baseline: it has no `{name}`"), ANEW));
    let settings = settings(&value["settings"])
        .ok_or(("is no baseline: its `settings` are not understood".to_owned(), ANEW))?;
    let mut baseline = Baseline::default();
    let known = fields("", "", &Entry::default());
    for (index, kernel) in part("kernels")?.iter().enumerate() {
        let number = index + 1;
        if let Some(field) = unknown_field(kernel, &known) {
            return Err((format!("is no baseline: kernel {number} has a field `{}`", sanitize(field)), ANEW));
        }
        let (key, entry) = entry(kernel, &settings)
            .ok_or((format!("is no baseline: kernel {number} is not understood"), ANEW))?;
        if baseline.entries.insert(key, entry).is_some() {
            let what = format!("has kernel {number} twice, with its architecture");
            return Err((what, "take one of the two lines, then run `cargo occlint --bless`"));
        }
    }
    part("toolkit")?;
    Ok(File { path: PathBuf::new(), baseline })
}

/// A field that no occlint has written: a slip of the hand would leave a figure out.
fn unknown_field<'a>(kernel: &'a Value, known: &[(&str, Value)]) -> Option<&'a str> {
    let mut own = kernel.as_object()?.keys().map(String::as_str);
    own.find(|field| !known.iter().any(|(name, _)| name == field))
}

/// Settings by their digests; none in a file of format 1.
type Settings = BTreeMap<String, Arc<str>>;

fn settings(value: &Value) -> Option<Settings> {
    if value.is_null() {
        return Some(Settings::new());
    }
    value.as_object()?.iter().map(|(digest, text)| Some((digest.clone(), text.as_str()?.into()))).collect()
}

fn entry(value: &Value, settings: &Settings) -> Option<((String, Arch), Entry)> {
    let key = value["key"].as_str()?.to_owned();
    let arch: Arch = value["arch"].as_str()?.parse().ok()?;
    // A number or null, words or null: anything else is a mistake.
    let number = |field: &str| match &value[field] {
        Value::Null => Some(None),
        number => u32::try_from(number.as_u64()?).ok().map(Some),
    };
    let words = |field: &str| match &value[field] {
        Value::Null => Some(Vec::new()),
        words => words.as_array()?.iter().map(|one| Some(one.as_str()?.to_owned())).collect(),
    };
    let text = |field: &str| match &value[field] {
        Value::Null => Some(None),
        text => text.as_str().map(Some),
    };
    let settings = match text("settings")? {
        None => None,
        Some(digest) => Some(Arc::clone(settings.get(digest)?)),
    };
    let code = match text("code")? {
        None => None,
        Some(digits) if digits.len() == 16 => Some(u64::from_str_radix(digits, 16).ok()?),
        Some(_) => return None,
    };
    let entry = Entry {
        registers: number("registers")?,
        spill_stores: number("spill_stores")?,
        spill_loads: number("spill_loads")?,
        shared_spills: number("shared_spills")?,
        static_smem: number("static_smem")?,
        block: number("block")?,
        residency: number("residency")?,
        limiters: words("limiters")?,
        free_registers: number("free_registers")?,
        free_smem: number("free_smem")?,
        findings: words("findings")?,
        settings,
        compiler: text("compiler")?.map(Arc::from),
        code,
    };
    Some(((key, arch), entry))
}

impl File {
    /// Writes it, whole or not at all.
    pub(crate) fn write(&self) -> Result<(), RunError> {
        let lines: Vec<String> =
            self.baseline.entries.iter().map(|((key, arch), entry)| line(key, *arch, entry)).collect();
        let text = format!("{},\"kernels\":[\n{}\n]}}\n", self.head(), lines.join(",\n"));
        Ok(files::write_atomically(&behind_links(&self.path), text.as_bytes())?)
    }

    /// The head, not closed: versions, and what the settings of the kernels' lines are, a line each.
    fn head(&self) -> String {
        let entries = || self.baseline.entries.values();
        let compilers: BTreeSet<&str> = entries().filter_map(|entry| entry.compiler.as_deref()).collect();
        let settings: BTreeMap<String, &str> = entries()
            .filter_map(|entry| entry.settings.as_deref())
            .map(|text| (digest::hex(text), text))
            .collect();
        let settings: Vec<String> =
            settings.iter().map(|(digest, text)| format!("{}:{}", json!(digest), json!(text))).collect();
        format!(
            "{{\"format_version\":{FORMAT_VERSION},\"occlint\":{},\"toolkit\":{},\"settings\":{{\n{}\n}}",
            json!(env!("CARGO_PKG_VERSION")),
            json!(compilers),
            settings.join(",\n")
        )
    }
}

/// The file that a link leads to, whether it is there or not: what is renamed over a link would take its place.
pub(crate) fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(to) = std::fs::read_link(&path) else { break };
        path = path.parent().map(|folder| folder.join(&to)).unwrap_or(to);
    }
    path
}

/// What a line may have, in a fixed order.
fn fields(key: &str, arch: &str, entry: &Entry) -> [(&'static str, Value); 16] {
    [
        ("key", json!(key)),
        ("arch", json!(arch)),
        ("registers", json!(entry.registers)),
        ("spill_stores", json!(entry.spill_stores)),
        ("spill_loads", json!(entry.spill_loads)),
        ("shared_spills", json!(entry.shared_spills)),
        ("static_smem", json!(entry.static_smem)),
        ("block", json!(entry.block)),
        ("residency", json!(entry.residency)),
        ("limiters", json!(entry.limiters)),
        ("free_registers", json!(entry.free_registers)),
        ("free_smem", json!(entry.free_smem)),
        ("findings", json!(entry.findings)),
        ("settings", json!(entry.settings.as_deref().map(digest::hex))),
        ("compiler", json!(entry.compiler.as_deref())),
        ("code", json!(entry.code.map(|code| format!("{code:016x}")))),
    ]
}

/// The fields that are known.
fn line(key: &str, arch: Arch, entry: &Entry) -> String {
    let fields = fields(key, &arch.to_string(), entry);
    let known = fields.iter().filter(|(_, value)| !value.is_null() && value != &json!([]));
    let pairs: Vec<String> = known.map(|(name, value)| format!("{}:{value}", json!(name))).collect();
    format!("{{{}}}", pairs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path) -> File {
        let entry = Entry {
            registers: Some(64),
            spill_stores: Some(0),
            residency: Some(4),
            limiters: vec!["registers".to_owned()],
            findings: vec!["spill".to_owned()],
            settings: Some("-O3 \"x\"".into()),
            compiler: Some("13.0.88".into()),
            code: Some(7),
            ..Entry::default()
        };
        let entries = [
            (("p/b(int \"x\")".to_owned(), Arch::from_cc_tenths(90)), entry.clone()),
            (("p/a()".to_owned(), Arch::from_cc_tenths(120)), Entry::default()),
        ];
        File { path: folder.join("b.json"), baseline: Baseline { entries: entries.into() } }
    }

    #[test]
    fn what_is_written_is_read_and_has_a_line_for_each_kernel() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(folder.path());
        file.write().unwrap();
        let again = read(&file.path).unwrap().unwrap();
        assert_eq!(again.baseline, file.baseline);
        let text = std::fs::read_to_string(&file.path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 6, "{text}");
        assert_eq!(lines[3], "{\"key\":\"p/a()\",\"arch\":\"sm_120\"},");
        assert!(
            lines[4].starts_with("{\"key\":\"p/b(int \\\"x\\\")\",\"arch\":\"sm_90\",\"registers\":64,"),
            "{text}"
        );
    }

    #[test]
    fn a_broken_one_is_never_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.json");
        assert!(read(&path).unwrap().is_none());
        let kernel = "{\"key\":\"p/a()\",\"arch\":\"sm_90\",\"registers\":1}";
        for (text, word) in [
            ("", "is no baseline"),
            ("{}", "format_version"),
            ("{\"format_version\":1,\"toolkit\":[]}", "no `kernels`"),
            ("{\"format_version\":99,\"kernels\":[]}", "is of format 99"),
            ("{\"format_version\":0,\"kernels\":[]}", "format_version"),
            ("{\"format_version\":2,\"toolkit\":[],\"settings\":3,\"kernels\":[]}", "`settings`"),
            (
                "{\"format_version\":2,\"toolkit\":[],\"kernels\":[{\"key\":\"k\",\"arch\":\"sm_90\",\"settings\":\"0\"}]}",
                "kernel 1",
            ),
            (
                "{\"format_version\":2,\"toolkit\":[],\"kernels\":[{\"key\":\"k\",\"arch\":\"sm_90\",\"code\":\"x\"}]}",
                "kernel 1",
            ),
            ("{\n<<<<<<< HEAD\n}", "conflict of a merge in line 2"),
            ("{\"format_version\":1,\"kernels\":[{\"key\":\"k\",\"arch\":\"sm_banana\"}]}", "kernel 1"),
            (
                "{\"format_version\":1,\"kernels\":[{\"key\":\"k\",\"arch\":\"sm_90\",\"registers\":-1}]}",
                "kernel 1",
            ),
            (
                "{\"format_version\":1,\"kernels\":[{\"key\":\"k\",\"arch\":\"sm_90\",\"findings\":\"spill\"}]}",
                "kernel 1",
            ),
            (&format!("{{\"format_version\":1,\"kernels\":[{kernel},{kernel}]}}"), "kernel 2 twice"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = format!("{:?}", read(&path).unwrap_err());
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
