//! Why a unit could not be compiled.

use std::fmt;

use crate::arch::Arch;
use crate::compile::ptx::unresolved;
use crate::evidence::names;
use crate::sys::files::FileError;
use crate::sys::process::ProcessError;

/// A text that must not reach nvcc, which hands its arguments to a shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShellUnsafe {
    /// What the text is: `the path of the source`, `an include folder`.
    pub what: &'static str,
    /// The text.
    pub text: String,
    /// The character that is refused.
    pub character: char,
}

impl fmt::Display for ShellUnsafe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, text, character } = self;
        let shown = crate::text::sanitize(text);
        let why = match character {
            ',' => "nvcc splits there",
            '\'' => "nvcc does not find such a folder",
            _ => "nvcc would hand it to a shell",
        };
        write!(f, "{what} `{shown}` has the character {character:?}: {why}, so it was not run")
    }
}

/// A unit that could not be compiled for an architecture.
#[derive(Debug)]
pub enum CompileError {
    /// A path or flag has a character that nvcc would give to a shell.
    Unsafe(ShellUnsafe),
    /// The source cannot be read.
    Source(FileError),
    /// The compiler failed: its own words follow.
    Failed {
        /// Exit code; `None` where a signal ended it.
        code: Option<i32>,
        /// The signal, on Unix.
        signal: Option<i32>,
        /// What it printed.
        output: String,
        /// The PTX, where it got that far: a failed ptxas still says which kernel is at fault.
        ptx: Option<String>,
    },
    /// It ended well but left no PTX or cubin, or a report that does not fit them.
    NoArtefact {
        /// What is missing.
        missing: String,
        /// What it printed.
        output: String,
    },
    /// It ended well, and its cubin cannot be read or contradicts its report.
    Cubin {
        /// What is wrong, in words.
        problem: String,
        /// What it printed.
        output: String,
    },
    /// It could not be run to its end.
    Process(ProcessError),
    /// A file of ours could not be written or read.
    File(FileError),
    /// PTX needs ptxas, and the toolkit has none.
    NoPtxas,
    /// Relocatable code needs nvlink, and the toolkit has none.
    NoNvlink,
    /// A binary cannot be read: why, in words.
    Binary(String),
    /// A binary has no machine code for the architecture.
    NotBuiltFor {
        /// What it has machine code for; at least one.
        has: Vec<Arch>,
    },
    /// A cubin is for an architecture that the configuration does not ask for.
    NotAsked(
        /// What it is for.
        Arch,
    ),
    /// Fat binaries and what embeds them need cuobjdump, and the toolkit has none.
    NoCuobjdump,
    /// cuobjdump found no machine code, or failed: its own words follow.
    Extract {
        /// What it printed.
        output: String,
    },
    /// The device link failed, and nothing is known without it: its own words follow.
    Link {
        /// Why, in words that follow `failed: `, where that is known beyond nvlink's own.
        why: Option<String>,
        /// What nvlink printed.
        output: String,
    },
    /// The device link ended well, and its cubin cannot be read or contradicts its report.
    LinkedCubin {
        /// What is wrong, in words.
        problem: String,
        /// What nvlink printed.
        output: String,
    },
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsafe(error) => error.fmt(f),
            Self::Source(error) | Self::File(error) => error.fmt(f),
            Self::Failed { code: Some(code), .. } => write!(f, "the compiler failed with exit status {code}"),
            Self::Failed { signal: Some(signal), .. } => {
                write!(f, "the compiler was ended by signal {signal}{}", signal_hint(*signal))
            }
            Self::Failed { .. } => f.write_str("the compiler failed"),
            Self::NoArtefact { missing, .. } => write!(f, "the compiler ended well but left no {missing}"),
            Self::Cubin { problem, .. } => write!(f, "the compiler ended well, but {problem}"),
            Self::Process(error) => error.fmt(f),
            Self::NoPtxas => f.write_str("the toolkit has no `ptxas`, which `.ptx` sources need"),
            Self::NoNvlink => f.write_str("the toolkit has no `nvlink`, which relocatable device code needs"),
            Self::Binary(problem) => f.write_str(problem),
            Self::NotBuiltFor { has } => write!(f, "it has machine code for {} only", list(has)),
            Self::NotAsked(arch) => write!(f, "it is for {arch}, which is not asked for"),
            Self::NoCuobjdump => f.write_str(
                "the toolkit has no `cuobjdump`, which `.fatbin`, `.o`, `.a` and `.so` sources need",
            ),
            Self::Extract { .. } => f.write_str("`cuobjdump` takes no machine code (cubin) out of it"),
            Self::Link { why: Some(why), .. } => write!(f, "the device link failed: {why}"),
            Self::Link { why: None, .. } => f.write_str("the device link failed"),
            Self::LinkedCubin { problem, .. } => write!(f, "the device link ended well, but {problem}"),
        }
    }
}

