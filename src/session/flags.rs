//! What the user's flags mean for whole units.

use crate::compile::DeviceCode;
use crate::expect::{Config, Sourced};
use crate::source::Span;

/// `-G`, where it is written.
pub(super) fn debug(config: &Config) -> Option<Option<Span>> {
    let is_debug = |flag: &&Sourced<String>| matches!(flag.value.trim(), "-G" | "--device-debug");
    config.flags.iter().find(is_debug).map(|flag| flag.span.clone())
}

/// `-maxrregcount N` in its spellings, where it is written.
pub(super) fn maxrregcount(config: &Config) -> Option<(u32, Option<Span>)> {
    let flags = &config.flags;
    flags.iter().enumerate().rev().find_map(|(at, flag)| {
        let name = flag.value.trim().trim_start_matches('-');
        let rest = name.strip_prefix("maxrregcount")?;
        let value = match rest.strip_prefix('=') {
            Some(value) => value,
            None if rest.is_empty() => flags.get(at + 1)?.value.trim(),
            None => rest.trim(),
        };
        Some((value.parse().ok()?, flag.span.clone()))
    })
}

/// The kind of device code, and where the flag that asks for it is written.
pub(super) fn device_code(config: &Config) -> (DeviceCode, Option<Span>) {
    let flags: Vec<&str> = config.flags.iter().map(|flag| flag.value.as_str()).collect();
    let (code, at) = DeviceCode::with_place(&flags);
    (code, at.and_then(|at| config.flags.get(at)).and_then(|flag| flag.span.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(flags: &[&str]) -> Config {
        let flags = flags.iter().map(|&flag| Sourced { value: flag.to_owned(), span: None }).collect();
        Config { flags, ..Config::default() }
    }

    #[test]
    fn a_register_cap_is_seen_in_each_spelling() {
        for flags in [&["-maxrregcount=40"][..], &["--maxrregcount", "40"], &["-O3", "-maxrregcount 40"]] {
            assert_eq!(maxrregcount(&config(flags)), Some((40, None)), "{flags:?}");
        }
        assert_eq!(maxrregcount(&config(&["-O3", "--maxrregcount"])), None);
    }

    #[test]
    fn a_debug_build_is_seen() {
        assert!(debug(&config(&["-G"])).is_some() && debug(&config(&["-g", "-O3"])).is_none());
    }
}
