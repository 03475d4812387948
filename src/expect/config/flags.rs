//! `flags`: arguments of nvcc that are the user's to choose, and those that are not.

use super::lists::{near_arch, refuse_shell};
use super::reader::{Reader, Value};
use crate::arch::Arch;
use crate::expect::Sourced;
use crate::expect::suggest::shown;

/// Flags that choose architectures.
const ARCH: [&str; 6] = ["-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code"];

/// Flags that choose what nvcc makes and where.
const OUTPUT: [&str; 48] = [
    "-c",
    "--compile",
    "-dw",
    "--device-w",
    "-dlink",
    "--device-link",
    "-link",
    "--link",
    "-lib",
    "--lib",
    "-cuda",
    "--cuda",
    "-ptx",
    "--ptx",
    "-cubin",
    "--cubin",
    "-fatbin",
    "--fatbin",
    "-optix-ir",
    "--optix-ir",
    "-ltoir",
    "--ltoir",
    "-E",
    "--preprocess",
    "-M",
    "--generate-dependencies",
    "-MM",
    "--generate-nonsystem-dependencies",
    "-MD",
    "--generate-dependencies-with-compile",
    "-MMD",
    "--generate-nonsystem-dependencies-with-compile",
    "-o",
    "--output-file",
    "-odir",
    "--output-directory",
    "-keep",
    "--keep",
    "-keep-dir",
    "--keep-dir",
    "-save-temps",
    "--save-temps",
    "-clean",
    "--clean-targets",
    "-MF",
    "--dependency-output",
    "-MT",
    "--dependency-target-name",
];

/// Flags that make nvcc print or run something instead of compiling.
const INSTEAD: [&str; 12] = [
    "-dryrun",
    "--dryrun",
    "-run",
    "--run",
    "-h",
    "--help",
    "-V",
    "--version",
    "-code-ls",
    "--list-gpu-code",
    "-arch-ls",
    "--list-gpu-arch",
];

/// Flags whose next item is a value that may look like a flag.
const PASS_ON: [&str; 14] = [
    "-Xcompiler",
    "--compiler-options",
    "-Xlinker",
    "--linker-options",
    "-Xarchive",
    "--archive-options",
    "-Xptxas",
    "--ptxas-options",
    "-Xnvlink",
    "--nvlink-options",
    "-D",
    "--define-macro",
    "-I",
    "--include-path",
];

/// Reads `flags = ["-O3", "-std=c++17"]`.
pub(super) fn read(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Vec<Sourced<String>>> {
    let flags = reader.strings("flags", value, "flags = [\"-O3\", \"-std=c++17\"]")?;
    let mut previous = "";
    let mut items = flags.iter().peekable();
    while let Some(flag) = items.next() {
        let Some(span) = &flag.span else { continue };
        let text = flag.value.as_str();
        let following = items.peek().map_or("", |next| next.value.as_str());
        let passed_on = PASS_ON.contains(&previous);
        if !refuse_shell(reader, "a flag", text, span.range.clone())
            && !passed_on
            && let Some((message, help)) = refused(text, previous, following)
        {
            reader.error(span.range.clone(), message, help);
        }
        previous = if passed_on { "=" } else { text };
    }
    Some(flags)
}

/// Why a flag is not the user's to choose: the message and what to do.
fn refused(flag: &str, previous: &str, following: &str) -> Option<(String, String)> {
    let (head, value) = flag.split_once(|c: char| c == '=' || c.is_whitespace()).unwrap_or((flag, ""));
    if ARCH.contains(&head) {
        let value = if value.is_empty() { following } else { value };
        return Some((format!("`{head}` chooses an architecture"), arch_help(value)));
    }
    if head == "-dc" || head == "--device-c" {
        let help = "write `-rdc=true` for relocatable device code; occlint adds the rest";
        return Some((format!("`{head}` chooses what nvcc makes"), help.to_owned()));
    }
    if OUTPUT.contains(&head) {
        let help = "leave it out: occlint chooses nvcc's output itself".to_owned();
        return Some((format!("`{head}` chooses what nvcc makes"), help));
    }
    if INSTEAD.contains(&head) {
        return Some((format!("`{head}` keeps nvcc from compiling"), "leave it out".to_owned()));
    }
    // the value of the flag before it, as in `-maxrregcount`, `64`
    let is_value = previous.starts_with('-') && !previous.contains('=');
    if !flag.starts_with('-') && !is_value {
        let message = format!("nvcc would take `{}` for a source file", shown(flag));
        return Some((message, "name sources in `sources`, flags with their `-`".to_owned()));
    }
    None
}

fn arch_help(value: &str) -> String {
    if value == "native" {
        return "leave it out and write `archs = [\"native\"]`".to_owned();
    }
    let named = value.split([',', '=', '[', ']', ' ']).find_map(|part| part.parse::<Arch>().ok());
    match named.or_else(|| near_arch(value.split(',').next().unwrap_or(value))) {
        Some(arch) => format!("leave it out and write `archs = [\"{arch}\"]`"),
        None => "leave it out and name architectures in `archs`".to_owned(),
    }
}
