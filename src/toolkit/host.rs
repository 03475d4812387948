//! The host compiler that nvcc runs.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::process::{Call, Cancel};
use crate::toolkit::installed::{ask, shown};
use crate::toolkit::{Toolkit, ToolkitError};

/// Whose compiler it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// GCC.
    Gcc,
    /// Clang.
    Clang,
}

/// 12.2.0 of `g++ (Debian 12.2.0-14) 12.2.0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HostVersion {
    /// 12 of 12.2.0: what toolkits support or refuse.
    pub major: u32,
    /// 2 of 12.2.0.
    pub minor: u32,
    /// The last part.
    pub patch: u32,
}

impl fmt::Display for HostVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The host C++ compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostCompiler {
    /// Its path.
    pub path: PathBuf,
    /// Whose it is.
    pub family: Family,
    /// Its version.
    pub version: HostVersion,
    /// What chose it: `` `-ccbin` ``, `` `NVCC_CCBIN` ``, `` `CXX` ``, `` `g++` on PATH ``.
    pub origin: String,
    /// nvcc would not take it by itself: it has to be given as `-ccbin`.
    pub needs_ccbin: bool,
}

/// What decides which host compiler nvcc runs.
#[derive(Clone, Copy, Debug)]
pub struct HostSearch<'a> {
    /// nvcc's flags: `-ccbin` and `-allow-unsupported-compiler` matter.
    pub flags: &'a [String],
    /// The environment: `NVCC_CCBIN`, `CXX`, `PATH`.
    pub env: &'a Env,
    /// Ends children on Ctrl-C.
    pub cancel: &'a Cancel,
}

/// Finds the host C++ compiler and holds its version against what the toolkit supports. Runs that compiler once or
/// twice (about 10 ms).
///
/// # Errors
/// It is missing, does not answer, or is newer than the toolkit's `crt/host_config.h` accepts and the flags do not
/// say `-allow-unsupported-compiler`.
pub fn check_host_compiler(toolkit: &Toolkit, search: HostSearch<'_>) -> Result<HostCompiler, ToolkitError> {
    let choice = choose(search)?;
    let call = Call::new(&choice.path).args(["-E", "-dM", "-x", "c++", "/dev/null"]);
    let output = ask(call, search.env, search.cancel)?;
    let Some((family, version)) = identify(&output.stdout) else {
        return Err(ToolkitError::Host {
            message: format!(
                "the host compiler `{}` (from {}) does not say its version: {}",
                choice.path.display(),
                choice.origin,
                shown(&output)
            ),
            help: "install g++, or name a working one: `flags = [\"-ccbin=g++-14\"]`".to_owned(),
        });
    };
    let Choice { path, origin, needs_ccbin } = choice;
    let compiler = HostCompiler { path, family, version, origin, needs_ccbin };
    let config = toolkit.include_folder().join("crt").join("host_config.h");
    let limit = files::read_text(&config).ok().and_then(|text| newest_accepted(&text, family));
    match limit {
        Some(limit) if version.major > limit && !allows_any(search.flags) => {
            Err(too_new(toolkit, &compiler, limit))
        }
        _ => Ok(compiler),
    }
}

/// The compiler that `CXX` names, where nvcc has to be told of it: builds through the cc crate hand it on as `-ccbin`,
/// nvcc by itself never reads `CXX`. `None` where flags or `NVCC_CCBIN` decide, or where nothing is set.
///
/// # Errors
/// What `CXX`, `-ccbin` or `NVCC_CCBIN` names is not there.
pub fn ccbin_of_env(search: HostSearch<'_>) -> Result<Option<PathBuf>, ToolkitError> {
    let named = ccbin(search.flags).is_some() || search.env.text("NVCC_CCBIN").is_some();
    if named || cxx_variable(search.env).is_none() {
        return Ok(None);
    }
    choose(search).map(|choice| choice.needs_ccbin.then_some(choice.path))
}

struct Choice {
    path: PathBuf,
    origin: String,
    needs_ccbin: bool,
}

