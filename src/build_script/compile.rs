//! One run of nvcc for each file: it makes the object, and leaves what the check needs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::build_script::BuildError;
use crate::build_script::artefacts::{self, Image, Kept};
use crate::build_script::compiler::Compiler;
use crate::build_script::scene::Scene;
use crate::compile::{
    Artefact, BuildCall, CompileError, Compiled, DeviceCode, IncludedFile, Unit, included_files,
};
use crate::session::Failure;
use crate::sys::files;
use crate::sys::process::{self, Call, Cancel, Output};

/// What nvcc is to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    /// An object, relocatable where several are linked.
    Object { relocatable: bool },
    /// Device code alone.
    Device,
    /// PTX.
    Ptx,
}

/// What one run made of one file.
#[derive(Debug)]
pub(super) struct Made {
    /// The object or the PTX.
    pub(super) output: PathBuf,
    /// For each architecture what it left; empty where nothing can be checked.
    pub(super) artefacts: Vec<(crate::arch::Arch, Artefact)>,
    /// PTX that no ptxas has assembled.
    pub(super) ptx: Option<Artefact>,
    /// All its device code is for link-time optimisation.
    pub(super) for_link_time: bool,
    /// Every file that went in, as the preprocessor names it.
    pub(super) files: Vec<IncludedFile>,
    /// What others than ptxas said.
    pub(super) others: Vec<String>,
}

/// The files of a build script, to be compiled.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pub(super) scene: &'a Scene,
    pub(super) compiler: &'a Compiler,
    pub(super) files: Vec<PathBuf>,
    /// What its report is called.
    pub(super) name: String,
    /// The folder of intermediates.
    pub(super) folder: PathBuf,
    pub(super) goal: Goal,
    /// Evidence is wanted.
    pub(super) checked: bool,
}

