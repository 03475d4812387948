//! The values of `cuda`, `cuda-extra`, `archs`, `sources`, `include` and `defines`.

use std::ops::Range;

use super::glob_syntax;
use super::reader::{Reader, Value};
use crate::arch::Arch;
use crate::expect::Sourced;
use crate::expect::shell::shell_message;
use crate::expect::suggest::shown;

type Strings = Option<Vec<Sourced<String>>>;

/// `cuda = "13.0"`.
pub(super) fn cuda(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Sourced<String>> {
    const EXAMPLE: &str = "cuda = \"13.0\"";
    let release = reader.string("cuda", value, EXAMPLE)?;
    let digits = |text: &str| !text.is_empty() && text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit());
    let plain = release.value.split_once('.').is_some_and(|(major, minor)| digits(major) && digits(minor));
    if !plain {
        let message = format!("`{}` is no release of CUDA", shown(&release.value));
        reader.error(value.span(), message, format!("name major and minor version, like `{EXAMPLE}`"));
    }
    plain.then_some(release)
}

/// `cuda-extra = ["curand"]`: parts of names of wheels, so nothing that pip could take for an option or a path.
pub(super) fn cuda_extra(reader: &mut Reader<'_>, value: &Value<'_>) -> Strings {
    let names = reader.strings("cuda-extra", value, "cuda-extra = [\"curand\"]")?;
    each(reader, names, |reader, name, range| {
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if !plain || name.starts_with('-') {
            let message = format!("`{}` is no name of a CUDA component", shown(name));
            reader.error(range, message, "write its name alone, like `curand` or `cublas`");
        }
    })
}

/// `archs = ["sm_80", "sm_90"]`.
pub(super) fn archs(reader: &mut Reader<'_>, value: &Value<'_>) -> Strings {
    let names = some(reader, "archs", value, "archs = [\"sm_80\", \"sm_90\"]")?;
    let mut seen: Vec<String> = Vec::new();
    each(reader, names, |reader, name, range| {
        if name != "native" && name.parse::<Arch>().is_err() {
            let (message, help) = no_arch(name);
            reader.error(range, message, help);
        } else if seen.iter().any(|other| other == name) {
            reader.error(range, format!("`{name}` is listed twice"), "leave one of them out");
        } else {
            seen.push(name.to_owned());
        }
    })
}

/// The architecture that a text such as `90`, `compute_90` or `SM_90` was meant to be.
pub(super) fn near_arch(name: &str) -> Option<Arch> {
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let letter = match name.chars().last() {
        Some('a') => "a",
        Some('f') => "f",
        _ => "",
    };
    format!("sm_{digits}{letter}").parse().ok()
}

/// The message and the help about a name that is no architecture's.
pub(super) fn no_arch(name: &str) -> (String, String) {
    let help = match near_arch(name) {
        Some(arch) => format!("did you mean `{arch}`?"),
        None => "name each like `sm_90`, `sm_90a` or `sm_120f`, or write `native`".to_owned(),
    };
    (format!("`{}` is no architecture", shown(name)), help)
}

/// `sources = ["kernels/**/*.cu"]`.
pub(super) fn sources(reader: &mut Reader<'_>, value: &Value<'_>) -> Strings {
    let globs = some(reader, "sources", value, "sources = [\"kernels/**/*.cu\"]")?;
    each(reader, globs, |reader, glob, range| {
        if refuse_shell(reader, "a name of a source", glob, range.clone()) {
            return;
        }
        if let Some(why) = glob_syntax::mistake(glob) {
            let message = format!("`{}` is no glob: {why}", shown(glob));
            reader.error(range, message, "write it like `kernels/**/*.cu`");
        }
    })
}

/// `include = ["kernels/include"]`.
pub(super) fn include(reader: &mut Reader<'_>, value: &Value<'_>) -> Strings {
    let folders = reader.strings("include", value, "include = [\"kernels/include\"]")?;
    each(reader, folders, |reader, folder, range| {
        if folder.starts_with("-I") {
            let message = format!("`{}` is a flag, not a folder", shown(folder));
            reader.error(range, message, "write the folder without `-I`");
        } else {
            refuse_shell(reader, "an include folder", folder, range);
        }
    })
}

/// `defines = ["NDEBUG", "TILE=64"]`.
pub(super) fn defines(reader: &mut Reader<'_>, value: &Value<'_>) -> Strings {
    let defines = reader.strings("defines", value, "defines = [\"NDEBUG\", \"TILE=64\"]")?;
    each(reader, defines, |reader, define, range| {
        if refuse_shell(reader, "a define", define, range.clone()) {
            return;
        }
        let name = define.split_once('=').map_or(define, |(name, _)| name);
        let head = name.split('(').next().unwrap_or(name);
        let letters = head.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if head.is_empty() || !letters || head.as_bytes()[0].is_ascii_digit() {
            let message = format!("`{}` is no name of a macro", shown(name));
            reader.error(range, message, "write `NAME` or `NAME=VALUE`, without `-D`");
        }
    })
}

/// Reports text that a shell would act upon; whether it did.
pub(super) fn refuse_shell(reader: &mut Reader<'_>, what: &str, text: &str, range: Range<usize>) -> bool {
    let found = shell_message(what, text);
    if let Some((message, help)) = &found {
        reader.error(range, message.as_str(), help.as_str());
    }
    found.is_some()
}

/// An array with at least one string.
fn some(reader: &mut Reader<'_>, key: &str, value: &Value<'_>, example: &str) -> Strings {
    let strings = reader.strings(key, value, example)?;
    if value.get_ref().as_array().is_some_and(|array| array.is_empty()) {
        let help = format!("write it like `{example}`, or leave it out for the default");
        reader.absent(value.span(), format!("`{key}` is empty: nothing would be checked"), help);
    }
    Some(strings)
}

fn each(
    reader: &mut Reader<'_>,
    strings: Vec<Sourced<String>>,
    mut check: impl FnMut(&mut Reader<'_>, &str, Range<usize>),
) -> Strings {
    for string in &strings {
        if let Some(span) = &string.span {
            check(reader, &string.value, span.range.clone());
        }
    }
    Some(strings)
}
