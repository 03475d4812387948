//! The shadow toolkit: a folder that mirrors the real one by links, whose `bin/nvcc` is this program.

use std::path::{Path, PathBuf};

use occlint::arch::Arch;
use occlint::sys::env::Env;
use occlint::sys::files::{self, FileError};
use occlint::sys::process::{self, Call, Cancel};
use occlint::toolkit::Toolkit;
use serde_json::{Value, json};

use crate::capture::calls::ASKED_GPU;
use crate::error::RunError;

/// The file that tells a stand-in what to do.
pub(super) const SETTINGS: &str = "occlint.json";

/// What a stand-in does with a call that compiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Writes it down and leaves stand-ins for its outputs.
    Record,
    /// Writes it down and forwards it.
    Build,
}

impl Mode {
    /// Its name, on the command line and in folders.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Build => "build",
        }
    }
}

/// What a stand-in is told.
#[derive(Debug)]
pub(crate) struct Settings {
    /// What to do.
    pub(super) mode: Mode,
    /// The real nvcc.
    pub(super) nvcc: PathBuf,
    /// Where calls are written down.
    pub(super) calls: PathBuf,
    /// An object of nothing, which stands in for others.
    pub(super) object: PathBuf,
    /// What the folder was made of: the toolkit, this program, the GPU that is answered for.
    made_of: String,
}

impl Settings {
    pub(super) fn read(path: &Path) -> Option<Self> {
        let value: Value = serde_json::from_str(&files::read_text(path).ok()?).ok()?;
        let text = |name: &str| value[name].as_str();
        let mode = if text("mode")? == "record" { Mode::Record } else { Mode::Build };
        Some(Self {
            mode,
            nvcc: text("nvcc")?.into(),
            calls: text("calls")?.into(),
            object: text("object")?.into(),
            made_of: text("made_of")?.to_owned(),
        })
    }

    fn write(&self, path: &Path) -> Result<(), FileError> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let value = json!({
            "mode": self.mode.name(),
            "nvcc": text(&self.nvcc),
            "calls": text(&self.calls),
            "object": text(&self.object),
            "made_of": self.made_of,
        });
        files::write_atomically(path, value.to_string().as_bytes())
    }
}

/// A shadow toolkit on disk.
#[derive(Debug)]
pub(super) struct Shadow {
    root: PathBuf,
}

/// Folders with more entries are no toolkit's own (`/usr/bin`): only its tools are mirrored there.
const MANY: usize = 400;

/// The tools of a toolkit.
const TOOLS: [&str; 14] = [
    "bin2c",
    "cicc",
    "compute-sanitizer",
    "crt",
    "cudafe++",
    "cu++filt",
    "cuobjdump",
    "fatbinary",
    "nvcc.profile",
    "nvdisasm",
    "nvlink",
    "nvprune",
    "ptxas",
    "tileiras",
];

/// Caches that stand in front of compilers. They run the steps of nvcc by themselves, or none of it.
const CACHES: [&str; 4] = ["buildcache", "cachepot", "ccache", "sccache"];

impl Shadow {
    /// Makes it in `folder`, if it is not there as it would be made: build scripts may look at the time of its files. Where
    /// no GPU is there to ask, a stand-in for nvidia-smi answers `arch`.
    pub(super) fn make(
        folder: &Path,
        toolkit: &Toolkit,
        mode: Mode,
        (env, arch, cancel): (&Env, Option<Arch>, &Cancel),
    ) -> Result<Self, RunError> {
        let root = folder.join("toolkit");
        let bin = root.join("bin");
        let arch = arch.filter(|_| env.find_program("nvidia-smi").is_none());
        let caches: Vec<PathBuf> = CACHES.into_iter().filter_map(|name| env.find_program(name)).collect();
        let made_of = format!("{} {} {arch:?} {caches:?}", toolkit.nvcc.display(), this_program());
        let settings = root.join(SETTINGS);
        if Settings::read(&settings).is_some_and(|there| there.made_of == made_of && there.mode == mode) {
            return Ok(Self { root });
        }
        files::create_empty_folder(&root)?;
        files::create_folder(&bin)?;
        mirror(&toolkit.root, &root, &["bin"])?;
        let real = toolkit.nvcc.parent().unwrap_or(Path::new(""));
        mirror(real, &bin, &[&["nvcc", "nvidia-smi"], &CACHES[..]].concat())?;
        place_self(&bin.join("nvcc"))?;
        if let Some(arch) = arch {
            script(&bin.join("nvidia-smi"), &nvidia_smi(arch, &folder.join("calls").join(ASKED_GPU)))?;
        }
        for cache in caches {
            script(&bin.join(cache.file_name().unwrap_or_default()), &no_cache(&cache))?;
        }
        let object = root.join("nothing.o");
        empty_object(&object, env, folder, cancel)?;
        let calls = folder.join("calls");
        files::create_folder(&calls)?;
        Settings { mode, nvcc: toolkit.nvcc.clone(), calls, object, made_of }.write(&settings)?;
        Ok(Self { root })
    }

