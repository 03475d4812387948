//! What one run of nvcc for several architectures left, taken apart: a log, a PTX and a cubin for each.

use std::path::{Path, PathBuf};

use crate::arch::Arch;
use crate::capture::Target;
use crate::order;
use crate::sys::files::{self, FileError};

/// Machine code that nvcc kept, and the PTX that it was assembled from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Image {
    pub(super) arch: Arch,
    pub(super) cubin: PathBuf,
    pub(super) ptx: PathBuf,
}

/// What nvcc kept of one source.
#[derive(Default, Debug)]
pub(super) struct Kept {
    /// Its machine code, in the order in which it was made.
    pub(super) images: Vec<Image>,
    /// Its PTX files.
    pub(super) ptx: Vec<PathBuf>,
    /// It has code for link-time optimisation.
    pub(super) for_link_time: bool,
    /// What the preprocessor made of it, for each architecture and for the host.
    pub(super) preprocessed: Vec<PathBuf>,
}

impl Kept {
    /// Whether there is device code of any kind: the compiler makes some even of a source without kernels.
    pub(super) fn has_device_code(&self) -> bool {
        !self.images.is_empty() || !self.ptx.is_empty() || self.for_link_time
    }
}

/// Reads which intermediates of `stem` are in a folder.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn kept(folder: &Path, stem: &str, targets: &[Target]) -> Result<Kept, FileError> {
    let mut entries = Vec::new();
    for path in files::entries(folder)? {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let made = files::stamp(&path).and_then(|(_, made)| made);
        entries.push((made, name, path));
    }
    order::sort(&mut entries);
    let mut kept = Kept::default();
    for (_, name, path) in entries {
        let Some(rest) = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')) else { continue };
        if let Some((arch, ptx)) = image(rest, targets) {
            kept.images.push(Image { arch, cubin: path, ptx: folder.join(format!("{stem}.{ptx}")) });
        } else if rest.ends_with("ptx") {
            kept.ptx.push(path);
        } else if rest.ends_with("ltoir") {
            kept.for_link_time = true;
        } else if rest.ends_with(".ii") {
            kept.preprocessed.push(path);
        }
    }
    Ok(kept)
}

/// What a kept cubin is for, and the end of the name of its PTX; `rest` is its own name without the stem.
///
/// nvcc leaves out what goes without saying: `k.cubin`, `k.sm_80.cubin`, `k.compute_80.cubin`,
/// `k.compute_80.sm_86.cubin`.
fn image(rest: &str, targets: &[Target]) -> Option<(Arch, String)> {
    let name = rest.strip_suffix("cubin")?;
    let mut parts = name.split('.').filter(|part| !part.is_empty());
    let (first, second) = (parts.next(), parts.next());
    let front = first.filter(|part| part.starts_with("compute_"));
    let code = [first, second].into_iter().flatten().find_map(|part| part.parse().ok());
    let is_of = |target: &&Target| front.is_none_or(|front| target.front == front);
    let mut listed = targets.iter().filter(is_of).filter_map(Target::machine);
    let arch = match (code, listed.next(), listed.next()) {
        (Some(code), ..) => code,
        (None, Some(only), None) => only,
        _ => front?.replacen("compute_", "sm_", 1).parse().ok()?,
    };
    Some((arch, front.map_or_else(|| "ptx".to_owned(), |front| format!("{front}.ptx"))))
}

/// A log, taken apart.
#[derive(PartialEq, Eq, Default, Debug)]
pub(super) struct Split {
    /// What each run of ptxas said, in their order, with the architecture that it names, if it does.
    pub(super) runs: Vec<(Option<Arch>, String)>,
    /// What others said: the front end, the host compiler, nvcc.
    pub(super) others: Vec<String>,
}

/// Takes a log apart. Each run of ptxas says first how much global memory there is; its warnings stand before that.
pub(super) fn split(log: &str) -> Split {
    let mut split = Split::default();
    let mut pending = String::new();
    for line in log.lines() {
        match kind(line) {
            Kind::Other => split.others.push(line.to_owned()),
            Kind::Remark => push(&mut pending, line),
            Kind::Start => {
                let mut text = std::mem::take(&mut pending);
                push(&mut text, line);
                split.runs.push((None, text));
            }
            Kind::Report(arch) => {
                if split.runs.is_empty() {
                    split.runs.push((None, String::new()));
                }
                if let Some((its, text)) = split.runs.last_mut() {
                    text.push_str(&std::mem::take(&mut pending));
                    push(text, line);
                    *its = its.or(arch);
                }
            }
        }
    }
    match split.runs.last_mut() {
        Some((_, text)) => text.push_str(&pending),
        None if pending.is_empty() => {}
        None => split.runs.push((None, pending)),
    }
    split
}

