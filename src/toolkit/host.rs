//! The host compiler that nvcc runs.

use std::path::PathBuf;

use crate::sys::env::Env;
use crate::sys::process::Cancel;
use crate::toolkit::{Toolkit, ToolkitError, tools};

/// Finds the host C++ compiler and holds its version against what the toolkit supports. Asked after nvcc failed: a
/// compiler that works needs no check.
///
/// The compiler is `-ccbin` of the flags, `NVCC_CCBIN`, else what the `cc` crate finds (`CXX`, the system's).
///
/// # Errors
/// It is missing, or newer than the toolkit's `crt/host_config.h` accepts.
pub fn check_host_compiler(
    toolkit: &Toolkit,
    flags: &[String],
    env: &Env,
    cancel: &Cancel,
) -> Result<(), ToolkitError> {
    let compiler = compiler(flags, env);
    let help = "install g++, or name one: `flags = [\"-ccbin=g++-14\"]`, or `NVCC_CCBIN`".to_owned();
    let name = compiler.display().to_string();
    let path = if compiler.components().count() == 1 { env.find_program(&name) } else { Some(compiler) };
    let Some(path) = path.filter(|path| path.is_file()) else {
        let message = format!("nvcc needs a host C++ compiler, and `{name}` is not there");
        return Err(ToolkitError::Host { message, help });
    };
    let version = tools::ask(&path, &["-dumpfullversion", "-dumpversion"], cancel)?;
    let major: Option<u32> = version.trim().split('.').next().and_then(|major| major.parse().ok());
    let banner = tools::ask(&path, &["--version"], cancel)?;
    let macro_name = if banner.contains("clang") { "__clang_major__" } else { "__GNUC__" };
    let config = toolkit.root.join("include/crt/host_config.h");
    let most = std::fs::read_to_string(config).ok().and_then(|text| newest(&text, macro_name));
    match (major, most) {
        (Some(major), Some(most)) if major > most => Err(ToolkitError::Host {
            message: format!(
                "the host compiler `{name}` is version {major}, and CUDA {} supports up to {most}",
                toolkit.version
            ),
            help: format!("{help}; a newer toolkit may support it"),
        }),
        _ => Ok(()),
    }
}

fn compiler(flags: &[String], env: &Env) -> PathBuf {
    let named = flags.iter().enumerate().find_map(|(at, flag)| {
        let rest = flag.strip_prefix("--compiler-bindir").or_else(|| flag.strip_prefix("-ccbin"))?;
        let value = rest.strip_prefix('=').unwrap_or(rest).trim();
        if value.is_empty() { flags.get(at + 1).cloned() } else { Some(value.to_owned()) }
    });
    if let Some(named) = named.map(PathBuf::from).or_else(|| env.var("NVCC_CCBIN").map(PathBuf::from)) {
        return named;
    }
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut build = cc::Build::new();
    build.cpp(true).cargo_metadata(false).cargo_warnings(false).opt_level(0).target(&target).host(&target);
    build.try_get_compiler().map_or_else(|_| PathBuf::from("g++"), |tool| tool.path().to_owned())
}

/// The newest major version that `host_config.h` accepts: `#if __GNUC__ > 15`, `(__clang_major__ >= 22)`.
fn newest(text: &str, macro_name: &str) -> Option<u32> {
    text.lines().filter(|line| line.trim_start().starts_with("#if") || line.contains("&&")).find_map(|line| {
        let rest = line.split_once(macro_name)?.1.trim_start();
        let (rest, step) = match rest.strip_prefix(">=") {
            Some(rest) => (rest, 1),
            None => (rest.strip_prefix('>')?, 0),
        };
        let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok().map(|version| version - step.min(version))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_supported_compilers_are_read() {
        let text = "#if defined(__GNUC__)\n#if __GNUC__ > 15\n#error -- unsupported\n#if (__clang_major__ >= 22) || (__clang_major__ < 7)\n";
        assert_eq!(newest(text, "__GNUC__"), Some(15));
        assert_eq!(newest(text, "__clang_major__"), Some(21));
        assert_eq!(newest("", "__GNUC__"), None);
    }

    #[test]
    fn a_named_compiler_wins() {
        let env = Env::from_pairs([("NVCC_CCBIN", "/e/g++")]);
        let flags = |flags: &[&str]| flags.iter().map(|&flag| flag.to_owned()).collect::<Vec<_>>();
        assert_eq!(compiler(&flags(&["-O3", "-ccbin", "/f/g++"]), &env), PathBuf::from("/f/g++"));
        assert_eq!(compiler(&flags(&["--compiler-bindir=/f/g++"]), &env), PathBuf::from("/f/g++"));
        assert_eq!(compiler(&flags(&[]), &env), PathBuf::from("/e/g++"));
    }
}
