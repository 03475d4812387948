//! This program in the place of nvcc: it writes the call down, and forwards it or leaves stand-ins for its outputs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use occlint::capture::{NvccCall, Phase, expand, parse};
use occlint::sys::env::Env;
use occlint::sys::files;
use occlint::sys::process::{self, Call};

use crate::capture::outputs;
use crate::capture::record::Record;
use crate::capture::shadow::{Mode, SETTINGS, Settings};

/// Exit status where the stand-in itself cannot do its work.
const FAILED: u8 = 101;

/// The shadow toolkit that this process belongs to: it stands in the toolkit's `bin` under nvcc's name. The place of the
/// program says so and no variable: some build scripts clear those.
pub(crate) fn is_stand_in() -> Option<Settings> {
    let program = std::env::current_exe().ok()?;
    if program.file_stem()? != "nvcc" {
        return None;
    }
    Settings::read(&program.parent()?.parent()?.join(SETTINGS))
}

/// Acts as nvcc.
pub(crate) fn run(settings: &Settings) -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match settings.mode {
        Mode::Build => {
            if let Some((record, call)) = read(&args)
                && is_recorded(&call, &record.folder)
                && let Err(why) = write(&record, settings)
            {
                return refuse(&why);
            }
            forward(settings, &args)
        }
        Mode::Record => match read(&args) {
            Some((record, call)) if is_recorded(&call, &record.folder) => {
                let object = files::read_bytes(&settings.object).map_err(|error| error.to_string());
                let left = object.and_then(|object| {
                    outputs::leave(&call, &record.folder, &object).map_err(|error| error.to_string())
                });
                match write(&record, settings).and(left) {
                    Ok(()) => ExitCode::SUCCESS,
                    Err(why) => refuse(&why),
                }
            }
            _ => forward(settings, &args),
        },
    }
}

/// The call; `None` where it cannot be read, so that nvcc itself says what is wrong.
fn read(args: &[OsString]) -> Option<(Record, NvccCall)> {
    let args = args.iter().map(|arg| arg.to_str().map(str::to_owned)).collect::<Option<Vec<String>>>()?;
    let folder = std::env::current_dir().ok()?;
    let record = Record::of_process(args, folder, &Env::from_process());
    let text = |name: &str| files::read_text(&record.folder.join(name)).ok();
    let args = expand(&record.all_args(), &text).ok()?;
    // Files of arguments may be gone when the call is looked at.
    let vars = record.vars.iter().filter(|(name, _)| !name.ends_with("_FLAGS"));
    let vars = vars.map(|(name, value)| (name.clone(), value.clone())).collect();
    let call = parse(&args);
    Some((Record { args, vars, ..record }, call))
}

/// Whether a call is part of the build: no question, and no probe of what the compiler can do.
fn is_recorded(call: &NvccCall, folder: &Path) -> bool {
    let compiles =
        call.phase.compiles() && (call.cuda_inputs().next().is_some() || call.ptx_inputs().next().is_some());
    let joins = matches!(call.phase, Phase::DeviceLink | Phase::Archive) || is_link_of_objects(call);
    (compiles || joins) && !is_probe(call, folder)
}

/// A link, which cannot succeed where objects are stand-ins.
fn is_link_of_objects(call: &NvccCall) -> bool {
    let object =
        |input: &String| matches!(Path::new(input).extension(), Some(kind) if kind == "o" || kind == "a");
    call.phase == Phase::Link && call.inputs.iter().any(object)
}

/// CMake's try-compiles and the test compiles of build helpers: their outcome decides how the build goes on.
fn is_probe(call: &NvccCall, folder: &Path) -> bool {
    let parts = ["CMakeTmp", "CMakeScratch", "CompilerIdCUDA", "TryCompile"];
    let within = |path: &Path| {
        path.components().any(|part| {
            let part = part.as_os_str().to_string_lossy();
            parts.iter().any(|name| part.starts_with(name))
        })
    };
    let names =
        ["flag_check.cu", "detect_compiler_family.c", "CMakeCUDACompilerId.cu", "CMakeCUDACompilerABI.cu"];
    let is_named = |input: &String| {
        Path::new(input).file_name().is_some_and(|name| names.iter().any(|one| name == *one))
    };
    within(folder) || call.inputs.iter().any(|input| is_named(input) || within(Path::new(input)))
}

fn write(record: &Record, settings: &Settings) -> Result<(), String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let name = format!("{now:024}-{}.json", std::process::id());
    let path: PathBuf = settings.calls.join(name);
    record.write(&path).map_err(|error| error.to_string())
}

/// Becomes the real nvcc.
fn forward(settings: &Settings, args: &[OsString]) -> ExitCode {
    let error = process::replace(&Call::new(&settings.nvcc).args(args));
    refuse(&format!("cannot start `{}`: {error}", settings.nvcc.display()))
}

fn refuse(why: &str) -> ExitCode {
    eprintln!("nvcc (cargo occlint): {why}");
    ExitCode::from(FAILED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(folder: &str, line: &str) -> bool {
        is_recorded(&parse(&occlint::capture::words(line)), Path::new(folder))
    }

    #[test]
    fn questions_and_probes_are_nvccs_own() {
        assert!(recorded("/c", "-c -o k.o k.cu"));
        assert!(recorded("/c", "-dlink a.o -o b.o") && recorded("/c", "--lib -o a.a b.o"));
        for line in [
            "--version",
            "-c -o x.o host.cpp",
            "-Werror all-warnings -c /t/flag_check.cu",
            "-c /b/CMakeTmp/k.cu",
        ] {
            assert!(!recorded("/c", line), "{line}");
        }
        assert!(!recorded("/b/CMakeFiles/CMakeScratch/TryCompile-1", "-c -o k.o k.cu"));
    }
}
