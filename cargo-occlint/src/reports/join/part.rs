//! The parts of one run: all of them, each once.

use std::collections::BTreeMap;

use serde_json::Value;

use super::block::{Block, Share};
use super::config;
use super::told::Told;
use crate::partition::Partition;
use crate::reports::error::Problem;
use crate::reports::{JoinError, Lines, Sources};

/// Reports that are the parts of one run, in the order of the parts.
pub(super) struct Parts {
    /// Indices of the reports.
    order: Vec<usize>,
}

impl Parts {
    /// `None` for whole reports.
    pub(super) fn of(reports: &[Lines]) -> Result<Option<Self>, JoinError> {
        let mut parts: BTreeMap<u32, usize> = BTreeMap::new();
        let mut first: Option<(Partition, &Value, usize)> = None;
        let mut whole = None;
        for (at, lines) in reports.iter().enumerate() {
            let summary = &lines.summary.value;
            let Some(partition) = partition(lines)? else {
                lines.refuse_half()?;
                whole = whole.or(Some(at));
                continue;
            };
            if let failures @ 1.. = lines.total("failures")? {
                return Err(lines.error(None, Problem::Failed(failures)).into());
            }
            let (known, run, earlier) = *first.get_or_insert((partition, &summary["run"], at));
            if known.of != partition.of || *run != summary["run"] || !run.is_string() {
                return Err(JoinError::OtherRun { first: path(&reports[earlier]), second: path(lines) });
            }
            if let Some(other) = parts.insert(partition.part, at) {
                let part = partition.to_string();
                return Err(JoinError::Doubled { part, first: path(&reports[other]), second: path(lines) });
            }
        }
        let Some((Partition { of, .. }, _, at)) = first else { return Ok(None) };
        if let Some(whole) = whole {
            return Err(JoinError::Mixed { part: path(&reports[at]), whole: path(&reports[whole]) });
        }
        // a hostile `of` may be four thousand million
        let missing: Vec<u32> = (1..=of).filter(|part| !parts.contains_key(part)).take(1000).collect();
        if missing.is_empty() {
            Ok(Some(Self { order: parts.into_values().collect() }))
        } else {
            Err(JoinError::Missing { parts: missing, of })
        }
    }

    /// The packages of the run, each of all parts.
    pub(super) fn packages(self, told: &mut [Told], sources: &Sources) -> Result<Vec<Block>, JoinError> {
        let Some(&first) = self.order.first() else { return Ok(Vec::new()) };
        let packages = told[first].parts.len();
        let mut blocks = Vec::new();
        for number in 0..packages {
            let name = told[first].parts[number].value["package"].clone();
            let (mut shares, mut said) = (Vec::new(), Vec::new());
            for &at in &self.order {
                let told = &mut told[at];
                shares.push(share(told, number, &name)?);
                said.push((told.lines.path.clone(), told.parts[number].clone()));
            }
            let mut block = Block::of_parts(shares)?;
            for (path, line) in &said {
                config::asked_archs(path, line, &block, packages)?;
            }
            block.findings.extend(config::findings(&said, &block, sources)?);
            blocks.push(block.sorted());
        }
        for told in told.iter() {
            if !told.kernels.is_empty() || !told.findings.is_empty() || told.parts.len() != packages {
                let why = "its packages are not those that it has lines of".to_owned();
                return Err(told.lines.error(None, Problem::Field(why)).into());
            }
        }
        Ok(blocks)
    }
}

fn path(lines: &Lines) -> String {
    lines.path.to_string_lossy().into_owned()
}

/// Which part a report is.
fn partition(lines: &Lines) -> Result<Option<Partition>, JoinError> {
    let value = &lines.summary.value["partition"];
    if value.is_null() {
        return Ok(None);
    }
    let read = value.as_str().and_then(|text| text.parse().ok()).map(Some);
    read.ok_or_else(|| {
        let why = "`partition` is no part like `2/4`".to_owned();
        lines.error(Some(lines.summary.number), Problem::Field(why)).into()
    })
}

/// A report's lines of one package: those of the packages before are gone already.
fn share(told: &mut Told, number: usize, name: &Value) -> Result<Share, JoinError> {
    let wrong = |line: Option<usize>, why: &str| told.lines.error(line, Problem::Field(why.to_owned()));
    let Some(part) = told.parts.get(number) else {
        return Err(wrong(None, "it has other packages than the first part").into());
    };
    if part.value["package"] != *name {
        return Err(wrong(Some(part.number), "`package` is another than in the first part").into());
    }
    let count = |field: &str, most: usize| {
        let count = part.value[field].as_u64().and_then(|count| usize::try_from(count).ok());
        let why = format!("`{field}` is not the number of lines that it has");
        count.filter(|&count| count <= most).ok_or_else(|| wrong(Some(part.number), &why))
    };
    let (kernels, findings) =
        (count("kernels", told.kernels.len())?, count("findings", told.findings.len())?);
    Ok(Share {
        path: told.path.clone(),
        kernels: told.kernels.drain(..kernels).collect(),
        findings: told.findings.drain(..findings).collect(),
    })
}
