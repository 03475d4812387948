//! What nvdisasm says of each instruction.

use std::collections::{BTreeMap, BTreeSet};

/// A source line: file and number.
pub(crate) type Line = (String, u32);

/// An instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instruction {
    /// With its suffixes and, before it, its predicate.
    pub(crate) text: String,
    /// Marked `SpillRefill`.
    pub(crate) spill: bool,
    /// Its innermost line, and those that it was inlined through.
    pub(crate) chain: Vec<Line>,
    /// The label before it and where it branches to.
    pub(crate) labels: Vec<String>,
}

/// The code of each section (named after a function), by offset.
pub(crate) type Code = BTreeMap<String, BTreeMap<u32, Instruction>>;

impl Instruction {
    /// The opcode without predicate and suffixes.
    pub(crate) fn opcode(&self) -> &str {
        let text = match self.text.split_once(' ') {
            Some((predicate, rest)) if predicate.starts_with('@') => rest.trim_start(),
            _ => &self.text,
        };
        text.split([' ', '.']).next().unwrap_or_default()
    }

    /// Bytes that a load or store moves.
    pub(crate) fn bytes(&self) -> u8 {
        let opcode = self.text.split(' ').find(|word| !word.starts_with('@')).unwrap();
        let size = opcode.split('.').skip(1).find_map(|suffix| match suffix {
            "128" => Some(16),
            "64" => Some(8),
            "U16" | "S16" => Some(2),
            "U8" | "S8" => Some(1),
            _ => None,
        });
        size.unwrap_or(4)
    }

    fn target(&self) -> Option<&str> {
        let (_, rest) = self.text.split_once("`(")?;
        rest.split_once(')').map(|(label, _)| label)
    }

    fn conditional(&self) -> bool {
        self.text.starts_with('@')
            || self.text.contains("UP")
            || self.text.contains(" P")
            || self.text.contains(" !P")
    }
}

/// Reads what nvdisasm printed: `lines` for `-gi`, `annotated` for `-json -annotate`.
pub(crate) fn code(lines: &str, annotated: &str) -> Code {
    let mut code = listing(lines);
    let json: serde_json::Value = serde_json::from_str(annotated).unwrap();
    for function in json[1].as_array().unwrap() {
        let name = function["function-name"].as_str().unwrap();
        let start = u32::try_from(function["start"].as_u64().unwrap()).unwrap();
        let section = code.iter_mut().find(|(own, _)| own.as_str() == name).unwrap().1;
        for (index, instruction) in function["sass-instructions"].as_array().unwrap().iter().enumerate() {
            let offset = start + 16 * u32::try_from(index).unwrap();
            let marks = instruction.get("annotations").and_then(|marks| marks.as_array());
            let is_spill = |mark: &serde_json::Value| mark["info"] == "SpillRefill";
            section.get_mut(&offset).unwrap().spill = marks.into_iter().flatten().any(is_spill);
        }
    }
    code
}

fn listing(text: &str) -> Code {
    let mut code = Code::new();
    let (mut section, mut chain, mut labels): (String, Vec<Line>, Vec<String>) = Default::default();
    let mut new_group = true;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("\t.section\t") {
            let name = rest.split(',').next().unwrap().trim_matches('"');
            section = name.strip_prefix(".text.").unwrap_or_default().to_owned();
            (chain, labels) = (Vec::new(), Vec::new());
        } else if let Some(at) = line.trim_start().strip_prefix("//## File ") {
            if new_group {
                chain.clear();
            }
            new_group = false;
            chain.push(file_and_line(at));
        } else if let Some(label) = line.strip_suffix(':') {
            labels.push(label.to_owned());
        } else if let Some((offset, text)) = instruction(line) {
            new_group = true;
            let instruction =
                Instruction { text, spill: false, chain: chain.clone(), labels: std::mem::take(&mut labels) };
            code.entry(section.clone()).or_default().insert(offset, instruction);
        }
    }
    code.remove("");
    code
}

/// `"FILE", line N[ inlined at …]`
fn file_and_line(text: &str) -> Line {
    let mut parts = text.split('"');
    let file = parts.nth(1).unwrap().to_owned();
    let number = parts.next().unwrap().trim_start_matches(", line ").split(' ').next().unwrap();
    (file, number.parse().unwrap())
}

/// `/*0010*/ LDC R0, … ;`
fn instruction(line: &str) -> Option<(u32, String)> {
    let (offset, text) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let text = text.split(';').next()?.trim();
    Some((u32::from_str_radix(offset, 16).ok()?, text.to_owned())).filter(|(_, text)| !text.is_empty())
}

/// The instructions that control can come back to: reached from themselves, by plain search over the labels.
pub(crate) fn in_loops(code: &BTreeMap<u32, Instruction>) -> BTreeSet<u32> {
    let labels: BTreeMap<&str, u32> = code
        .iter()
        .flat_map(|(&offset, one)| one.labels.iter().map(move |label| (label.as_str(), offset)))
        .collect();
    let successors = |offset: u32| {
        let one = &code[&offset];
        let target = (one.opcode() == "BRA").then(|| labels[one.target().unwrap()]);
        let leaves = matches!(one.opcode(), "BRA" | "EXIT" | "RET" | "BRX") && !one.conditional();
        target.into_iter().chain((!leaves).then_some(offset + 16)).filter(|next| code.contains_key(next))
    };
    // A loop has a branch backwards: search from the targets of those alone.
    let mut inside = BTreeSet::new();
    let branches = code.keys().filter(|&&offset| code[&offset].opcode() == "BRA");
    for &branch in branches {
        let target = labels[code[&branch].target().unwrap()];
        if target > branch {
            continue;
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![target];
        while let Some(offset) = open.pop() {
            if seen.insert(offset) {
                open.extend(successors(offset));
            }
        }
        // Of what the target reaches: what reaches the branch.
        let mut back: BTreeSet<u32> = BTreeSet::from([branch]);
        loop {
            let before = back.len();
            for &offset in seen.iter().rev() {
                if successors(offset).any(|next| back.contains(&next)) {
                    back.insert(offset);
                }
            }
            if back.len() == before {
                break;
            }
        }
        if seen.contains(&branch) {
            inside.extend(back.intersection(&seen));
        }
    }
    inside
}