    /// The variables by which build scripts find nvcc, all at once; those that would lead elsewhere are taken away.
    pub(super) fn vars(&self, env: &Env) -> Vec<(std::ffi::OsString, Option<std::ffi::OsString>)> {
        let nvcc = self.root.join("bin/nvcc");
        let mut path = vec![self.root.join("bin")];
        path.extend(env.path_folders());
        let path = std::env::join_paths(path).unwrap_or_default();
        let mut vars: Vec<(std::ffi::OsString, Option<std::ffi::OsString>)> = Vec::new();
        for (name, _) in env.vars() {
            let text = name.to_string_lossy();
            let own = ["NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "NVCC_CCBIN"];
            let leads_elsewhere = (text.starts_with("NVCC_") && !own.contains(&text.as_ref()))
                || matches!(text.as_ref(), "HOST_NVCC" | "TARGET_NVCC");
            if leads_elsewhere {
                vars.push((name.to_owned(), None));
            }
        }
        // A cache of objects would answer for nvcc, and no call would be seen. Empty, cargo's own also hides the one that its
        // configuration names, which it tells build scripts.
        vars.push(("RUSTC_WRAPPER".into(), Some("".into())));
        vars.push(("CARGO_BUILD_RUSTC_WRAPPER".into(), None));
        vars.push(("CMAKE_CUDA_COMPILER_LAUNCHER".into(), None));
        // The library's helper compiles and leaves the check to this run.
        vars.push(("OCCLINT".into(), Some("off".into())));
        for name in ["NVCC", "CUDACXX"] {
            vars.push((name.into(), Some(nvcc.clone().into())));
        }
        for name in ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR", "CUDAToolkit_ROOT"] {
            vars.push((name.into(), Some(self.root.clone().into())));
        }
        vars.push(("PATH".into(), Some(path)));
        vars
    }
}

/// Links every entry of `from` into `into`, but those that are left out.
fn mirror(from: &Path, into: &Path, left_out: &[&str]) -> Result<(), RunError> {
    let entries = files::entries(from)?;
    let many = entries.len() > MANY;
    for entry in entries {
        let name = entry.file_name().unwrap_or_default();
        let text = name.to_string_lossy();
        if left_out.contains(&text.as_ref()) || (many && !TOOLS.contains(&text.as_ref())) {
            continue;
        }
        let link = into.join(name);
        std::os::unix::fs::symlink(&entry, &link).map_err(FileError::of("make the link", &link))?;
    }
    Ok(())
}

/// What tells this program from another version of it.
fn this_program() -> String {
    let stamp = std::env::current_exe().ok().and_then(|path| files::stamp(&path));
    format!("{stamp:?}")
}

/// This program under another name: a second name of the same file where that can be, for a link would lead back.
fn place_self(path: &Path) -> Result<(), RunError> {
    let program = std::env::current_exe().map_err(FileError::of("find the program for", path))?;
    if std::fs::hard_link(&program, path).is_err() {
        std::fs::copy(&program, path).map_err(FileError::of("write", path))?;
    }
    Ok(())
}

/// Writes a program.
fn script(path: &Path, text: &str) -> Result<(), RunError> {
    use std::os::unix::fs::PermissionsExt;
    files::write(path, text.as_bytes())?;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(FileError::of("make executable", path))?)
}

fn nvidia_smi(arch: Arch, asked: &Path) -> String {
    let cc = arch.cc_tenths();
    let asked = quoted(asked);
    format!(
        "#!/bin/sh\n# Stands in for nvidia-smi: there is no GPU, and this is what `cargo occlint` checks for.\n\
         : > {asked}\ncase \"$*\" in\n*noheader*) ;;\n*) echo compute_cap ;;\nesac\necho {}.{}\n",
        cc / 10,
        cc % 10
    )
}

/// A path for the shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// Calls the compiler that it is given; questions go to the cache that it stands for.
fn no_cache(cache: &Path) -> String {
    let quoted = quoted(cache);
    format!(
        "#!/bin/sh\n# Stands in for a cache of objects: `cargo occlint` must see compilers being called.\n\
         case \"$1\" in\n\"\" | -*) exec {quoted} \"$@\" ;;\nesac\nexec \"$@\"\n"
    )
}

/// An object that archivers and linkers accept: what the host compiler makes of nothing.
fn empty_object(path: &Path, env: &Env, scratch: &Path, cancel: &Cancel) -> Result<(), RunError> {
    let compiler = ["c++", "g++", "clang++", "cc"].into_iter().find_map(|name| env.find_program(name));
    if let Some(compiler) = compiler {
        let call = Call::new(compiler).args(["-x", "c++", "-c", "/dev/null", "-o"]).arg(path);
        if process::run(&call, scratch, cancel).is_ok_and(|output| output.status.success()) {
            return Ok(());
        }
    }
    Ok(files::write(path, b"")?)
}
