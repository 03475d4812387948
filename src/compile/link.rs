//! The device link of a package's relocatable code: one nvlink call per architecture.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::arch::Arch;
use crate::compile::device_code::options;
use crate::compile::parallel::in_parallel;
use crate::compile::{CompileError, Compiled, DeviceCode, Settings, SourceKind, Unit};
use crate::sys::files;
use crate::sys::process::{self, Call, Cancel, Output};

/// What the device link of one architecture left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceLink {
    /// It linked: the figures in the log are final.
    pub linked: bool,
    /// What nvlink (and, with link-time optimisation, ptxas) printed.
    pub log: String,
    /// The linked cubin, where it linked.
    pub cubin: Option<PathBuf>,
}

/// Links all objects of each architecture together, as the crate's build does in the end. Architectures without an
/// object are left out.
///
/// # Errors
/// For an architecture: nvlink is missing, cannot be run to its end, or a folder cannot be made. A link that nvlink
/// refuses is no error here: its log says why.
pub fn device_link(
    units: &[Unit],
    compiled: &[Compiled],
    settings: &Settings,
    cancel: &Cancel,
) -> BTreeMap<Arch, Result<DeviceLink, CompileError>> {
    let mut objects: BTreeMap<Arch, Vec<&Path>> = BTreeMap::new();
    for one in compiled.iter().filter(|one| units[one.unit].kind == SourceKind::Cuda) {
        if let Ok(artefact) = &one.result {
            objects.entry(one.arch).or_default().push(&artefact.cubin);
        }
    }
    let jobs: Vec<(Arch, Vec<&Path>)> = objects.into_iter().collect();
    let links = in_parallel(settings.jobs, jobs.len(), |job| {
        let (arch, objects) = &jobs[job];
        link_one(*arch, objects, settings, cancel)
    });
    jobs.iter().map(|(arch, _)| *arch).zip(links).collect()
}

fn link_one(
    arch: Arch,
    objects: &[&Path],
    settings: &Settings,
    cancel: &Cancel,
) -> Result<DeviceLink, CompileError> {
    let folder = settings.work.join("device-link").join(arch.to_string());
    files::create_empty_folder(&folder).map_err(CompileError::File)?;
    let cubin = folder.join("linked.cubin");
    let call = call(arch, objects, &cubin, settings)?;
    let Output { status, stdout, stderr } =
        process::run(&call, &folder, cancel).map_err(CompileError::Process)?;
    let linked = status.success() && cubin.is_file();
    Ok(DeviceLink { linked, log: stdout + &stderr, cubin: linked.then_some(cubin) })
}

/// nvlink itself, not `nvcc -dlink`: that looks for libnvvm where pip's wheels do not have it, and goes on to the host
/// compiler.
fn call(arch: Arch, objects: &[&Path], cubin: &Path, settings: &Settings) -> Result<Call, CompileError> {
    let toolkit = &settings.toolkit;
    let nvlink = toolkit.nvlink.as_ref().ok_or(CompileError::NoNvlink)?;
    // `-report-arch` names the architecture in each line
    let mut call = Call::new(nvlink).arg(format!("-arch={arch}")).args(["-v", "-report-arch"]);
    if DeviceCode::of_flags(&settings.flags) == DeviceCode::LinkTime {
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
