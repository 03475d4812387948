//! One call of nvcc: what it compiles, to what, and with which flags.

use crate::capture::options::{Spelled, option};
use crate::capture::{Target, targets};
use crate::compile::options;

/// How far a call goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// It asks something (`--version`, `--dryrun`, `-M`, `-E`): nothing is compiled.
    Query,
    /// PTX (`-ptx`): ptxas does not run.
    Ptx,
    /// A cubin.
    Cubin,
    /// A fat binary.
    Fatbin,
    /// An object (`-c`, `-dc`, `-dw`).
    Object,
    /// The device link of objects (`-dlink`).
    DeviceLink,
    /// An archive (`-lib`).
    Archive,
    /// A program or a shared library.
    Link,
    /// C++ for the host compiler with the device code in it (`-cuda`).
    HostSource,
    /// Code for link-time optimisation (`-ltoir`).
    LtoIr,
    /// Something else, of which no figures come (`-optix-ir`).
    Other,
}

impl Phase {
    /// Whether sources become device code.
    pub const fn compiles(self) -> bool {
        !matches!(self, Self::Query | Self::DeviceLink | Self::Other)
    }
}

/// A call of nvcc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NvccCall {
    /// How far it goes.
    pub phase: Phase,
    /// Its input files, as they are named.
    pub inputs: Vec<String>,
    /// `-o`, as it is named.
    pub output: Option<String>,
    /// `-odir`, as it is named.
    pub output_folder: Option<String>,
    /// `-MF` or what `-MD` makes: a file of dependencies is asked for beside the compile.
    pub dependencies: Option<Option<String>>,
    /// The language of `-x`, which holds for every input.
    pub language: Option<String>,
    /// What it compiles for; empty: nvcc's own default.
    pub targets: Vec<Target>,
    /// The flags that decide the device code: all but files, phases, architectures and what concerns the host's linker.
    /// `-dc` stands there as `-rdc=true`.
    pub flags: Vec<String>,
}

impl NvccCall {
    /// The inputs that hold CUDA C++: by `-x cu`, or by their extension.
    pub fn cuda_inputs(&self) -> impl Iterator<Item = &str> {
        let all = self.language.as_deref() == Some("cu");
        let none = self.language.is_some() && !all;
        let is_cuda = |name: &&str| extension(name).eq_ignore_ascii_case("cu");
        self.inputs.iter().map(String::as_str).filter(move |name| all || (!none && is_cuda(name)))
    }

    /// Of the flags, those that decide what ptxas makes of PTX: `-Xptxas` and `-maxrregcount`.
    pub fn assembly_flags(&self) -> Vec<String> {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        let decides = |name: &str| matches!(name, "Xptxas" | "ptxas-options" | "maxrregcount");
        let all = options(&flags).into_iter().filter(|option| decides(option.name));
        all.map(|option| format!("-{}={}", option.name, option.value)).collect()
    }

    /// The inputs that are PTX.
    pub fn ptx_inputs(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(String::as_str).filter(|name| extension(name).eq_ignore_ascii_case("ptx"))
    }
}

fn extension(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Reads the arguments of a call: those of nvcc's variables in their place, files of arguments expanded.
pub fn parse(args: &[String]) -> NvccCall {
    let mut reader = Reader::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if !arg.starts_with('-') || arg == "-" {
            reader.call.inputs.push(arg.clone());
            continue;
        }
        match option(arg) {
            Spelled::Plain(name) => reader.plain(name, arg),
            Spelled::Value(name, value) => reader.valued(name, value, &[arg]),
            Spelled::Next(name) => match rest.next() {
                Some(value) => reader.valued(name, value, &[arg, value]),
                None => reader.call.flags.push(arg.clone()),
            },
            Spelled::Other => reader.call.flags.push(arg.clone()),
        }
    }
    reader.finish()
}

struct Reader<'a> {
    call: NvccCall,
    phases: Vec<&'static str>,
    arch: Option<&'a str>,
    codes: Vec<&'a str>,
    generated: Vec<&'a str>,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        let call = NvccCall {
            phase: Phase::Link,
            inputs: Vec::new(),
            output: None,
            output_folder: None,
            dependencies: None,
            language: None,
            targets: Vec::new(),
            flags: Vec::new(),
        };
        Self { call, phases: Vec::new(), arch: None, codes: Vec::new(), generated: Vec::new() }
    }
}

impl<'a> Reader<'a> {
    fn plain(&mut self, name: &'static str, arg: &str) {
        match name {
            "generate-dependencies-with-compile" | "generate-nonsystem-dependencies-with-compile" => {
                self.call.dependencies.get_or_insert(None);
            }
            // ours is given to every compile; the others say where files are left, or would bury an error
            "generate-dependency-targets"
            | "generate-line-info"
            | "keep"
            | "save-temps"
            | "objdir-as-tempdir"
            | "verbose" => {}
            "device-c" | "device-w" => {
                let relocatable = if name == "device-c" { "-rdc=true" } else { "-rdc=false" };
                self.call.flags.push(relocatable.to_owned());
                self.phases.push(name);
            }
            _ => {
                debug_assert!(arg.starts_with('-'));
                self.phases.push(name);
            }
        }
    }