/// `-ccbin`, else `NVCC_CCBIN`, else what `CXX` says, else `g++` on `PATH`.
fn choose(search: HostSearch<'_>) -> Result<Choice, ToolkitError> {
    let env = search.env;
    if let Some(named) = ccbin(search.flags) {
        return named_compiler(named, "`-ccbin`", env);
    }
    if let Some(named) = env.text("NVCC_CCBIN") {
        return named_compiler(named, "`NVCC_CCBIN`", env);
    }
    if let Some(variable) = cxx_variable(env) {
        return plain(&variable, env).map_or_else(|| by_cc(&triple(), &variable), Ok);
    }
    match files::find_program("g++", &env.path_folders()) {
        Some(path) => Ok(Choice { path, origin: "`g++` on PATH".to_owned(), needs_ccbin: false }),
        None => Err(missing("there is no host C++ compiler: no `g++` on PATH".to_owned())),
    }
}

fn triple() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// The variable that names the host compiler for the cc crate, if one is set.
fn cxx_variable(env: &Env) -> Option<String> {
    let triple = triple();
    let names = [
        format!("CXX_{triple}"),
        format!("CXX_{}", triple.replace('-', "_")),
        "HOST_CXX".to_owned(),
        "CXX".to_owned(),
    ];
    names.into_iter().find(|name| env.var(name).is_some())
}

/// A compiler, or a folder that has one, as `-ccbin` takes both.
fn named_compiler(named: &str, by: &str, env: &Env) -> Result<Choice, ToolkitError> {
    let path = Path::new(named);
    let folder = path.is_dir().then(|| path.join("g++"));
    match program(folder.as_deref().unwrap_or(path), env) {
        Some(path) => Ok(Choice { path, origin: by.to_owned(), needs_ccbin: false }),
        None => Err(missing(format!("there is no host C++ compiler `{named}`, which {by} names"))),
    }
}

/// The program that a variable names and nothing beside it, which cc takes as it is: cc would run it twice to know whose it is,
/// 27 ms of a run on one machine.
fn plain(variable: &str, env: &Env) -> Option<Choice> {
    let path = PathBuf::from(env.text(variable).filter(|value| !value.contains(char::is_whitespace))?);
    program(&path, env)?;
    Some(Choice { path, origin: format!("`{variable}`"), needs_ccbin: true })
}

/// Where a program is that is named by its path, or alone and is on `PATH`.
fn program(named: &Path, env: &Env) -> Option<PathBuf> {
    match named.components().count() {
        1 => files::find_program(named, &env.path_folders()),
        _ => Some(named.to_owned()).filter(|path| files::is_executable(path)),
    }
}

/// What the cc crate makes of `CXX`: it knows wrappers like ccache. It reads the environment itself.
fn by_cc(triple: &str, variable: &str) -> Result<Choice, ToolkitError> {
    let tool = cc::Build::new()
        .cpp(true)
        .cargo_metadata(false)
        .cargo_warnings(false)
        .target(triple)
        .host(triple)
        .opt_level(0)
        .try_get_compiler()
        .map_err(|error| missing(format!("there is no host C++ compiler: {error}")))?;
    Ok(Choice { path: tool.path().to_owned(), origin: format!("`{variable}`"), needs_ccbin: true })
}

fn missing(message: String) -> ToolkitError {
    let help = "nvcc needs one even for device code: install g++ (Debian: `apt install g++`), or name one: \
                `flags = [\"-ccbin=/path/to/g++\"]` or `NVCC_CCBIN`";
    ToolkitError::Host { message, help: help.to_owned() }
}

fn too_new(toolkit: &Toolkit, compiler: &HostCompiler, limit: u32) -> ToolkitError {
    let (name, program) = match compiler.family {
        Family::Gcc => ("GCC", "g++"),
        Family::Clang => ("Clang", "clang++"),
    };
    ToolkitError::Host {
        message: format!(
            "the host compiler `{}` (from {}) is {name} {}, CUDA {}.{} supports {name} up to {limit}",
            compiler.path.display(),
            compiler.origin,
            compiler.version,
            toolkit.version.major,
            toolkit.version.minor
        ),
        help: format!(
            "install an older one and name it: `flags = [\"-ccbin={program}-{limit}\"]` or `NVCC_CCBIN`; or use a newer \
             toolkit"
        ),
    }
}