enum Kind {
    Start,
    Report(Option<Arch>),
    Remark,
    Other,
}

fn kind(line: &str) -> Kind {
    let is_frame = line.starts_with(' ') && line.contains(" bytes stack frame, ");
    if !is_frame && !line.trim_start().starts_with("ptxas ") {
        return Kind::Other;
    }
    let report =
        ["Compiling entry function '", "Function properties for ", " bytes stack frame, ", "Compile time = "];
    if line.contains(" bytes gmem") {
        Kind::Start
    } else if report.iter().any(|words| line.contains(words))
        || line.contains("Used ") && line.contains(" registers")
    {
        let named = line.rsplit_once("for '").and_then(|(_, rest)| rest.split('\'').next()?.parse().ok());
        Kind::Report(named)
    } else {
        Kind::Remark
    }
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Gives each image its log: by the architecture that it names; what names none (no kernels), in the order in which the
/// images were made. `None` where runs and images do not fit.
pub(super) fn logs(images: &[Image], runs: Vec<(Option<Arch>, String)>) -> Option<Vec<String>> {
    if images.len() != runs.len() {
        return None;
    }
    let (named, unnamed): (Vec<_>, Vec<_>) = runs.into_iter().partition(|(arch, _)| arch.is_some());
    let mut unnamed = unnamed.into_iter();
    let log = |image: &Image| {
        let own = named.iter().find(|(arch, _)| *arch == Some(image.arch)).map(|(_, text)| text.clone());
        own.or_else(|| unnamed.next().map(|(_, text)| text))
    };
    images.iter().map(log).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::targets;

    fn of(name: &str, generated: &[&str]) -> Option<String> {
        image(name, &targets(None, &[], generated)).map(|(arch, ptx)| format!("{arch} {ptx}"))
    }

    #[test]
    fn names_of_kept_machine_code() {
        let both = ["arch=compute_80,code=sm_80", "arch=compute_90,code=[sm_90,compute_90]"];
        assert_eq!(of("compute_80.cubin", &both).as_deref(), Some("sm_80 compute_80.ptx"));
        assert_eq!(of("compute_90.sm_90.cubin", &both).as_deref(), Some("sm_90 compute_90.ptx"));
        assert_eq!(of("cubin", &["arch=compute_75,code=sm_80"]).as_deref(), Some("sm_80 ptx"));
        assert_eq!(of("sm_86.cubin", &["arch=compute_80,code=[sm_80,sm_86]"]).as_deref(), Some("sm_86 ptx"));
        assert_eq!(
            of("compute_90a.cubin", &["arch=compute_90a,code=sm_90a"]).as_deref(),
            Some("sm_90a compute_90a.ptx")
        );
        // `-arch=all-major` names no machine code
        assert_eq!(of("compute_110.cubin", &[]).as_deref(), Some("sm_110 compute_110.ptx"));
        assert_eq!(of("cubin", &[]), None);
        assert_eq!(of("compute_80.ptx", &both), None);
    }

    const TWO: &str = "k.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n\
        ptxas warning : Value of threads per SM for entry k is out of range. .minnctapersm will be ignored\n\
        ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'k' for 'sm_86'\n\
        ptxas info    : Function properties for k\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
        ptxas info    : Used 8 registers, used 0 barriers\n\
        ptxas info    : Compile time = 1.0 ms\n\
        ptxas info    : 0 bytes gmem\n\
        ptxas info    : Function properties for f\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";

    #[test]
    fn a_warning_belongs_to_the_run_after_it() {
        let Split { runs, others } = split(TWO);
        assert_eq!(others.len(), 1);
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0].0.map(|arch| arch.to_string()).as_deref(), Some("sm_86"));
        assert!(runs[0].1.starts_with("ptxas warning") && runs[0].1.contains("Compile time"));
        assert!(
            runs[1].0.is_none() && runs[1].1.contains("properties for f") && !runs[1].1.contains("warning")
        );
        assert_eq!(split(""), Split::default());
        assert_eq!(split("ptxas fatal   : no\n").runs.len(), 1);
    }

    #[test]
    fn a_run_that_names_no_architecture_is_of_the_image_that_is_left() {
        let image = |arch: &str| Image { arch: arch.parse().unwrap(), cubin: arch.into(), ptx: arch.into() };
        let given = logs(&[image("sm_80"), image("sm_86")], split(TWO).runs).unwrap();
        assert!(given[0].contains("properties for f") && given[1].contains("sm_86"));
        assert_eq!(logs(&[image("sm_80")], split(TWO).runs), None);
    }
}
