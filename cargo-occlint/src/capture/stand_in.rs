//! This program in the place of nvcc: it writes the call down, and forwards it or leaves stand-ins for its outputs.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use occlint::capture::{NvccCall, Phase, expand, parse};
use occlint::sys::env::Env;
use occlint::sys::files::{self, FileError};
use occlint::sys::process::{self, Call};

use crate::capture::outputs;
use crate::capture::record::{Record, UNREAD};
use crate::capture::shadow::{Mode, SETTINGS, Settings};
use crate::terminal::say_as_nvcc;

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
    if args.iter().any(|arg| arg.to_str().is_none()) {
        return match leave_unread(&args, settings) {
            Ok(()) => forward(settings, &args),
            Err(error) => refuse(&error.to_string()),
        };
    }
    let recorded = read(&args).filter(|(record, call)| is_recorded(call, &record.folder));
    let Some((record, call)) = recorded else { return forward(settings, &args) };
    let folder = record.folder.clone();
    if let Err(why) = write(record, &call, settings) {
        return refuse(&why);
    }
    if settings.mode == Mode::Build || is_made_for_real(&call, &folder, settings) {
        return forward(settings, &args);
    }
    let object = files::read_bytes(&settings.object);
    match object.and_then(|object| outputs::leave(&call, &folder, &object)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error.to_string()),
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
    let asks = makes_program(call) && !call.cuda_inputs().any(|input| may_hold_kernels(&folder.join(input)));
    (compiles || joins) && !is_probe(call, folder) && !asks
}

/// A stand-in goes nowhere but into the capture's own folder: what a build writes elsewhere (into its sources, into a cache
/// of its own) stays there, and is taken for the real thing by the next build.
fn is_made_for_real(call: &NvccCall, folder: &Path, settings: &Settings) -> bool {
    let own = settings.calls.parent().and_then(|folder| folder.canonicalize().ok());
    let is_ours = |path: &Path| {
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        parent.zip(own.as_ref()).is_some_and(|(parent, own)| parent.starts_with(own))
    };
    let goes_on = matches!(call.phase, Phase::HostSource | Phase::LtoIr);
    let mut made: Vec<PathBuf> = outputs::outputs(call, folder).into_iter().map(|(path, _)| path).collect();
    made.extend(call.dependencies.iter().flatten().map(|name| folder.join(name)));
    makes_program(call) || goes_on || !made.iter().all(|path| is_ours(path))
}

/// A call that cannot be written down: that it was made is.
fn leave_unread(args: &[OsString], settings: &Settings) -> Result<(), FileError> {
    let words: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
    files::write_atomically(&settings.calls.join(format!("{}.{UNREAD}", stamp())), words.join(" ").as_bytes())
}

/// Sources become a program at once: build scripts make one to run it (which GPU is there?), so it is made for real.
fn makes_program(call: &NvccCall) -> bool {
    let shared = |flag: &String| matches!(flag.as_str(), "-shared" | "--shared");
    call.phase == Phase::Link && !is_link_of_objects(call) && !call.flags.iter().any(shared)
}

/// Whether a source, or a file of the crate that it includes, may hold kernels.
fn may_hold_kernels(source: &Path) -> bool {
    let Ok(text) = files::read_text(source) else { return true };
    let includes = |line: &str| {
        line.trim_start()
            .strip_prefix('#')
            .is_some_and(|rest| rest.trim_start().starts_with("include") && rest.contains('"'))
    };
    text.contains("__global__") || text.lines().any(includes)
}

/// A link, which cannot succeed where objects are stand-ins.
fn is_link_of_objects(call: &NvccCall) -> bool {
    let object =
        |input: &String| matches!(Path::new(input).extension(), Some(kind) if kind == "o" || kind == "a");
    call.phase == Phase::Link && call.inputs.iter().any(object)
}

/// Whether a folder, or one above it, is one of CMake's own tries.
pub(super) fn is_of_a_try(path: &Path) -> bool {
    let parts = ["CMakeTmp", "CMakeScratch", "CompilerIdCUDA", "TryCompile"];
    path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        parts.iter().any(|name| part.starts_with(name)) || part.contains("CMakeDetermineCompilerABI")
    })
}

/// CMake's try-compiles and the test compiles of build helpers: their outcome decides how the build goes on.
fn is_probe(call: &NvccCall, folder: &Path) -> bool {
    let names =
        ["flag_check.cu", "detect_compiler_family.c", "CMakeCUDACompilerId.cu", "CMakeCUDACompilerABI.cu"];
    let is_named = |input: &String| {
        Path::new(input).file_name().is_some_and(|name| names.iter().any(|one| name == *one))
    };
    is_of_a_try(folder) || call.inputs.iter().any(|input| is_named(input) || is_of_a_try(Path::new(input)))
}

fn write(mut record: Record, call: &NvccCall, settings: &Settings) -> Result<(), String> {
    let sources: Vec<PathBuf> =
        call.cuda_inputs().chain(call.ptx_inputs()).map(|input| record.folder.join(input)).collect();
    // The build may have made any of them, and may take it away or write it again.
    for source in sources {
        let copy = keep(&source, settings).map_err(|error| error.to_string())?;
        record.copies.extend(copy.map(|copy| (source, copy)));
    }
    record.write(&settings.calls.join(format!("{}.json", stamp()))).map_err(|error| error.to_string())
}

/// A name of its own for each call, in their order.
fn stamp() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{now:024}-{}", std::process::id())
}

/// A copy of a source, by its place and text; `None` where there is none to be read, which nvcc will say.
fn keep(source: &Path, settings: &Settings) -> Result<Option<PathBuf>, FileError> {
    let (Ok(bytes), Some(name)) = (files::read_bytes(source), source.file_name()) else { return Ok(None) };
    let mut hasher = DefaultHasher::new();
    (source, &bytes).hash(&mut hasher);
    let copy = settings.calls.join("sources").join(format!("{:016x}", hasher.finish())).join(name);
    if !copy.is_file() {
        copy.parent().map(files::create_folder).transpose()?;
        files::write_atomically(&copy, &bytes)?;
    }
    Ok(Some(copy))
}

/// Becomes the real nvcc.
fn forward(settings: &Settings, args: &[OsString]) -> ExitCode {
    let error = process::replace(&Call::new(&settings.nvcc).args(args));
    refuse(&format!("cannot start `{}`: {error}", settings.nvcc.display()))
}

fn refuse(why: &str) -> ExitCode {
    say_as_nvcc(why);
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
    #[test]
    fn a_program_is_made_for_real_and_counts_if_it_may_hold_kernels() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("ask.cu", "#include <cuda.h>\nint main() { return cuInit(0); }\n");
        write("own.cu", "# include \"kernels.cuh\"\nint main() {}\n");
        write("kernel.cu", "__global__ void k() {}\n");
        let call = |line: &str| parse(&occlint::capture::words(line));
        for (line, program, recorded) in [
            ("-lcuda ask.cu -o ask", true, false),
            ("own.cu -o own", true, true),
            ("kernel.cu -o kernel", true, true),
            ("-shared -o k.so ask.cu", false, true),
            ("-c ask.cu", false, true),
            ("-o joined a.o", false, true),
        ] {
            let call = call(line);
            assert_eq!(
                (makes_program(&call), is_recorded(&call, folder.path())),
                (program, recorded),
                "{line}"
            );
        }
    }
}