/// The last `-ccbin` of these flags, in any of its spellings.
fn ccbin(flags: &[String]) -> Option<&str> {
    let mut found = None;
    let mut flags = flags.iter().map(String::as_str);
    while let Some(flag) = flags.next() {
        let name = flag.split('=').next().unwrap_or(flag);
        if ["-ccbin", "--compiler-bindir"].contains(&name) {
            found = flag.split_once('=').map(|(_, value)| value).or_else(|| flags.next());
        }
    }
    found
}

fn allows_any(flags: &[String]) -> bool {
    flags
        .iter()
        .any(|flag| flag.trim_start_matches('-') == "allow-unsupported-compiler" && flag.starts_with('-'))
}

/// Family and version from a compiler's own macros, the ones that `crt/host_config.h` tests.
fn identify(macros: &str) -> Option<(Family, HostVersion)> {
    let value = |name: &str| {
        let line = macros
            .lines()
            .find_map(|line| line.strip_prefix("#define ")?.strip_prefix(name)?.strip_prefix(' '))?;
        line.trim().parse::<u32>().ok()
    };
    let version = |major, minor, patch| {
        Some(HostVersion { major: value(major)?, minor: value(minor)?, patch: value(patch).unwrap_or(0) })
    };
    match version("__clang_major__", "__clang_minor__", "__clang_patchlevel__") {
        Some(clang) => Some((Family::Clang, clang)),
        None => Some((Family::Gcc, version("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")?)),
    }
}