impl Work<'_> {
    /// Compiles all files, in parallel.
    ///
    /// # Errors
    /// All files that could not be compiled.
    pub(super) fn run(&self) -> Result<Vec<Made>, BuildError> {
        files::create_folder(&self.folder)?;
        let cancel = Cancel::in_shared_group();
        let results = self.scene.workers().run(self.files.len(), |index| self.one(index, &cancel));
        let (mut made, mut failures) = (Vec::new(), Vec::new());
        for (index, result) in results.into_iter().enumerate() {
            match result {
                Ok(one) => made.push(one),
                Err(error) => failures.push(Failure { unit: self.unit(index).name, arch: None, error }),
            }
        }
        if failures.is_empty() { Ok(made) } else { Err(BuildError::Failed(failures)) }
    }

    /// The unit of a file, with what nvcc is told of it.
    pub(super) fn unit(&self, index: usize) -> Unit {
        let roots = &self.scene.roots;
        let path = roots.absolute(&self.files[index].to_string_lossy());
        Unit::new(roots.shown(&path), path)
    }

    /// The same after it was made.
    pub(super) fn unit_of(&self, index: usize, made: &Made) -> Unit {
        let mut flags = self.compiler.call.flags.clone();
        if self.goal == (Goal::Object { relocatable: true }) {
            flags.push("-rdc=true".to_owned());
        }
        let mut archs: Vec<_> = made.artefacts.iter().map(|(arch, _)| (*arch, arch.front())).collect();
        crate::order::sort(&mut archs);
        let call = BuildCall { flags, folder: self.scene.roots.package.clone(), vars: Vec::new(), archs };
        Unit { call: Some(Arc::new(call)), kind: crate::compile::SourceKind::Cuda, ..self.unit(index) }
    }

    fn one(&self, index: usize, cancel: &Cancel) -> Result<Made, CompileError> {
        let unit = self.unit(index);
        let keep = unit.folder(&self.folder);
        files::create_empty_folder(&keep).map_err(CompileError::File)?;
        let extension = match self.goal {
            Goal::Object { .. } => "o",
            Goal::Device => "fatbin",
            Goal::Ptx => "ptx",
        };
        // The intermediates have the folder to themselves: this name is none of theirs.
        let output = keep.with_extension(extension);
        // What an earlier run left must not be taken for this one's.
        files::remove_if_there(&output).map_err(CompileError::File)?;
        let call = self.call(&self.files[index], &keep, &output);
        let Output { status, stdout, stderr, .. } =
            process::run(&call, &keep, cancel).map_err(CompileError::Process)?;
        let log = format!("{stdout}{stderr}");
        if !status.success() {
            let (code, signal) = (status.code(), process::signal(status));
            return Err(CompileError::Failed { code, signal, output: log, ptx: None });
        }
        if !output.is_file() {
            let missing = format!("`.{extension}` file (does something stand in for nvcc?)");
            return Err(CompileError::NoArtefact { missing, output: log });
        }
        let kept =
            artefacts::kept(&keep, &unit.stem(), &self.compiler.call.targets).map_err(CompileError::File)?;
        if self.checked && self.goal != Goal::Ptx && !kept.has_device_code() && self.is_cuda(index) {
            let missing = "report and no machine code (does a wrapper take them away?)".to_owned();
            return Err(CompileError::NoArtefact { missing, output: log });
        }
        self.taken(output, kept, log)
    }

    /// Whether nvcc takes the file for CUDA, which always has device code, if only an empty one.
    fn is_cuda(&self, index: usize) -> bool {
        self.files[index].extension().is_some_and(|extension| extension == "cu")
    }

    fn call(&self, file: &Path, keep: &Path, output: &Path) -> Call {
        let mut call = Call::new(&self.compiler.toolkit.nvcc).args(&self.compiler.args);
        call = match self.goal {
            Goal::Object { relocatable: true } => call.args(["-c", "--device-c"]),
            Goal::Object { relocatable: false } => call.arg("-c"),
            Goal::Device => call.arg("-fatbin"),
            Goal::Ptx => call.arg("-ptx"),
        };
        // Headers are read from what the preprocessor made, also where nothing is checked.
        call = call.arg("--keep").arg("--keep-dir").arg(keep);
        if self.checked {
            call = call.args(["-lineinfo", "-Xptxas", "-v"]);
        }
        call = call.arg("-o").arg(output).arg(file);
        call.vars.extend(self.compiler.vars.iter().map(|(name, value)| (name.clone(), Some(value.clone()))));
        call
    }

    fn taken(&self, output: PathBuf, kept: Kept, log: String) -> Result<Made, CompileError> {
        let mut included = Vec::new();
        for path in &kept.preprocessed {
            included.extend(included_files(&files::read_text(path).map_err(CompileError::File)?));
            // The bulk of what nvcc keeps, and nothing reads it again.
            files::remove_if_there(path).map_err(CompileError::File)?;
        }
        let split = artefacts::split(&log);
        let mut made = Made {
            output,
            artefacts: Vec::new(),
            ptx: None,
            for_link_time: false,
            files: included.clone(),
            others: split.others,
        };
        if !self.checked {
            return Ok(made);
        }
        made.for_link_time = kept.for_link_time && kept.images.is_empty();
        let artefact = |log: String, ptx: &Path, cubin: &Path| -> Result<Artefact, CompileError> {
            Ok(Artefact {
                log: log.into(),
                ptx: files::read_text(ptx).map_err(CompileError::File)?.into(),
                cubin: cubin.to_owned(),
                relocatable: self.is_relocatable(),
                files: included.clone().into(),
                ..Artefact::default()
            })
        };
        let Some(logs) = artefacts::logs(&kept.images, split.runs) else {
            let missing = "report of each architecture (does a wrapper take it away?)".to_owned();
            return Err(CompileError::NoArtefact { missing, output: log });
        };
        for (Image { arch, cubin, ptx }, log) in kept.images.iter().zip(logs) {
            made.artefacts.push((*arch, artefact(log, ptx, cubin)?));
        }
        let bare = if self.goal == Goal::Ptx { Some(&made.output) } else { kept.ptx.first() };
        if let Some(ptx) = bare.filter(|_| kept.images.is_empty()) {
            made.ptx = Some(artefact(String::new(), ptx, ptx)?);
        }
        Ok(made)
    }

    pub(super) fn is_relocatable(&self) -> bool {
        let by_flags = DeviceCode::of_flags(&self.compiler.call.flags).is_linked();
        self.goal == (Goal::Object { relocatable: true }) || self.goal != Goal::Ptx && by_flags
    }
}

/// What was made, as the session knows it.
pub(super) fn compiled(made: &[Made]) -> Vec<Compiled> {
    let all = made.iter().enumerate().flat_map(|(unit, one)| {
        one.artefacts.iter().map(move |(arch, artefact)| Compiled {
            unit,
            arch: *arch,
            result: Ok(artefact.clone()),
        })
    });
    all.collect()
}
