//! PTX: its architecture, and its text without what only the check needs.

use std::path::{Path, PathBuf};

use crate::arch::Arch;
use crate::capture::EMPTY_PTX;
use crate::sys::files::{self, FileError};
use crate::text::sanitize;

/// How PTX begins that was left where nothing was compiled.
const LEFT: &str = "//\n// Left by occlint in the place of compiled PTX: no kernels, since ";

/// What stands in the place of outputs where nothing was compiled.
#[derive(Default, Debug)]
pub(super) struct Instead {
    /// The files.
    pub(super) outputs: Vec<PathBuf>,
    /// Those of them that an earlier build had compiled.
    pub(super) replaced: Vec<PathBuf>,
}

/// Leaves PTX without a kernel in the place of each of these, so that what includes them builds; `why` is said in it.
/// What an earlier build compiled stays, unless `also_stale`; the answer is what of that was written over.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn leave_empty(
    outputs: &[PathBuf],
    why: &str,
    also_stale: bool,
) -> Result<Vec<PathBuf>, FileError> {
    let text = format!("{LEFT}{}\n//\n{EMPTY_PTX}", sanitize(why));
    let mut replaced = Vec::new();
    for output in outputs {
        if is_compiled(output)? {
            if !also_stale {
                continue;
            }
            replaced.push(output.clone());
        }
        files::write_atomically(output, text.as_bytes())?;
    }
    Ok(replaced)
}

/// Whether it is there and none that was left in the place of compiled PTX.
fn is_compiled(path: &Path) -> Result<bool, FileError> {
    Ok(path.is_file() && !files::read_text(path)?.starts_with(LEFT))
}

/// The architecture in `.target sm_90, debug`.
pub(super) fn target(ptx: &str) -> Option<Arch> {
    let rest = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"))?;
    rest.split(',').next()?.trim().parse().ok()
}

/// The PTX as nvcc writes it without `-lineinfo`: no lines, no names of files.
pub(super) fn without_lines(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    let mut lines = ptx.lines();
    while let Some(line) = lines.next() {
        let word = line.trim_start();
        if word.starts_with(".section") && word.contains(".debug_") {
            // to the line that closes it
            while lines.next().is_some_and(|line| line.trim() != "}") {}
        } else if !word.starts_with(".loc\t") && !word.starts_with(".file\t") {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "//\n.version 9.0\n.target sm_90a\n.address_size 64\n\n.visible .entry k()\n{\n\t.loc\t1 3 0\n\
        \tret;\n}\n\t.file\t1 \"/home/me/k.cu\"\n\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,90\n\t}\n";

    #[test]
    fn lines_and_files_go_and_all_else_stays() {
        assert_eq!(target(PTX).map(|arch| arch.to_string()).as_deref(), Some("sm_90a"));
        let text = without_lines(PTX);
        assert_eq!(
            text,
            "//\n.version 9.0\n.target sm_90a\n.address_size 64\n\n.visible .entry k()\n{\n\tret;\n}\n"
        );
        assert_eq!(without_lines(&text), text);
    }

    #[test]
    fn empty_ptx_stands_where_nothing_was_compiled() {
        let folder = tempfile::tempdir().unwrap();
        let outputs = ["a.ptx", "b.ptx"].map(|name| folder.path().join(name));
        let text = |at: usize| std::fs::read_to_string(&outputs[at]).unwrap();
        std::fs::write(&outputs[1], PTX).unwrap();
        assert!(leave_empty(&outputs, "a\n.entry", false).unwrap().is_empty());
        insta::assert_snapshot!(text(0), @r"
        //
        // Left by occlint in the place of compiled PTX: no kernels, since a�.entry
        //
        .version 7.0
        .target sm_52
        .address_size 64
        ");
        assert_eq!(text(1), PTX, "compiled PTX stays");
        assert_eq!(leave_empty(&outputs, "no nvcc", true).unwrap(), [outputs[1].clone()]);
        assert_eq!(text(0), text(1));
        assert!(leave_empty(&outputs, "again", true).unwrap().is_empty());
    }
}
