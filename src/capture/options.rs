//! The options of nvcc that take a value, as `nvcc --help` of 11.8 to 13.5 lists them.

/// Long and short name.
const VALUED: [(&str, &str); 68] = [
    ("Ofast-compile", "Ofc"),
    ("Werror", "Werror"),
    ("apply-controls", "apply-controls"),
    ("archive-options", "Xarchive"),
    ("archiver-binary", "arbin"),
    ("brief-diagnostics", "brief-diag"),
    ("compiler-bindir", "ccbin"),
    ("compiler-options", "Xcompiler"),
    ("cudadevrt", "cudadevrt"),
    ("cudafe-options", "Xcudafe"),
    ("cudart", "cudart"),
    ("default-stream", "default-stream"),
    ("define-macro", "D"),
    ("dependency-drive-prefix", "ddp"),
    ("dependency-output", "MF"),
    ("dependency-target-name", "MT"),
    ("device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility"),
    ("diag-error", "diag-error"),
    ("diag-suppress", "diag-suppress"),
    ("diag-warn", "diag-warn"),
    ("dopt", "dopt"),
    ("drive-prefix", "dp"),
    ("entries", "e"),
    ("fatbin-options", "Xfatbin"),
    ("fdevice-time-trace", "fdevice-time-trace"),
    ("fdevice-time-trace-granularity", "fdevice-time-trace-granularity"),
    ("fmad", "fmad"),
    ("fmax-errors", "fmax-errors"),
    ("ftemplate-backtrace-limit", "ftemplate-backtrace-limit"),
    ("ftemplate-depth", "ftemplate-depth"),
    ("ftz", "ftz"),
    ("generate-code", "gencode"),
    ("gpu-architecture", "arch"),
    ("gpu-code", "code"),
    ("host-linker-script", "hls"),
    ("include-path", "I"),
    ("input-drive-prefix", "idp"),
    ("jump-table-density", "jtd"),
    ("keep-dir", "keep-dir"),
    ("libdevice-directory", "ldir"),
    ("library", "l"),
    ("library-path", "L"),
    ("linker-options", "Xlinker"),
    ("machine", "m"),
    ("maxrregcount", "maxrregcount"),
    ("nvlink-options", "Xnvlink"),
    ("nvprune-options", "Xnvprune"),
    ("optimization-info", "opt-info"),
    ("optimize", "O"),
    ("options-file", "optf"),
    ("output-directory", "odir"),
    ("output-file", "o"),
    ("pre-include", "include"),
    ("prec-div", "prec-div"),
    ("prec-sqrt", "prec-sqrt"),
    ("ptxas-options", "Xptxas"),
    ("relocatable-device-code", "rdc"),
    ("run-args", "run-args"),
    ("split-compile", "split-compile"),
    ("split-compile-extended", "split-compile-extended"),
    ("static-global-template-stub", "static-global-template-stub"),
    ("std", "std"),
    ("system-include", "isystem"),
    ("target-directory", "target-dir"),
    ("threads", "t"),
    ("time", "time"),
    ("undefine-macro", "U"),
    ("x", "x"),
];

/// Options without a value that decide what a call does, or that a compile beside it must not have.
const PLAIN: [(&str, &str); 30] = [
    ("clean-targets", "clean"),
    ("compile", "c"),
    ("cubin", "cubin"),
    ("cuda", "cuda"),
    ("device-c", "dc"),
    ("device-link", "dlink"),
    ("device-w", "dw"),
    ("dryrun", "dryrun"),
    ("fatbin", "fatbin"),
    ("generate-dependencies", "M"),
    ("generate-dependencies-with-compile", "MD"),
    ("generate-dependency-targets", "MP"),
    ("generate-line-info", "lineinfo"),
    ("generate-nonsystem-dependencies", "MM"),
    ("generate-nonsystem-dependencies-with-compile", "MMD"),
    ("help", "h"),
    ("keep", "keep"),
    ("lib", "lib"),
    ("link", "link"),
    ("list-gpu-arch", "arch-ls"),
    ("list-gpu-code", "code-ls"),
    ("ltoir", "ltoir"),
    ("objdir-as-tempdir", "objtemp"),
    ("optix-ir", "optix-ir"),
    ("preprocess", "E"),
    ("ptx", "ptx"),
    ("run", "run"),
    ("save-temps", "save-temps"),
    ("verbose", "v"),
    ("version", "V"),
];

