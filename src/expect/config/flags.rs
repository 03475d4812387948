//! `flags`: arguments of nvcc that are the user's to choose, and those that are not.

use super::lists::{near_arch, refuse_shell};
use super::reader::{Reader, Value};
use crate::arch::Arch;
use crate::expect::Sourced;
use crate::expect::shell::shell_message;
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

/// Flags that take further flags from a file, of nvcc and of ptxas.
const OPTIONS_FILE: [&str; 2] = ["-optf", "--options-file"];

/// A flag of an environment variable that is not the user's to choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlagError {
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// The flags in the value of `NVCC_PREPEND_FLAGS` or `NVCC_APPEND_FLAGS`, split at white space as nvcc splits them.
///
/// # Errors
/// The first that would not be accepted in `flags` either.
pub fn environment_flags(value: &str) -> Result<Vec<Sourced<String>>, FlagError> {
    let words: Vec<&str> = value.split_whitespace().collect();
    let mut previous = "";
    for (at, &word) in words.iter().enumerate() {
        let following = words.get(at + 1).copied().unwrap_or_default();
        let passed_on = PASS_ON.contains(&previous);
        let wrong = shell_message("a flag", word)
            .or_else(|| options_file(word))
            .or_else(|| if passed_on { None } else { refused(word, previous, following) });
        if let Some((message, help)) = wrong {
            return Err(FlagError { message, help });
        }
        previous = if passed_on { "=" } else { word };
    }
    Ok(words.into_iter().map(|word| Sourced { value: word.to_owned(), span: None }).collect())
}

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
            && let Some((message, help)) = options_file(text)
                .or_else(|| if passed_on { None } else { refused(text, previous, following) })
        {
            reader.error(span.range.clone(), message, help);
        }
        previous = if passed_on { "=" } else { text };
    }
    Some(flags)
}

/// A flag, or a value that is passed on, that names a file of flags: nobody checks those.
fn options_file(flag: &str) -> Option<(String, String)> {
    let mut parts = flag.split(|c: char| c == '=' || c == ',' || c.is_whitespace());
    // `@file` is the host compiler's way; a define's value may begin with an `@`.
    let file =
        parts.find(|part| OPTIONS_FILE.contains(part)).or_else(|| flag.starts_with('@').then_some(flag))?;
    let help = "write the flags themselves: those in a file are not checked".to_owned();
    Some((format!("`{}` takes flags from a file", shown(file)), help))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(value: &str) -> String {
        environment_flags(value).unwrap_err().message
    }

    #[test]
    fn the_words_of_a_variable_are_flags() {
        let flags = environment_flags("  -O3\t-maxrregcount 32 -Xptxas -dlcm=ca ").unwrap();
        let words: Vec<&str> = flags.iter().map(|flag| flag.value.as_str()).collect();
        assert_eq!(words, ["-O3", "-maxrregcount", "32", "-Xptxas", "-dlcm=ca"]);
        assert_eq!(environment_flags(" "), Ok(Vec::new()));
    }

    #[test]
    fn what_takes_the_output_away_is_refused_in_a_variable_too() {
        for flag in ["-o x", "-odir=x", "--keep-dir x", "-ptx", "-c", "-dc", "-MD", "--dryrun"] {
            let name = flag.split([' ', '=']).next().unwrap();
            assert!(wrong(&format!("-O3 {flag}")).contains(&format!("`{name}`")), "{flag}");
        }
        assert!(wrong("-arch=sm_80").contains("chooses an architecture"));
        assert!(wrong("-DA=1 k.cu").contains("source file"));
        assert!(wrong("-DX=$(touch x)").contains("hands it to a shell"));
    }

    #[test]
    fn files_of_flags_are_refused_wherever_they_are_named() {
        for flag in
            ["-optf=opt", "-optf opt", "--options-file opt", "@opt", "-Xptxas -optf=x", "-Xptxas=-O3,-optf,x"]
        {
            assert!(wrong(flag).contains("takes flags from a file"), "{flag}");
        }
        assert!(wrong("-Xcompiler @opt").contains("takes flags from a file"));
        assert!(environment_flags("-DMAIL=a@b -DAT=@").is_ok());
    }
}
