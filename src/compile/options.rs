//! nvcc's flags, taken apart into options and their values.

/// An option with its value: `-rdc=true`, `-rdc true` in one flag or in two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FlagOption<'a> {
    /// Its name without dashes.
    pub name: &'a str,
    /// Its value; empty without.
    pub value: &'a str,
    /// The index of the flag that names it.
    pub at: usize,
}

/// Options whose value may be the next flag: those that somebody reads, and those whose value may look like one of them.
const WITH_VALUE: [&str; 32] = [
    "D",
    "I",
    "Ofast-compile",
    "Ofc",
    "Xarchive",
    "Xcompiler",
    "Xcudafe",
    "Xfatbin",
    "Xlinker",
    "Xnvlink",
    "Xptxas",
    "arch",
    "archive-options",
    "code",
    "compiler-options",
    "define-macro",
    "fatbin-options",
    "fmad",
    "generate-code",
    "gencode",
    "gpu-architecture",
    "gpu-code",
    "include-path",
    "isystem",
    "linker-options",
    "maxrregcount",
    "nvlink-options",
    "ptxas-options",
    "rdc",
    "relocatable-device-code",
    "split-compile-extended",
    "system-include",
];

/// Reads flags as nvcc does, as far as the options in [`WITH_VALUE`] go.
pub(crate) fn options<'a>(flags: &[&'a str]) -> Vec<FlagOption<'a>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(flag) = flags.get(at).map(|flag| flag.trim()) {
        let named = flag.trim_start_matches('-');
        let mut option = match named.split_once(|c: char| c == '=' || c.is_whitespace()) {
            Some((name, value)) => FlagOption { name, value: value.trim(), at },
            None => FlagOption { name: named, value: "", at },
        };
        at += 1;
        if option.name.len() == named.len() && WITH_VALUE.contains(&named) {
            option.value = flags.get(at).map_or("", |next| next.trim());
            at += 1;
        }
        if flag.starts_with('-') {
            all.push(option);
        }
    }
    all
}