/// Short names that their value may follow without a space.
const JOINED: [&str; 7] = ["D", "I", "L", "O", "U", "l", "t"];

/// An option as it stands on a command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spelled<'a> {
    /// The long name of an option whose value is here.
    Value(&'static str, &'a str),
    /// The long name of an option whose value is the next argument.
    Next(&'static str),
    /// The long name of an option without a value.
    Plain(&'static str),
    /// Any other: the host compiler's, or one that no call beside it needs to know.
    Other,
}

/// Reads an argument that begins with `-`.
pub(super) fn option(argument: &str) -> Spelled<'_> {
    let name = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-')).unwrap_or(argument);
    let (head, value) = match name.split_once('=') {
        Some((head, value)) => (head, Some(value)),
        None => (name, None),
    };
    let named = |list: &[(&'static str, &str)]| {
        list.iter().find(|(long, short)| *long == head || *short == head).map(|(long, _)| *long)
    };
    if let Some(long) = named(&VALUED) {
        return value.map_or(Spelled::Next(long), |value| Spelled::Value(long, value));
    }
    if let (Some(long), None) = (named(&PLAIN), value) {
        return Spelled::Plain(long);
    }
    let is_long = argument.starts_with("--");
    let joined = JOINED.iter().find_map(|short| Some((*short, name.strip_prefix(short)?)));
    match joined {
        Some((short, value)) if !is_long && is_joined(short, value) => {
            let long = VALUED.iter().find(|(_, other)| *other == short).map_or("", |(long, _)| *long);
            Spelled::Value(long, value)
        }
        _ => Spelled::Other,
    }
}

/// `-O3` and `-t4` are options with a value; `-Ofast` and `-thing` are the host compiler's.
fn is_joined(short: &str, value: &str) -> bool {
    match short {
        "O" | "t" => value.bytes().all(|byte| byte.is_ascii_digit()),
        // `-lineinfo` and others of nvcc's begin like `-l`: those are no libraries
        "l" => !matches!(value, "to") && !value.starts_with("ist-"),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_write_an_option() {
        use Spelled::{Next, Other, Plain, Value};
        for (argument, read) in [
            ("-o", Next("output-file")),
            ("-o=x", Value("output-file", "x")),
            ("--output-file=x", Value("output-file", "x")),
            ("-Iinc", Value("include-path", "inc")),
            ("-I", Next("include-path")),
            ("-DA=1", Value("define-macro", "A=1")),
            ("-O3", Value("optimize", "3")),
            ("-Ofast", Other),
            ("-t4", Value("threads", "4")),
            ("-lto", Other),
            ("-lcudart", Value("library", "cudart")),
            ("-lineinfo", Plain("generate-line-info")),
            ("-ldir", Next("libdevice-directory")),
            ("-dc", Plain("device-c")),
            ("--device-c", Plain("device-c")),
            ("-dlto", Other),
            ("-MD", Plain("generate-dependencies-with-compile")),
            ("-MF", Next("dependency-output")),
            ("-gencode=arch=compute_80,code=sm_80", Value("generate-code", "arch=compute_80,code=sm_80")),
            ("-arch=sm_90", Value("gpu-architecture", "sm_90")),
            ("-Xcompiler=-fPIC", Value("compiler-options", "-fPIC")),
            ("-use_fast_math", Other),
            ("-Wall", Other),
            ("-std=c++17", Value("std", "c++17")),
        ] {
            assert_eq!(option(argument), read, "{argument}");
        }
    }
}
