//! `--batch`: one JSON object a line.

use std::ops::RangeInclusive;

use occlint::arch::Arch;
use occlint::occupancy::Resources;
use serde_json::{Map, Value};

use super::args::{MAX_BARRIERS, MAX_BLOCK, Question};

const KEYS: [&str; 7] = ["arch", "block", "regs", "static_smem", "dynamic_smem", "barriers", "carveout_pct"];

/// Reads one line's question.
pub(super) fn question(line: &[u8]) -> Result<Question, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| format!("no JSON: {error}"))?;
    let object = value.as_object().ok_or("not a JSON object")?;
    if let Some(key) = object.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key `{key}`; known: {}", KEYS.join(", ")));
    }
    let arch = object.get("arch").ok_or("`arch` is missing")?.as_str().ok_or("`arch` must be a string")?;
    let arch: Arch = arch.parse().map_err(|error: occlint::arch::ParseArchError| error.to_string())?;
    let optional = |key, range| Ok::<u32, String>(number(object, key, range)?.unwrap_or(0));
    let resources = Resources {
        block_threads: required(object, "block", 1..=MAX_BLOCK)?,
        registers: required(object, "regs", 0..=u32::MAX)?,
        static_shared_bytes: optional("static_smem", 0..=u32::MAX)?,
        dynamic_shared_bytes: optional("dynamic_smem", 0..=u32::MAX)?,
        barriers: optional("barriers", 0..=MAX_BARRIERS)?,
        carveout_percent: carveout(object)?,
    };
    Ok(Question { arch, resources })
}

fn required(object: &Map<String, Value>, key: &str, range: RangeInclusive<u32>) -> Result<u32, String> {
    number(object, key, range)?.ok_or_else(|| format!("`{key}` is missing"))
}

fn number(object: &Map<String, Value>, key: &str, range: RangeInclusive<u32>) -> Result<Option<u32>, String> {
    let Some(value) = object.get(key) else { return Ok(None) };
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    let (least, most) = (range.start(), range.end());
    let wrong = || format!("`{key}` must be a whole number from {least} to {most}");
    number.filter(|number| range.contains(number)).map(Some).ok_or_else(wrong)
}

/// −1, or no key, is the driver's default.
fn carveout(object: &Map<String, Value>) -> Result<Option<u8>, String> {
    match object.get("carveout_pct").map(Value::as_i64) {
        None | Some(Some(-1)) => Ok(None),
        Some(Some(percent @ 0..=100)) => Ok(u8::try_from(percent).ok()),
        Some(_) => Err("`carveout_pct` must be -1 or a whole number from 0 to 100".to_owned()),
    }
}
