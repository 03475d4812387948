//! Flags that belong to occlint or to another key.

use crate::expect::Sourced;
use crate::expect::config::reader::Reader;

/// Options that choose architectures: `archs` does.
const ARCHS: &[&str] = &["arch", "gpu-architecture", "gencode", "generate-code", "code", "gpu-code"];
/// Options that choose what is produced, and where: occlint does.
const OUTPUTS: &[&str] = &[
    "c",
    "compile",
    "dc",
    "device-c",
    "dlink",
    "device-link",
    "cubin",
    "fatbin",
    "ptx",
    "E",
    "preprocess",
    "lib",
    "link",
    "run",
    "o",
    "output-file",
    "odir",
    "output-directory",
    "keep",
    "k",
    "save-temps",
    "keep-dir",
    "dryrun",
    "M",
    "MM",
    "MD",
    "MMD",
    "MF",
    "clean-targets",
    "x",
    "objtemp",
];

/// Refuses flags that would fight with the check.
pub(super) fn check(reader: &mut Reader<'_>, flags: &[Sourced<String>]) {
    for flag in flags {
        let Some(span) = &flag.span else { continue };
        let Some(name) = option_name(&flag.value) else { continue };
        let help = if ARCHS.contains(&name) {
            "name the architectures in `archs`"
        } else if OUTPUTS.contains(&name) {
            "occlint itself chooses what is produced, and where"
        } else {
            continue;
        };
        reader.error(
            span.range.clone(),
            format!("`flags` cannot have `{}`", flag.value),
            Some(help.to_owned()),
        );
    }
}

/// `arch` of `-arch=sm_90`, `--gpu-architecture sm_90`.
fn option_name(flag: &str) -> Option<&str> {
    let rest = flag.trim_start().strip_prefix('-')?;
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    rest.split(['=', ' ']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_read_in_both_forms() {
        assert_eq!(option_name("-arch=sm_90"), Some("arch"));
        assert_eq!(option_name("--gpu-architecture sm_90"), Some("gpu-architecture"));
        assert_eq!(option_name("-O3"), Some("O3"));
        assert_eq!(option_name("sm_90"), None);
    }
}
