//! The architectures that a call compiles for.

use crate::arch::Arch;

/// One piece of device code that a call makes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Target {
    /// The virtual architecture that the front end compiles for: `compute_80`.
    pub front: String,
    /// What is made: `sm_80` (machine code), `compute_80` (PTX) or `lto_80` (code for link-time optimisation).
    pub code: String,
}

impl Target {
    /// The architecture of machine code; `None` for PTX and for what only a machine can tell (`native`, `all`).
    pub fn machine(&self) -> Option<Arch> {
        let name = self.code.strip_prefix("lto_").map(|number| format!("sm_{number}"));
        name.as_deref().unwrap_or(&self.code).parse().ok().filter(|_| !self.is_ptx())
    }

    /// PTX alone: ptxas does not run.
    pub fn is_ptx(&self) -> bool {
        self.code.starts_with("compute_")
    }

    /// The least architecture that can run its PTX.
    pub fn least(&self) -> Option<Arch> {
        self.code.strip_prefix("compute_").and_then(|number| format!("sm_{number}").parse().ok())
    }
}

/// The targets of `-arch`, `-code` and `-gencode`, in their order; of several `-arch` nvcc takes the last. Empty: nvcc's own
/// default.
pub fn targets(arch: Option<&str>, codes: &[&str], generated: &[&str]) -> Vec<Target> {
    let mut all = Vec::new();
    if let Some(arch) = arch {
        let front = front_of(arch);
        let codes: Vec<&str> = codes.iter().flat_map(|list| split(list)).collect();
        if codes.is_empty() {
            all.push(Target { front, code: arch.to_owned() });
        } else {
            all.extend(codes.iter().map(|&code| Target { front: front.clone(), code: code.to_owned() }));
        }
    }
    for specification in generated {
        let (mut front, mut made) = (None, Vec::new());
        for part in fields(specification) {
            match part.split_once('=') {
                Some(("arch", name)) => front = Some(front_of(name.trim())),
                Some(("code", list)) => made.extend(split(list)),
                _ => {}
            }
        }
        let Some(front) = front else { continue };
        if made.is_empty() {
            all.push(Target { code: front.clone(), front });
        } else {
            all.extend(made.into_iter().map(|code| Target { front: front.clone(), code: code.to_owned() }));
        }
    }
    let mut seen = Vec::new();
    all.retain(|target| {
        !seen.contains(target) && {
            seen.push(target.clone());
            true
        }
    });
    all
}

/// `sm_90` stands for the front end `compute_90` too.
fn front_of(arch: &str) -> String {
    match arch.strip_prefix("sm_").or_else(|| arch.strip_prefix("lto_")) {
        Some(number) => format!("compute_{number}"),
        None => arch.to_owned(),
    }
}

/// The fields of `arch=compute_80,code=[sm_80,compute_80]`: commas within brackets and quotes separate none.
fn fields(specification: &str) -> Vec<&str> {
    let mut fields: Vec<&str> = Vec::new();
    let mut start = 0;
    for (at, _) in specification.match_indices(',') {
        let next = specification[at + 1..].trim_start();
        if next.starts_with("arch=") || next.starts_with("code=") {
            fields.push(specification[start..at].trim());
            start = at + 1;
        }
    }
    fields.push(specification[start..].trim());
    fields
}

fn split(list: &str) -> impl Iterator<Item = &str> {
    let list = list.trim().trim_matches(|c| matches!(c, '[' | ']' | '"' | '\''));
    list.split(',').map(str::trim).filter(|code| !code.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(all: &[Target]) -> Vec<String> {
        all.iter().map(|target| format!("{}→{}", target.front, target.code)).collect()
    }

    #[test]
    fn each_way_to_name_architectures() {
        assert_eq!(said(&targets(None, &[], &[])), [""; 0]);
        assert_eq!(said(&targets(Some("sm_90a"), &[], &[])), ["compute_90a→sm_90a"]);
        assert_eq!(said(&targets(Some("compute_80"), &[], &[])), ["compute_80→compute_80"]);
        assert_eq!(
            said(&targets(Some("compute_80"), &["sm_80,sm_86"], &[])),
            ["compute_80→sm_80", "compute_80→sm_86"]
        );
        for one in [
            "arch=compute_75,code=[sm_80,compute_75]",
            "arch=compute_75,code=\"sm_80,compute_75\"",
            "arch=compute_75, code=sm_80,compute_75",
        ] {
            assert_eq!(
                said(&targets(None, &[], &[one])),
                ["compute_75→sm_80", "compute_75→compute_75"],
                "{one}"
            );
        }
        assert_eq!(said(&targets(None, &[], &["arch=sm_90", "arch=sm_90"])), ["compute_90→compute_90"]);
    }

    #[test]
    fn only_machine_code_has_an_architecture() {
        let all = targets(None, &[], &["arch=compute_90a,code=[sm_90a,compute_90a,lto_90a]"]);
        let names: Vec<Option<String>> =
            all.iter().map(|one| one.machine().map(|arch| arch.to_string())).collect();
        assert_eq!(names, [Some("sm_90a".to_owned()), None, Some("sm_90a".to_owned())]);
        assert_eq!(all[1].least().map(|arch| arch.to_string()), Some("sm_90a".to_owned()));
        assert_eq!(targets(Some("native"), &[], &[])[0].machine(), None);
    }
}
