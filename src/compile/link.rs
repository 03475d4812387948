//! The device link of a package's relocatable code: one nvlink call per architecture.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::arch::Arch;
use crate::compile::command::is_link_time;
use crate::compile::options;
use crate::compile::{CompileError, Compiled, DeviceCode, Settings};
use crate::order::{self, Map, Set};
use crate::sys::files;
use crate::sys::process::{self, Call, Cancel, Output};

/// What a device link left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceLink {
    /// It linked: the figures in the log are final.
    pub linked: bool,
    /// What nvlink (and, with link-time optimisation, ptxas) printed.
    pub log: String,
    /// The linked cubin, where it linked.
    pub cubin: Option<PathBuf>,
}

/// A program of linked units on one architecture.
#[derive(Debug)]
pub struct Program {
    /// The architecture.
    pub arch: Arch,
    /// The units whose kernels get their figures here: indices in the list that was given, ascending.
    pub units: Vec<usize>,
    /// Units that were linked in, and that have a program of their own.
    pub with: Vec<usize>,
    /// Symbols that several units define for this architecture, so that they cannot be one program: mangled, with these
    /// units.
    pub clashes: Map<String, Set<usize>>,
    /// What the link left, or why it could not be run.
    pub result: Result<DeviceLink, CompileError>,
}

/// Links what was compiled, as the crate's build does in the end: for each architecture all units together.
///
/// Units that define the same symbol cannot be one program: each of them is then linked with those that define no such
/// symbol, or alone if that fails for the same reason. A link that nvlink refuses is no error here: its log says why. The
/// programs are in the order of the architectures, the one with most units first.
pub fn device_link(compiled: &[Compiled], settings: &Settings, cancel: &Cancel) -> Vec<Program> {
    let mut objects: Map<Arch, Vec<Object<'_>>> = Map::new();
    for one in compiled {
        if let Some(artefact) = one.result.as_ref().ok().filter(|artefact| artefact.relocatable) {
            let ptx = artefact.ptx.here().unwrap_or_default();
            let object = Object { unit: one.unit, path: &artefact.cubin, ptx };
            objects.get_or_default(one.arch).push(object);
        }
    }
    let jobs: Vec<(Arch, Vec<Object<'_>>)> = objects.into_iter().collect();
    let programs = settings.workers.run(jobs.len(), |job| {
        let (arch, objects) = &jobs[job];
        Linker { arch: *arch, settings, cancel }.programs(objects)
    });
    programs.into_iter().flatten().collect()
}

/// What is linked of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Object<'a> {
    unit: usize,
    path: &'a Path,
    ptx: &'a str,
}

struct Linker<'a> {
    arch: Arch,
    settings: &'a Settings,
    cancel: &'a Cancel,
}