impl std::error::Error for CompileError {}

fn list(archs: &[Arch]) -> String {
    archs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn signal_hint(signal: i32) -> &'static str {
    match signal {
        9 => " (often: the machine ran out of memory; try a smaller `-j`)",
        _ => "",
    }
}

impl CompileError {
    /// What the compiler printed, if it ran.
    pub fn output(&self) -> Option<&str> {
        match self {
            Self::Failed { output, .. }
            | Self::NoArtefact { output, .. }
            | Self::Cubin { output, .. }
            | Self::Extract { output }
            | Self::Link { output, .. }
            | Self::LinkedCubin { output, .. } => Some(output),
            _ => None,
        }
    }

    /// What to do next; `arch` is what was compiled for, where that is known.
    pub fn help(&self, arch: Option<Arch>) -> Option<String> {
        let output = self.output().unwrap_or_default();
        if let Some(header) = missing_header(output) {
            return Some(header_help(header));
        }
        match self {
            Self::Unsafe(_) => Some("rename it".to_owned()),
            Self::Source(_) => Some("check the path and its permissions, or change `sources`".to_owned()),
            Self::Process(ProcessError::Timeout { .. }) => Some("give more time with `--timeout`".to_owned()),
            Self::Process(ProcessError::TooMuch { .. }) => Some(
                "its report is not used: run the compiler by hand to see what it prints (a wrapper, `-v` flags, a loop)"
                    .to_owned(),
            ),
            Self::Binary(_) => Some("build it anew, or take it out of `sources`".to_owned()),
            Self::Extract { .. } => Some(
                "name a file that was built with code for an architecture (`-arch=sm_90`, not PTX alone)"
                    .to_owned(),
            ),
            Self::NotBuiltFor { .. } => {
                Some("build it for that too, or take the architecture out of `archs`".to_owned())
            }
            Self::Link { why: Some(_), .. } => {
                Some("name in `sources` the units of one program: one of those that define it".to_owned())
            }
            Self::NotAsked(arch) => {
                Some(format!("add `{arch}` to `archs`, or take the file out of `sources`"))
            }
            Self::NoCuobjdump => Some(
                "install it (the wheel `nvidia-cuda-cuobjdump`), or pin a toolkit, which has it: `cuda = \"13.0\"`"
                    .to_owned(),
            ),
            Self::Failed { .. } if unresolved(output).is_some() => unresolved(output).map(|name| {
                let name = names::name(name).demangled;
                format!(
                    "`{name}` is defined elsewhere: with `-rdc=true` in `flags` (for `.ptx` sources not with `-dlto`) the \
                     package's sources are linked"
                )
            }),
            _ if output.contains("Unsupported gpu architecture") => {
                let arch = arch.map_or_else(|| "that".to_owned(), |arch| arch.to_string());
                Some(format!(
                    "this toolkit cannot compile for {arch}: take it out of `archs`, or pin another toolkit"
                ))
            }
            _ => None,
        }
    }
}

/// The header that gcc's or clang's `fatal error: …` says is missing.
fn missing_header(output: &str) -> Option<&str> {
    fn missing(line: &str) -> Option<&str> {
        let said = line.split_once("fatal error: ")?.1.trim_end();
        let gcc = said.strip_suffix(": No such file or directory");
        gcc.or_else(|| said.strip_prefix('\'')?.strip_suffix("' file not found"))
    }
    output.lines().find_map(missing)
}

fn header_help(header: &str) -> String {
    let base = header.rsplit('/').next().unwrap_or(header);
    match crate::toolkit::wheel_of_header(base) {
        Some(wheel) => format!(
            "`{base}` is a toolkit header that the pinned toolkit leaves out: add `cuda-extra = [\"{wheel}\"]`"
        ),
        None => "add its folder to `include`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_header_is_found_in_gcc_and_clang_words() {
        let gcc = "k.cu:1:10: fatal error: sub/h.h: No such file or directory\n    1 | #include";
        assert_eq!(missing_header(gcc), Some("sub/h.h"));
        assert_eq!(missing_header("k.cu:1:10: fatal error: 'x.h' file not found"), Some("x.h"));
        assert_eq!(missing_header("k.cu(1): error: expected an expression"), None);
    }
}
