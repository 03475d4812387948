//! The user's flags as ptxas gets them from nvcc.

use crate::compile::{DeviceCode, FlagOption, options};

/// What an assembly needs of the build's flags.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PtxasFlags {
    /// Arguments for ptxas: what nvcc hands on, without reports and files.
    pub args: Vec<String>,
    /// `-maxrregcount`, which is one of the arguments.
    pub cap: Option<u32>,
    /// `-rdc=true` or `-dc`: code that is linked later.
    pub relocatable: bool,
    /// `-G`: what nvcc makes of it for ptxas.
    pub debug: Vec<String>,
    /// The figures do not come from a plain ptxas call: `-G`, link-time optimisation.
    pub unfit: bool,
}

impl PtxasFlags {
    #[cfg(feature = "experiment")]
    /// The arguments, with the unit's cap or without.
    pub(crate) fn args_with(&self, cap: bool) -> Vec<&str> {
        let mut args = self.args.iter().map(String::as_str);
        let mut kept = Vec::new();
        while let Some(arg) = args.next() {
            match is_cap(arg) && !cap {
                // its value is the next argument
                true if !arg.contains('=') => _ = args.next(),
                true => {}
                false => kept.push(arg),
            }
        }
        kept
    }
}

/// Reads nvcc's flags. nvcc's `-O` is the host compiler's: ptxas gets only what `-Xptxas` says.
pub fn ptxas_flags(flags: &[String]) -> PtxasFlags {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let is_ewp = |option: &FlagOption<'_>| matches!(option.name, "ewp" | "extensible-whole-program");
    // An extensible whole program is compiled as one, although it is linked.
    let code = DeviceCode::of_options(options(&flags).into_iter().filter(|option| !is_ewp(option))).0;
    let mut read = PtxasFlags {
        relocatable: code == DeviceCode::Relocatable,
        unfit: code == DeviceCode::LinkTime,
        ..PtxasFlags::default()
    };
    let (mut given, mut cap) = (Vec::new(), None);
    for option in options(&flags) {
        match option.name {
            "Xptxas" | "ptxas-options" => given.push(option.value),
            "maxrregcount" => cap = Some(option.value),
            "fmad" => read.args.extend(["--fmad".to_owned(), option.value.to_owned()]),
            "Ofc" | "Ofast-compile" => read.args.push(format!("--Ofast-compile={}", option.value)),
            "G" | "device-debug" => {
                read.unfit = true;
                read.debug = ["-g", "--dont-merge-basicblocks", "--return-at-end"].map(str::to_owned).into();
            }
            _ if is_ewp(&option) => read.args.push("-ewp".to_owned()),
            _ => {}
        }
    }
    let given = given.iter().flat_map(|value| value.split(',')).filter(|arg| !arg.is_empty());
    let mut given = given.collect::<Vec<&str>>().into_iter();
    while let Some(arg) = given.next() {
        match ours(arg) {
            // its value is the next argument
            Some(true) if !arg.contains('=') => _ = given.next(),
            Some(_) => {}
            None => {
                read.unfit |= matches!(arg, "-g" | "--device-debug");
                read.args.push(arg.to_owned());
                if is_cap(arg) && !arg.contains('=') {
                    read.args.extend(given.next().map(str::to_owned));
                }
            }
        }
    }
    // nvcc hands its own option on after those for ptxas
    read.args.extend(cap.map(|cap| format!("-maxrregcount={cap}")));
    read.cap = cap_of(&read.args);
    read.relocatable |= read.args.iter().any(|arg| is_compile_only(arg));
    if read.relocatable && !read.args.iter().any(|arg| is_compile_only(arg)) {
        read.args.push("-c".to_owned());
    }
    read
}

fn is_compile_only(arg: &str) -> bool {
    matches!(arg, "-c" | "--compile-only")
}

/// The name of an argument, without dashes and value.
fn name(arg: &str) -> &str {
    arg.split('=').next().unwrap_or(arg).trim_start_matches('-')
}

fn is_cap(arg: &str) -> bool {
    name(arg) == "maxrregcount"
}

/// The register cap in ptxas' arguments: the last one.
fn cap_of(args: &[String]) -> Option<u32> {
    let at = args.iter().rposition(|arg| is_cap(arg))?;
    let value = args[at].split_once('=').map(|(_, value)| value).or_else(|| Some(args.get(at + 1)?.as_str()));
    value?.trim().parse().ok()
}

/// Options that an assembly sets itself or must not have, and whether a value follows.
fn ours(arg: &str) -> Option<bool> {
    match name(arg) {
        "v" | "verbose" | "lineinfo" | "generate-line-info" | "override-directive-values" => Some(false),
        "w" | "Werror" | "warning-as-error" | "warn-spills" | "warn-on-spills" | "warn-lmem-usage" => {
            Some(false)
        }
        "warn-on-local-memory-usage" | "warn-double-usage" | "warn-on-double-precision-use" => Some(false),
        "maxntid" | "minnctapersm" | "e" | "entry" | "o" | "output-file" => Some(true),
        "arch" | "gpu-name" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(flags: &[&str]) -> PtxasFlags {
        ptxas_flags(&flags.iter().map(|&flag| flag.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn ptxas_gets_what_nvcc_hands_on() {
        let flags =
            ["-O1", "-Xptxas", "-v,-O2", "--ptxas-options=-dlcm=cg", "-Xptxas -warn-spills", "-fmad=false"];
        assert_eq!(read(&flags).args, ["--fmad", "false", "-O2", "-dlcm=cg"]);
        let capped = read(&["-maxrregcount=40", "-Xptxas", "-maxrregcount,32,-O1"]);
        assert_eq!(capped.args, ["-maxrregcount", "32", "-O1", "-maxrregcount=40"]);
        #[cfg(feature = "experiment")]
        assert_eq!((capped.args_with(true).len(), capped.args_with(false)), (4, vec!["-O1"]));
        assert_eq!((capped.cap, read(&["-Xptxas=-maxrregcount=24"]).cap), (Some(40), Some(24)));
        assert_eq!((read(&["-Xptxas=-maxrregcount"]).cap, read(&["-O3"]).cap), (None, None));
        assert_eq!(read(&["-Xptxas"]), PtxasFlags::default());
    }

    #[test]
    fn relocatable_code_is_seen_in_each_spelling() {
        for flags in [
            &["-rdc=true"][..],
            &["-rdc true"],
            &["--relocatable-device-code", "true"],
            &["-dc"],
            &["-Xptxas=-c"],
        ] {
            let read = read(flags);
            assert!(read.relocatable && read.args == ["-c"], "{flags:?} {read:?}");
        }
        assert!(!read(&["-rdc=false"]).relocatable && !read(&["-rdc=true", "-dw"]).relocatable);
        let extensible = read(&["-ewp"]);
        assert!(!extensible.relocatable && extensible.args == ["-ewp"]);
        assert_eq!(read(&["-fmad", "false", "-O3"]).args, ["--fmad", "false"]);
    }

    #[test]
    fn debug_and_link_time_builds_are_unfit() {
        assert!(read(&["-G"]).unfit && read(&["-dlto"]).unfit && !read(&["-O3", "-g"]).unfit);
    }
}