impl Linker<'_> {
    fn programs(&self, objects: &[Object<'_>]) -> Vec<Program> {
        let (mut common, mut apart) = (objects.to_vec(), Vec::new());
        let (mut programs, mut clashes) = (Vec::new(), Clashes::new());
        while !common.is_empty() {
            let result = self.link(&common, None);
            let found = clashing(&result, &common);
            if found.is_empty() {
                programs.push(self.program(&common, &[], result));
                break;
            }
            let units: Set<usize> = found.values().flatten().copied().collect();
            let (others, left) = common.into_iter().partition(|object| units.contains(&object.unit));
            common = left;
            apart.extend::<Vec<Object<'_>>>(others);
            found.into_iter().for_each(|(symbol, units)| clashes.get_or_default(symbol).extend(units));
        }
        order::sort(&mut apart);
        programs.extend(apart.into_iter().map(|one| self.with_common(one, &common)));
        programs.iter_mut().for_each(|program| program.clashes.clone_from(&clashes));
        programs
    }

    fn with_common(&self, one: Object<'_>, common: &[Object<'_>]) -> Program {
        let together: Vec<Object<'_>> = common.iter().copied().chain([one]).collect();
        let result = self.link(&together, Some(one.unit));
        if together.len() > 1 && !clashing(&result, &together).is_empty() {
            return self.program(&[one], &[], self.link(&[one], Some(one.unit)));
        }
        self.program(&[one], common, result)
    }

    fn program(
        &self,
        own: &[Object<'_>],
        with: &[Object<'_>],
        result: Result<DeviceLink, CompileError>,
    ) -> Program {
        let indices = |objects: &[Object<'_>]| objects.iter().map(|object| object.unit).collect();
        let (units, with) = (indices(own), indices(with));
        Program { arch: self.arch, units, with, clashes: Clashes::new(), result }
    }

    /// Links objects, in a folder of their own: the architecture's, or that of the unit that is linked apart.
    fn link(&self, objects: &[Object<'_>], apart: Option<usize>) -> Result<DeviceLink, CompileError> {
        let folder = self.settings.work.join("device-link").join(self.arch.to_string());
        let folder = apart.map(|unit| folder.join(format!("unit-{unit}"))).unwrap_or(folder);
        files::create_empty_folder(&folder).map_err(CompileError::File)?;
        let paths: Vec<&Path> = objects.iter().map(|object| object.path).collect();
        let cubin = folder.join("linked.cubin");
        let call = call(self.arch, &paths, &cubin, self.settings)?;
        let Output { status, stdout, stderr, .. } =
            process::run(&call, &folder, self.cancel).map_err(CompileError::Process)?;
        let log = stdout + &stderr;
        let linked = status.success() && cubin.is_file() && !is_partial(&log);
        Ok(DeviceLink { linked, log, cubin: linked.then_some(cubin) })
    }
}

/// Where an object without intermediate code is in a link-time optimised program, nvlink leaves what comes from fat binaries
/// out of the linked cubin, calls to undefined functions included, and ends well.
fn is_partial(log: &str) -> bool {
    log.contains("doing partial LTO")
}

/// Symbols and the units that define them.
type Clashes = Map<String, Set<usize>>;

/// The symbols that nvlink refuses to define twice, and the units of them: those that nvlink names (with link-time
/// optimisation one of two), and those whose PTX defines the symbol (nvlink does not name a third one).
fn clashing(result: &Result<DeviceLink, CompileError>, objects: &[Object<'_>]) -> Clashes {
    let Ok(DeviceLink { linked: false, log, .. }) = result else { return Clashes::new() };
    let mut clashes = Clashes::new();
    for line in log.lines() {
        let said = ["Multiple definition of '", "Linking globals named '"];
        let rest = said.iter().find_map(|words| line.split_once(words)).map(|(_, rest)| rest);
        let Some((symbol, _)) = rest.and_then(|rest| rest.split_once('\'')) else { continue };
        let is_named = |object: &Object<'_>| line.contains(&*object.path.to_string_lossy());
        let units = objects.iter().filter(|one| is_named(one) || defines(one.ptx, symbol));
        clashes.get_or_default(symbol.to_owned()).extend(units.map(|object| object.unit));
    }
    clashes.retain(|_, units| !units.is_empty());
    clashes
}

/// Whether PTX defines this symbol for other units, and is the only one that may.
fn defines(ptx: &str, symbol: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
    let visible = ptx.lines().filter(|line| line.starts_with(".visible"));
    visible.flat_map(|line| line.split(|c| !is_part(c))).any(|word| word == symbol)
}

/// nvlink itself, not `nvcc -dlink`: that looks for libnvvm where pip's wheels do not have it, and goes on to the host
/// compiler.
fn call(arch: Arch, objects: &[&Path], cubin: &Path, settings: &Settings) -> Result<Call, CompileError> {
    let toolkit = &settings.toolkit;
    let nvlink = toolkit.nvlink.as_ref().ok_or(CompileError::NoNvlink)?;
    // `-report-arch` names the architecture in each line
    let mut call = Call::new(nvlink).arg(format!("-arch={arch}")).args(["-v", "-report-arch"]);
    if is_link_time(&settings.flags) {
        call = call.args(["-lto", "-Xptxas=-v"]);
        call = call.args(nvvm_folder(&toolkit.root).map(|folder| joined("-nvvmpath=", &folder)));
    }
    call = call.args(link_flags(&settings.flags)).args(objects);
    if let Some(folder) = runtime_folder(&toolkit.root) {
        call = call.arg(joined("-L", &folder)).arg("-lcudadevrt");
    }
    call = call.arg("-o").arg(cubin).timeout(settings.timeout);
    call.folder = Some(settings.folder.clone());
    Ok(call)
}

/// What nvcc hands on from its own flags to the device link.
fn link_flags(flags: &[String]) -> Vec<String> {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let link_time = DeviceCode::of_flags(&flags) == DeviceCode::LinkTime;
    let mut all = Vec::new();
    for option in options(&flags) {
        let values = || option.value.split([',', ' ']).filter(|value| !value.is_empty());
        match option.name {
            "Xnvlink" | "nvlink-options" => all.extend(values().map(str::to_owned)),
            "Xptxas" | "ptxas-options" if link_time => {
                all.extend(values().map(|value| format!("-Xptxas={value}")));
            }
            "maxrregcount" if link_time => all.push(format!("-maxrregcount={}", option.value)),
            _ => {}
        }
    }
    all
}

/// The folder above `lib64/libnvvm.so`: of an installed toolkit, of pip's wheels.
fn nvvm_folder(root: &Path) -> Option<PathBuf> {
    [root.join("nvvm"), root.to_owned()].into_iter().find(|folder| folder.join("lib64/libnvvm.so").is_file())
}

/// The folder of the device runtime, which kernels that launch kernels need.
fn runtime_folder(root: &Path) -> Option<PathBuf> {
    let targets = ["x86_64-linux", "sbsa-linux", "aarch64-linux"];
    let folders = ["lib64".into(), "lib".into()];
    let folders =
        folders.into_iter().chain(targets.map(|target| Path::new("targets").join(target).join("lib")));
    folders.map(|folder: PathBuf| root.join(folder)).find(|folder| folder.join("libcudadevrt.a").is_file())
}

fn joined(option: &str, value: &Path) -> OsString {
    let mut arg = OsString::from(option);
    arg.push(value);
    arg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(flags: &[&str]) -> Vec<String> {
        link_flags(&flags.iter().map(|&flag| flag.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn objects_that_define_a_symbol_twice_are_found() {
        let parts = [
            ("/w/a-1/sm_90/a.cubin", ".visible .entry k(\n"),
            ("/w/b-2/sm_90/b.cubin", ".visible .entry kk(\n.extern .func k\n"),
            ("/w/c-3/sm_90/c.cubin", ".visible .func (.param .b32 r) k(\n"),
        ];
        let object = |(unit, (path, ptx))| Object { unit, path: Path::new(path), ptx };
        let objects: Vec<Object<'static>> = parts.into_iter().enumerate().map(object).collect();
        let units = |linked: bool, log: &str| -> Vec<usize> {
            let link = DeviceLink { linked, log: log.to_owned(), cubin: None };
            let units: Set<usize> = clashing(&Ok(link), &objects).into_values().flatten().collect();
            units.into_iter().collect()
        };
        let relocatable = "nvlink error   : Multiple definition of 'kk' in '/w/b-2/sm_90/b.cubin', first defined in \
                           '/w/a-1/sm_90/a.cubin' (target: sm_90)\nnvlink fatal   : merge_elf failed\n";
        assert_eq!(units(false, relocatable), [0, 1]);
        let link_time = "nvlink info    : /w/c-3/sm_90/c.cubin: link error: error: Linking globals named 'k': symbol \
                         multiply defined!\n";
        assert_eq!(units(false, link_time), [0, 2]);
        assert_eq!(
            units(false, "nvlink error   : Undefined reference to 'f' in '/w/a-1/sm_90/a.cubin'"),
            [0; 0]
        );
        assert_eq!(units(true, relocatable), [0; 0]);
    }

    #[test]
    fn the_linker_gets_its_own_options() {
        assert_eq!(flags(&["-rdc=true", "-Xnvlink", "-w,-extrawarn"]), ["-w", "-extrawarn"]);
        assert_eq!(flags(&["--nvlink-options=-w", "-rdc=true", "-Xptxas=-O1"]), ["-w"]);
    }

    #[test]
    fn ptxas_options_go_to_the_link_where_ptxas_runs_there() {
        let given = ["-dlto", "-Xptxas", "-O1,-warn-spills", "-maxrregcount", "40", "-O3"];
        assert_eq!(flags(&given), ["-Xptxas=-O1", "-Xptxas=-warn-spills", "-maxrregcount=40"]);
    }
}
