//! Lints about the configuration: what holds for all parts together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use occlint::arch::Arch;
use occlint::finding::Finding;
use occlint::lints::{stale_baseline_words, unmatched_target_help};
use occlint::report::finding_json;
use serde_json::Value;

use super::block::Block;
use super::told::ToldFinding;
use crate::reports::error::{Problem, ReportError};
use crate::reports::fields::Fields;
use crate::reports::{JoinError, Line, Sources, findings};

/// What a part says of a package: the file, and its line.
type Said = (PathBuf, Line);

/// What `stale-baseline` is called.
const STALE: &str = "stale-baseline";

/// The findings that no part refutes: a target is unmatched if no part matched it, a waiver unused if none used it, a
/// kernel of the baseline gone if none has it.
pub(super) fn findings(
    said: &[Said],
    block: &Block,
    sources: &Sources,
) -> Result<Vec<ToldFinding>, JoinError> {
    let mut met: BTreeSet<String> = BTreeSet::new();
    let mut candidates: BTreeMap<String, (ToldFinding, Option<String>)> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut gone: BTreeSet<(String, Arch)> = BTreeSet::new();
    for (path, line) in said {
        let wrong = |why| field(path, line, why);
        let Some(open) = Fields(&line.value).object("open").map_err(wrong)? else { continue };
        met.extend(open.texts("met").map_err(wrong)?);
        for one in open.objects("gone").map_err(wrong)?.unwrap_or_default() {
            let arch = one.arch().map_err(wrong)?.ok_or_else(|| wrong("`gone` has no `arch`".to_owned()))?;
            gone.insert((one.needed("key").map_err(wrong)?.to_owned(), arch));
        }
        for one in open.objects("candidates").map_err(wrong)?.unwrap_or_default() {
            let id = one.needed("id").map_err(wrong)?.to_owned();
            let told = told(one, sources).map_err(wrong)?;
            let pattern = one.text("pattern").map_err(wrong)?.map(str::to_owned);
            order.push(id.clone());
            candidates.entry(id).or_insert((told, pattern));
        }
    }
    let names = names(block);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut all = Vec::new();
    let mut stale = None;
    for id in order.into_iter().filter(|id| !met.contains(id)) {
        let Some((mut told, pattern)) = candidates.remove(&id) else { continue };
        if told.finding.lint == STALE {
            stale = stale.or(Some(told));
            continue;
        }
        if told.finding.lint == "unmatched-target" {
            told.finding.help = Some(unmatched_target_help(pattern.as_deref(), &names));
            told.value["help"] = told.finding.help.clone().into();
            told.text = told.value.to_string();
        }
        all.push(told);
    }
    all.extend(stale.and_then(|stale| still_gone(stale, gone, block)));
    Ok(all)
}

/// `stale-baseline` of what no part has.
fn still_gone(one: ToldFinding, gone: BTreeSet<(String, Arch)>, block: &Block) -> Option<ToldFinding> {
    let here: BTreeSet<(&str, Arch)> = block
        .kernels
        .iter()
        .filter_map(|told| Some((told.checked.kernel.name.key.as_str(), told.checked.kernel.arch?)))
        .collect();
    let gone: Vec<(String, Arch)> =
        gone.into_iter().filter(|(key, arch)| !here.contains(&(key.as_str(), *arch))).collect();
    let (headline, note, help) = stale_baseline_words(&gone)?;
    let finding = Finding { headline, notes: vec![note], help: Some(help), ..one.finding };
    let text = finding_json(&finding).trim_end().to_owned();
    let value = serde_json::from_str(&text).unwrap_or(one.value);
    Some(ToldFinding { text, value, finding })
}

fn told(candidate: Fields<'_>, sources: &Sources) -> Result<ToldFinding, String> {
    let line = candidate.object("finding")?.ok_or("a candidate has no `finding`")?;
    let finding = findings::finding(line, &BTreeMap::new(), sources)?;
    Ok(ToldFinding { text: line.0.to_string(), value: line.0.clone(), finding })
}

/// The kernels' qualified names, each once, sorted.
fn names(block: &Block) -> BTreeSet<String> {
    block.kernels.iter().map(|told| told.checked.kernel.name.qualified.clone()).collect()
}

/// Each architecture that was asked for must have a kernel in some part; a package without any kernel among others is
/// skipped, as by `--workspace`.
pub(super) fn asked_archs(path: &Path, line: &Line, block: &Block, packages: usize) -> Result<(), JoinError> {
    let archs = Fields(&line.value).texts("archs").map_err(|why| field(path, line, why))?;
    if block.kernels.is_empty() && packages > 1 {
        return Ok(());
    }
    let here: BTreeSet<String> =
        block.kernels.iter().filter_map(|told| Some(told.checked.kernel.arch?.to_string())).collect();
    match archs.iter().find(|arch| !here.contains(*arch)) {
        Some(arch) if !block.kernels.is_empty() => {
            let package = match &line.value["package"] {
                Value::String(name) => name.clone(),
                _ => String::new(),
            };
            Err(JoinError::NoKernel { package, arch: arch.clone() })
        }
        // nothing at all was checked, which is said of the whole
        _ => Ok(()),
    }
}

fn field(path: &Path, line: &Line, why: String) -> ReportError {
    ReportError { path: path.to_owned(), line: Some(line.number), problem: Problem::Field(why) }
}