    fn valued(&mut self, name: &'static str, value: &'a str, spelled: &[&String]) {
        match name {
            "output-file" => self.call.output = Some(value.to_owned()),
            "output-directory" => self.call.output_folder = Some(value.to_owned()),
            "dependency-output" => self.call.dependencies = Some(Some(value.to_owned())),
            "x" => self.call.language = Some(value.to_owned()),
            "gpu-architecture" => self.arch = Some(value),
            "gpu-code" => self.codes.push(value),
            "generate-code" => self.generated.push(value),
            // the host's linker and archiver, folders of intermediates, and how many compilers run at a time
            "archive-options"
            | "archiver-binary"
            | "cudadevrt"
            | "cudart"
            | "dependency-target-name"
            | "fdevice-time-trace"
            | "keep-dir"
            | "library"
            | "library-path"
            | "linker-options"
            | "run-args"
            | "threads"
            | "time" => {}
            _ => self.call.flags.extend(spelled.iter().map(|&arg| arg.clone())),
        }
    }

    fn finish(mut self) -> NvccCall {
        self.call.phase = phase(&self.phases, self.call.inputs.is_empty());
        self.call.targets = targets(self.arch, &self.codes, &self.generated);
        if self.call.phase == Phase::LtoIr {
            self.call.flags.push("-dlto".to_owned());
        }
        self.call
    }
}

/// What wins where several phases are named: questions, then the device-only outputs, then the others.
fn phase(named: &[&str], no_input: bool) -> Phase {
    let has = |names: &[&str]| named.iter().any(|name| names.contains(name));
    let queries = [
        "clean-targets",
        "dryrun",
        "generate-dependencies",
        "generate-nonsystem-dependencies",
        "help",
        "list-gpu-arch",
        "list-gpu-code",
        "preprocess",
        "version",
    ];
    if no_input || has(&queries) {
        return Phase::Query;
    }
    let rest: [(&[&str], Phase); 9] = [
        (&["optix-ir", "run"], Phase::Other),
        (&["cuda"], Phase::HostSource),
        (&["ltoir"], Phase::LtoIr),
        (&["ptx"], Phase::Ptx),
        (&["cubin"], Phase::Cubin),
        (&["fatbin"], Phase::Fatbin),
        (&["compile", "device-c", "device-w"], Phase::Object),
        (&["device-link"], Phase::DeviceLink),
        (&["lib"], Phase::Archive),
    ];
    rest.iter().find(|(names, _)| has(names)).map_or(Phase::Link, |(_, phase)| *phase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> NvccCall {
        parse(&crate::capture::words(line))
    }

    #[test]
    fn a_call_of_the_cc_crate() {
        let call = read(
            "-ccbin=c++ -Xcompiler -O3 -Xcompiler -fPIC -m64 -I include -Xcompiler -Wall -gencode \
             arch=compute_80,code=sm_80 -DN=4 -o out/k.o -c --device-c kernels/k.cu",
        );
        assert_eq!(call.phase, Phase::Object);
        assert_eq!((call.inputs, call.output.as_deref()), (vec!["kernels/k.cu".to_owned()], Some("out/k.o")));
        assert_eq!(
            call.flags.join(" "),
            "-ccbin=c++ -Xcompiler -O3 -Xcompiler -fPIC -m64 -I include -Xcompiler -Wall -DN=4 -rdc=true"
        );
        assert_eq!(call.targets.len(), 1);
    }

    #[test]
    fn a_call_of_cmake() {
        let call = read(
            "-forward-unknown-to-host-compiler -DX --options-file includes.rsp -O3 -DNDEBUG -std=c++17 \
             \"--generate-code=arch=compute_80,code=[compute_80,sm_80]\" -Xcompiler=-fPIC -MD -MT k.cu.o -MF k.cu.o.d \
             -x cu -rdc=true -c /src/k.cu -o k.cu.o",
        );
        assert_eq!((call.phase, call.dependencies), (Phase::Object, Some(Some("k.cu.o.d".to_owned()))));
        assert_eq!(call.language.as_deref(), Some("cu"));
        assert_eq!(call.targets.iter().filter_map(Target::machine).count(), 1);
        assert!(
            call.flags.contains(&"-rdc=true".to_owned())
                && !call.flags.iter().any(|flag| flag.contains("MF"))
        );
    }

    #[test]
    fn calls_of_the_ptx_builders() {
        let call = read(
            "--gpu-architecture=sm_86 --ptx --verbose -v --default-stream per-thread --output-directory out -I/inc k.cu",
        );
        assert_eq!((call.phase, call.output_folder.as_deref()), (Phase::Ptx, Some("out")));
        assert_eq!(call.flags.join(" "), "--default-stream per-thread -I/inc");
        assert_eq!(call.targets[0].machine().map(|arch| arch.to_string()).as_deref(), Some("sm_86"));
        assert_eq!(read("--lib -o lib.a a.o b.o").phase, Phase::Archive);
    }

    #[test]
    fn questions_compile_nothing() {
        for line in [
            "--version",
            "-V",
            "--list-gpu-code",
            "--help",
            "-M k.cu",
            "-E detect.c",
            "--dryrun -c k.cu",
            "-v",
            "",
        ] {
            assert_eq!(read(line).phase, Phase::Query, "{line}");
        }
    }

    #[test]
    fn the_language_decides_what_is_cuda() {
        let cuda = |line: &str| read(line).cuda_inputs().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(cuda("-c a.cu b.cpp c.CU d.o"), ["a.cu", "c.CU"]);
        assert_eq!(cuda("-x cu -c a.cpp"), ["a.cpp"]);
        assert!(cuda("-x c++ -c a.cu").is_empty());
        assert_eq!(read("-cubin k.ptx").ptx_inputs().collect::<Vec<_>>(), ["k.ptx"]);
    }
}
