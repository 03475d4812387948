//! The user's flags as ptxas gets them from nvcc.

use crate::compile::{DeviceCode, FlagOption, options};

/// What an assembly needs of the build's flags.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PtxasFlags {
    /// Arguments for ptxas: what nvcc hands on, without reports, files and the register cap.
    pub args: Vec<String>,
    /// `-rdc=true` or `-dc`: code that is linked later.
    pub relocatable: bool,
    /// The figures do not come from a plain ptxas call: `-G`, link-time optimisation.
    pub unfit: bool,
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
    let mut given = Vec::new();
    for option in options(&flags) {
        match option.name {
            "Xptxas" | "ptxas-options" => given.push(option.value),
            "fmad" => read.args.extend(["--fmad".to_owned(), option.value.to_owned()]),
            "G" | "device-debug" => read.unfit = true,
            _ if is_ewp(&option) => read.args.push("-ewp".to_owned()),
            _ => {}
        }
    }
    let given = given.iter().flat_map(|value| value.split(',')).filter(|arg| !arg.is_empty());
    let given: Vec<&str> = given.collect();
    let mut skip = false;
    for arg in &given {
        if std::mem::take(&mut skip) {
            continue;
        }
        match ours(arg) {
            Some(takes_value) => skip = takes_value && !arg.contains('='),
            None => {
                read.relocatable |= matches!(*arg, "-c" | "--compile-only");
                read.unfit |= matches!(*arg, "-g" | "--device-debug");
                read.args.push((*arg).to_owned());
            }
        }
    }
    if read.relocatable && !read.args.iter().any(|arg| matches!(arg.as_str(), "-c" | "--compile-only")) {
        read.args.push("-c".to_owned());
    }
    read
}

/// Options that an assembly sets itself or must not have, and whether a value follows.
fn ours(arg: &str) -> Option<bool> {
    let name = arg.split('=').next().unwrap_or(arg).trim_start_matches('-');
    match name {
        "v" | "verbose" | "lineinfo" | "generate-line-info" | "override-directive-values" => Some(false),
        "w" | "Werror" | "warning-as-error" | "warn-spills" | "warn-on-spills" | "warn-lmem-usage" => {
            Some(false)
        }
        "warn-on-local-memory-usage" | "warn-double-usage" | "warn-on-double-precision-use" => Some(false),
        "maxrregcount" | "maxntid" | "minnctapersm" | "e" | "entry" | "o" | "output-file" => Some(true),
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
        assert_eq!(read(&["-Xptxas", "-maxrregcount,32,-O1", "-maxrregcount=40"]).args, ["-O1"]);
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
