//! What the user's flags mean for whole units.

use std::borrow::Cow;

use crate::compile::{DeviceCode, Unit, options};
use crate::expect::{Config, Sourced};
use crate::session::Package;
use crate::source::Span;

/// A unit's flags: the configuration's, where no build says others.
pub(super) fn of<'a>(config: &'a Config, unit: &Unit) -> Cow<'a, [Sourced<String>]> {
    match &unit.call {
        Some(call) => call
            .flags
            .iter()
            .map(|flag| Sourced { value: flag.clone(), span: None })
            .collect::<Vec<_>>()
            .into(),
        None => config.flags.as_slice().into(),
    }
}

/// What decides a unit's device code beside its text, in words that are the same on every machine: flags without those
/// of folders and of the host compiler, and what was chosen of cargo's build.
pub(super) fn settings(package: &Package<'_>, unit: &Unit) -> String {
    const OF_THE_MACHINE: [&str; 8] = [
        "-I",
        "--include-path",
        "-isystem",
        "--system-include",
        "-ccbin",
        "--compiler-bindir",
        "-L",
        "--library-path",
    ];
    let flags = of(package.config, unit);
    let mut words = Vec::new();
    let mut skips = false;
    for word in flags.iter().map(|flag| flag.value.trim()) {
        let starts = OF_THE_MACHINE.iter().find(|option| word.starts_with(**option));
        if std::mem::take(&mut skips) || starts.is_some() {
            skips = starts.is_some_and(|option| word == *option);
            continue;
        }
        words.push(without_folders(word));
    }
    if unit.call.is_none() {
        words.extend(package.config.defines.iter().map(|define| format!("-D{}", define.value)));
    }
    words.extend(Some(package.build.to_owned()).filter(|build| !build.is_empty()));
    words.join(" ")
}

/// `--pre-include=/a/b/c.h` as `--pre-include=…/c.h`.
fn without_folders(word: &str) -> String {
    match (word.find('/'), word.rfind('/')) {
        (Some(first), Some(last)) => format!("{}…{}", &word[..first], &word[last..]),
        _ => word.to_owned(),
    }
}

/// `-G`, where it is written.
pub(super) fn debug(flags: &[Sourced<String>]) -> Option<Option<Span>> {
    let is_debug = |flag: &&Sourced<String>| matches!(flag.value.trim(), "-G" | "--device-debug");
    flags.iter().find(is_debug).map(|flag| flag.span.clone())
}

/// `-maxrregcount N` in its spellings, where it is written; of several the last.
pub(super) fn maxrregcount(flags: &[Sourced<String>]) -> Option<(u32, Option<Span>)> {
    let words: Vec<&str> = flags.iter().map(|flag| flag.value.as_str()).collect();
    let caps = options(&words).into_iter().filter(|option| option.name == "maxrregcount");
    let (cap, at) = caps.filter_map(|option| Some((option.value.parse().ok()?, option.at))).next_back()?;
    Some((cap, flags.get(at)?.span.clone()))
}

/// The kind of device code, and where the flag that asks for it is written.
pub(super) fn device_code(flags: &[Sourced<String>]) -> (DeviceCode, Option<Span>) {
    let words: Vec<&str> = flags.iter().map(|flag| flag.value.as_str()).collect();
    let (code, at) = DeviceCode::with_place(&words);
    (code, at.and_then(|at| flags.get(at)).and_then(|flag| flag.span.clone()))
}

/// Whether a unit of a package has to be linked with others of it: relocatable code.
pub fn is_linked(config: &Config, unit: &Unit) -> bool {
    !unit.kind.is_binary() && device_code(&of(config, unit)).0.is_linked()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(flags: &[&str]) -> Vec<Sourced<String>> {
        flags.iter().map(|&flag| Sourced { value: flag.to_owned(), span: None }).collect()
    }

    #[test]
    fn a_register_cap_is_seen_in_each_spelling() {
        for words in [&["-maxrregcount=40"][..], &["--maxrregcount", "40"], &["-O3", "-maxrregcount 40"]] {
            assert_eq!(maxrregcount(&flags(words)), Some((40, None)), "{words:?}");
        }
        assert_eq!(maxrregcount(&flags(&["-O3", "--maxrregcount"])), None);
    }

    #[test]
    fn a_debug_build_is_seen() {
        assert!(debug(&flags(&["-G"])).is_some() && debug(&flags(&["-g", "-O3"])).is_none());
    }
}
