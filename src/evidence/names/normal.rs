//! What is taken out of names.

use crate::evidence::scan::Bytes;
use crate::text;

/// `(anonymous namespace)`, as people write it.
const ANONYMOUS: &str = "(anonymous namespace)";

/// Takes `__nv_static_<len>_<id>_` off: with relocatable code nvcc puts it before names of internal linkage.
pub(super) fn without_static_prefix(name: &str) -> &str {
    let parts = name.strip_prefix("__nv_static_").and_then(|rest| rest.split_once('_'));
    let rest = parts.and_then(|(length, rest)| rest.get(length.parse().ok()?..)?.strip_prefix('_'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// A demangled name for people: no hashes of internal linkage.
pub(super) fn readable(text: &str) -> String {
    map_scopes(text, |scope, _| {
        if scope.starts_with("_GLOBAL__N_") {
            Some(ANONYMOUS)
        } else if scope.starts_with("_INTERNAL_") {
            Some("")
        } else {
            None
        }
    })
}

/// A readable name for keys: no versions and architectures of libraries either.
pub(super) fn key(text: &str) -> String {
    map_scopes(text, |scope, before| {
        let versioned = ["CUB_", "THRUST_", "CCCL_", "_V_"]
            .iter()
            .any(|library| scope.strip_prefix(library).is_some_and(begins_with_version));
        (versioned || is_abi_version(scope, before)).then_some("")
    })
}

/// At least five digits, then nothing or `_…`.
fn begins_with_version(rest: &str) -> bool {
    let tail = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() - tail.len() >= 5 && (tail.is_empty() || tail.starts_with('_'))
}

/// `cuda::std::__4::`: an inline namespace of libcu++, anywhere below `cuda::`.
fn is_abi_version(scope: &str, before: &str) -> bool {
    let digits = scope.strip_prefix("__").unwrap_or("");
    let numbered = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let path =
        before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':').next().unwrap_or("");
    numbered && path.ends_with("::") && path.starts_with("cuda::")
}

/// Copies `text`; a scope (an identifier before `::`) may be replaced, by nothing together with its `::`.
fn map_scopes<'a>(text: &'a str, replace: impl Fn(&'a str, &str) -> Option<&'static str>) -> String {
    const WORD: Bytes = Bytes::WORD.and(b"$.");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(scope) = text::find(rest, "::") {
        let (before, tail) = rest.split_at(scope);
        let start = before.bytes().rposition(|byte| !WORD.has(byte)).map_or(0, |other| other + 1);
        let (before, word) = before.split_at(start);
        out.push_str(before);
        let after = &tail["::".len()..];
        match Some(word).filter(|word| !word.is_empty()).and_then(|word| replace(word, &out)) {
            Some("") => {}
            other => {
                out.push_str(other.unwrap_or(word));
                out.push_str("::");
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A mangled name that cannot be demangled: its parts of internal linkage get one and the same name.
pub(super) fn mangled(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, length, after)) = next_internal(rest) {
        out.push_str(before);
        out.push_str("12_GLOBAL__N_1");
        rest = after.get(length..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// The next `<len>_GLOBAL__N_…` or `<len>_INTERNAL_…`: what stands before, the length, what begins with the part.
fn next_internal(text: &str) -> Option<(&str, usize, &str)> {
    let starts = text.match_indices("_GLOBAL__N_").chain(text.match_indices("_INTERNAL_")).map(|(at, _)| at);
    let mut starts: Vec<usize> = starts.collect();
    starts.sort_unstable();
    starts.into_iter().find_map(|at| {
        let before = text[..at].trim_end_matches(|c: char| c.is_ascii_digit());
        let length: usize = text[before.len()..at].parse().ok()?;
        (length >= "_INTERNAL_".len() && length <= text.len() - at).then_some((before, length, &text[at..]))
    })
}
