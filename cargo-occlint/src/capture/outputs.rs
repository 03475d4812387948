//! What a recording stand-in leaves in the place of what nvcc would make.

use std::path::{Path, PathBuf};

use occlint::capture::{EMPTY_PTX, NvccCall, Phase};
use occlint::sys::files::{self, FileError};

/// PTX without a kernel.
pub(super) fn ptx() -> String {
    format!("//\n// Left by cargo occlint in the place of compiled code.\n//\n{EMPTY_PTX}")
}

/// Leaves every file that the call would make; `object` is what an object is.
pub(super) fn leave(call: &NvccCall, folder: &Path, object: &[u8]) -> Result<(), FileError> {
    let ptx = ptx();
    for (path, input) in outputs(call, folder) {
        let bytes = match call.phase {
            Phase::Ptx => ptx.as_bytes(),
            Phase::Archive => b"!<arch>\n",
            Phase::Link => b"",
            _ => object,
        };
        files::write(&path, bytes)?;
        if let (Some(named), Some(input)) = (&call.dependencies, input) {
            let dependencies = match named {
                Some(name) => folder.join(name),
                None => path.with_extension("d"),
            };
            files::write(&dependencies, format!("{} : {input}\n", path.display()).as_bytes())?;
        }
    }
    Ok(())
}

/// The files that a call makes, each with the input that it comes from where there is one of its own.
pub(super) fn outputs<'a>(call: &'a NvccCall, folder: &Path) -> Vec<(PathBuf, Option<&'a str>)> {
    if let Some(output) = &call.output {
        let input = call.inputs.first().filter(|_| call.inputs.len() == 1);
        return vec![(folder.join(output), input.map(String::as_str))];
    }
    let extension = match call.phase {
        Phase::Ptx => "ptx",
        Phase::Cubin => "cubin",
        Phase::Fatbin => "fatbin",
        Phase::Object => "o",
        Phase::HostSource => "cu.cpp.ii",
        Phase::LtoIr => "ltoir",
        Phase::DeviceLink => return vec![(folder.join("a_dlink.o"), None)],
        Phase::Archive => return vec![(folder.join("a.a"), None)],
        _ => return vec![(folder.join("a.out"), None)],
    };
    let into = call.output_folder.as_ref().map_or_else(|| folder.to_owned(), |named| folder.join(named));
    let file = |input: &'a String| {
        let stem = Path::new(input).file_stem()?;
        Some((into.join(stem).with_extension(extension), Some(input.as_str())))
    };
    call.inputs.iter().filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(line: &str) -> Vec<String> {
        let call = occlint::capture::parse(&occlint::capture::words(line));
        outputs(&call, Path::new("/b")).into_iter().map(|(path, _)| path.display().to_string()).collect()
    }

    #[test]
    fn outputs_stand_where_nvcc_puts_them() {
        assert_eq!(made("-c src/k.cu"), ["/b/k.o"]);
        assert_eq!(made("-c a.cu b.cu -odir out"), ["/b/out/a.o", "/b/out/b.o"]);
        assert_eq!(made("--ptx --output-directory /o k.cu"), ["/o/k.ptx"]);
        assert_eq!(made("-cubin -o x/y.bin k.cu"), ["/b/x/y.bin"]);
        assert_eq!(made("-dlink a.o b.o"), ["/b/a_dlink.o"]);
        assert_eq!(made("--lib -o libk.a a.o"), ["/b/libk.a"]);
        assert_eq!(made("k.cu"), ["/b/a.out"]);
    }

    #[test]
    fn a_file_of_dependencies_names_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let call = occlint::capture::parse(&occlint::capture::words("-c k.cu -o k.o -MD -MF k.d"));
        leave(&call, folder.path(), b"object").unwrap();
        assert_eq!(std::fs::read(folder.path().join("k.o")).unwrap(), b"object");
        assert!(std::fs::read_to_string(folder.path().join("k.d")).unwrap().ends_with("k.o : k.cu\n"));
    }
}