/// The newest major version that this `crt/host_config.h` accepts: from `#if __GNUC__ > 15`, or the most lenient
/// `__clang_major__ >= 21` (the limit differs by machine).
fn newest_accepted(config: &str, family: Family) -> Option<u32> {
    let (test, over) = match family {
        Family::Gcc => ("__GNUC__ > ", 0),
        Family::Clang => ("__clang_major__ >= ", 1),
    };
    let tests = config.lines().filter(|line| line.trim_start().starts_with("#if"));
    let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok();
    tests.filter_map(|line| number(line.split_once(test)?.1)?.checked_sub(over)).max()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::toolkit::Version;
    use crate::toolkit::stand_in::script;

    /// The tests of a real `crt/host_config.h`, shortened.
    const CONFIG: &str = "#if (__GRCO_CLANG_COMPILER__ == 1) && ((__clang_major__ < 16) || (__clang_major__ > 20))\n\
        #if defined(__GNUC__)\n\n#if __GNUC__ > 12\n\n#error -- unsupported GNU version!\n#endif /* __GNUC__ > 12 */\n\
        #if (__clang_major__ >= 20) || (__clang_major__ < 3)\n#endif\n#if (__clang_major__ >= 21) || (__clang_major__ < 3)\n";

    fn compiler(path: &Path, macros: &str) {
        script(path, &format!("cat <<'E'\n{macros}\nE"));
    }

    fn gcc(major: u32) -> String {
        format!("#define __GNUC__ {major}\n#define __GNUC_MINOR__ 3\n#define __GNUC_PATCHLEVEL__ 1")
    }

    fn toolkit(root: &Path) -> Toolkit {
        let folder = root.join("include/crt");
        fs::create_dir_all(&folder).unwrap();
        fs::write(root.join("include/cuda_runtime.h"), "").unwrap();
        fs::write(folder.join("host_config.h"), CONFIG).unwrap();
        let bin = root.join("bin");
        Toolkit::in_bin(
            &bin.join("nvcc"),
            &bin,
            Version { major: 13, minor: 0, build: 88 },
            "test".to_owned(),
        )
    }

    fn check(dir: &Path, flags: &[&str], vars: &[(&str, &str)]) -> Result<HostCompiler, ToolkitError> {
        let path = dir.join("path").display().to_string();
        let system = format!("{path}:/bin:/usr/bin");
        let only = vars.iter().any(|(name, _)| *name == "ONLY");
        let mut all = vec![("PATH", if only { path.as_str() } else { system.as_str() })];
        all.extend(vars);
        let env = Env::from_pairs(all);
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        let cancel = Cancel::new();
        check_host_compiler(&toolkit(dir), HostSearch { flags: &flags, env: &env, cancel: &cancel })
    }

    #[test]
    fn limits_are_read_from_the_toolkit() {
        assert_eq!(newest_accepted(CONFIG, Family::Gcc), Some(12));
        assert_eq!(newest_accepted(CONFIG, Family::Clang), Some(20));
        assert_eq!(newest_accepted("", Family::Gcc), None);
    }

    #[test]
    fn clang_is_not_taken_for_the_gcc_it_poses_as() {
        let macros = "#define __GNUC__ 4\n#define __GNUC_MINOR__ 2\n#define __clang_major__ 18\n#define __clang_minor__ 1\n\
                      #define __clang_patchlevel__ 3\n";
        assert_eq!(identify(macros), Some((Family::Clang, HostVersion { major: 18, minor: 1, patch: 3 })));
        assert_eq!(identify("garbage"), None);
    }

    #[test]
    fn one_that_is_accepted() {
        let dir = tempfile::tempdir().unwrap();
        compiler(&dir.path().join("path/g++"), &gcc(12));
        let found = check(dir.path(), &[], &[]).unwrap();
        assert_eq!((found.family, found.version.to_string()), (Family::Gcc, "12.3.1".to_owned()));
        assert_eq!((found.path, found.needs_ccbin), (dir.path().join("path/g++"), false));
    }

    #[test]
    fn one_that_is_too_new_says_so_unless_that_is_allowed() {
        let dir = tempfile::tempdir().unwrap();
        compiler(&dir.path().join("path/g++"), &gcc(13));
        let error = check(dir.path(), &[], &[]).unwrap_err();
        let message = error.to_string().replace(&dir.path().display().to_string(), "DIR");
        insta::assert_snapshot!(message, @"the host compiler `DIR/path/g++` (from `g++` on PATH) is GCC 13.3.1, CUDA 13.0 supports GCC up to 12");
        assert!(error.help().unwrap().contains("-ccbin=g++-12"), "{:?}", error.help());
        assert!(check(dir.path(), &["-allow-unsupported-compiler"], &[]).is_ok());
    }

    #[test]
    fn what_is_named_goes_first() {
        let dir = tempfile::tempdir().unwrap();
        compiler(&dir.path().join("path/g++"), &gcc(10));
        compiler(&dir.path().join("path/g++-11"), &gcc(11));
        compiler(&dir.path().join("other/g++"), &gcc(12));
        let other = dir.path().join("other").display().to_string();
        let major =
            |flags: &[&str], vars: &[(&str, &str)]| check(dir.path(), flags, vars).unwrap().version.major;
        assert_eq!(major(&["-O3"], &[("NVCC_CCBIN", "g++-11")]), 11);
        assert_eq!(major(&["-ccbin", &other], &[("NVCC_CCBIN", "g++-11")]), 12);
        assert_eq!(major(&[&format!("-ccbin={other}/g++")], &[]), 12);
        assert_eq!(major(&["--compiler-bindir", "g++-11"], &[]), 11);
    }

    #[test]
    fn what_cxx_names_alone_is_not_run_to_be_chosen() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("path/g++-11");
        script(&program, "touch \"$0.ran\"");
        let (cancel, path) = (Cancel::new(), dir.path().join("path").display().to_string());
        let of = |cxx: &str| {
            let env = Env::from_pairs([("CXX", cxx), ("PATH", path.as_str())]);
            ccbin_of_env(HostSearch { flags: &[], env: &env, cancel: &cancel }).unwrap()
        };
        assert_eq!(of("g++-11"), Some("g++-11".into()));
        assert_eq!(of(program.to_str().unwrap()), Some(program.clone()));
        assert!(!dir.path().join("path/g++-11.ran").exists());
    }

    #[test]
    fn a_missing_one_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = check(dir.path(), &[], &[("ONLY", "1")]).unwrap_err();
        assert_eq!(error.to_string(), "there is no host C++ compiler: no `g++` on PATH");
        let error = check(dir.path(), &["-ccbin=/nowhere/g++"], &[]).unwrap_err();
        assert_eq!(error.to_string(), "there is no host C++ compiler `/nowhere/g++`, which `-ccbin` names");
    }

    #[test]
    fn one_that_prints_garbage_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        compiler(&dir.path().join("path/g++"), "garbage");
        let error = check(dir.path(), &[], &[]).unwrap_err();
        assert!(error.to_string().contains("does not say its version: garbage"), "{error}");
    }
}
