//! `--batch`: one JSON object a line.

use occlint::arch::Arch;
use occlint::occupancy::Resources;
use serde_json::{Map, Value};

use super::args::Question;

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
    let block = required(object, "block")?;
    if block == 0 {
        return Err("`block` must be at least 1".to_owned());
    }
    let resources = Resources {
        block_threads: block,
        registers: required(object, "regs")?,
        static_shared_bytes: number(object, "static_smem")?.unwrap_or(0),
        dynamic_shared_bytes: number(object, "dynamic_smem")?.unwrap_or(0),
        barriers: number(object, "barriers")?.unwrap_or(0),
        carveout_percent: carveout(object)?,
    };
    Ok(Question { arch, resources })
}

fn required(object: &Map<String, Value>, key: &str) -> Result<u32, String> {
    number(object, key)?.ok_or_else(|| format!("`{key}` is missing"))
}

fn number(object: &Map<String, Value>, key: &str) -> Result<Option<u32>, String> {
    let Some(value) = object.get(key) else { return Ok(None) };
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.map(Some).ok_or_else(|| format!("`{key}` must be a whole number from 0 to {}", u32::MAX))
}

/// −1, or no key, is the driver's default.
fn carveout(object: &Map<String, Value>) -> Result<Option<u8>, String> {
    match object.get("carveout_pct").map(Value::as_i64) {
        None | Some(Some(-1)) => Ok(None),
        Some(Some(percent @ 0..=100)) => Ok(u8::try_from(percent).ok()),
        Some(_) => Err("`carveout_pct` must be -1 or a whole number from 0 to 100".to_owned()),
    }
}
