//! Pinned toolkits for real: fetched with pip, their tools run, a kernel compiled, a program linked.

#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use std::fs;
use std::path::Path;

use occlint::arch::Arch;
use occlint::sys::env::Env;
use occlint::sys::process::{self, Call, Cancel, Output};
use occlint::toolkit::{
    Family, HostSearch, Search, Toolkit, check_host_compiler, fetched, find, supported_archs, version_of,
};

const KERNEL: &str = "__global__ void __launch_bounds__(128) scale(float* out, float by) {\n\
    out[blockIdx.x * 128 + threadIdx.x] *= by;\n}\n";

/// Needs no GPU: the runtime's version is a constant of the library.
const PROGRAM: &str = "#include <cstdio>\n#include <cuda_runtime.h>\n__global__ void nothing() {}\n\
    int main() { int v = 0; if (cudaRuntimeGetVersion(&v) != cudaSuccess) return 1; std::printf(\"%d\\n\", v); }\n";

fn run(call: &Call) -> Output {
    let keep = tempfile::tempdir().unwrap();
    let output = process::run(call, keep.path(), &Cancel::new()).unwrap();
    assert!(output.status.success(), "{call:?}\n{}{}", output.stdout, output.stderr);
    output
}

fn compiles_and_disassembles(toolkit: &Toolkit, folder: &Path, arch: &str) {
    let (source, cubin) = (folder.join("scale.cu"), folder.join(format!("{arch}.cubin")));
    fs::write(&source, KERNEL).unwrap();
    let call = Call::new(&toolkit.nvcc).args(["-cubin", "-lineinfo", "-Xptxas", "-v", "-arch", arch, "-o"]);
    let output = run(&call.arg(&cubin).arg(&source));
    assert!(output.stderr.contains("Used") && output.stderr.contains(arch), "{}", output.stderr);
    let usage = run(&Call::new(toolkit.cuobjdump.as_ref().unwrap()).arg("-res-usage").arg(&cubin));
    assert!(usage.stdout.contains("_Z5scalePff") && usage.stdout.contains("REG:"), "{}", usage.stdout);
    let code = run(&Call::new(toolkit.nvdisasm.as_ref().unwrap()).arg(&cubin));
    assert!(code.stdout.contains("EXIT"), "{}", code.stdout);
}

/// Links against the shared runtime through `lib64`, as build scripts do, and runs the result.
fn links(toolkit: &Toolkit, folder: &Path) -> String {
    let (source, object, program) = (folder.join("main.cu"), folder.join("main.o"), folder.join("main"));
    fs::write(&source, PROGRAM).unwrap();
    run(&Call::new(&toolkit.nvcc).args(["-c", "-arch=sm_90", "-o"]).arg(&object).arg(&source));
    let lib64 = toolkit.root.join("lib64");
    run(&Call::new("g++").arg("-o").arg(&program).arg(&object).arg("-L").arg(&lib64).arg("-lcudart"));
    run(&Call::new(&program).var("LD_LIBRARY_PATH", &lib64)).stdout.trim().to_owned()
}

fn works(release: &str, build: &str, runtime: &str) {
    let toolkit = support::toolkit(release);
    let (env, cancel) = (support::env(), Cancel::new());
    assert_eq!(toolkit.version.to_string(), build);
    assert_eq!(version_of(&toolkit.nvcc, &env, &cancel).unwrap(), toolkit.version);
    assert_eq!(version_of(toolkit.ptxas.as_ref().unwrap(), &env, &cancel).unwrap(), toolkit.version);
    assert_eq!(fetched(release, &env, &[]).ok(), Some(toolkit.clone()));

    let archs = supported_archs(&toolkit, &env, &cancel).unwrap();
    assert!(
        archs.contains(&Arch::from_cc_tenths(75)) && archs.contains(&Arch::from_cc_tenths(121)),
        "{archs:?}"
    );
    assert!(!archs.contains(&Arch::from_cc_tenths(70)), "CUDA 13 has no Volta: {archs:?}");

    let folder = tempfile::tempdir().unwrap();
    compiles_and_disassembles(&toolkit, folder.path(), "sm_90");
    assert_eq!(links(&toolkit, folder.path()), runtime);
}

#[test]
fn release_13_0_works() {
    works("13.0", "13.0.88", "13000");
}

#[test]
fn release_13_5_works() {
    works("13.5", "13.5.37", "13050");
}

#[test]
fn a_fetched_toolkit_is_found_like_an_installed_one() {
    let pinned = support::toolkit("13.0");
    let env = Env::from_pairs([("CUDA_HOME", &pinned.root)]);
    let found = find(Search { nvcc: None, env: &env, cancel: &Cancel::new() }).unwrap();
    assert_eq!(found, Toolkit { origin: "`CUDA_HOME`".to_owned(), ..pinned });
}

#[test]
fn the_systems_compiler_is_identified_and_the_real_limit_applies() {
    let toolkit = support::toolkit("13.0");
    let (env, cancel) = (support::env(), Cancel::new());
    let found = check_host_compiler(&toolkit, HostSearch { flags: &[], env: &env, cancel: &cancel }).unwrap();
    let expected = run(&Call::new(&found.path).arg("-dumpfullversion")).stdout;
    assert_eq!((found.family, found.version.to_string().as_str()), (Family::Gcc, expected.trim()));

    // A stand-in that says it is GCC 16, which 13.0 refuses (its header says: later than 15).
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("g++");
    let text = "#!/bin/sh\necho '#define __GNUC__ 16'; echo '#define __GNUC_MINOR__ 1'\n";
    let write =
        Call::new("/bin/sh").args(["-c", "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"", "sh", text]);
    run(&write.arg(&script));
    let flags = [format!("-ccbin={}", script.display())];
    let error =
        check_host_compiler(&toolkit, HostSearch { flags: &flags, env: &env, cancel: &cancel }).unwrap_err();
    assert!(error.to_string().ends_with("is GCC 16.1.0, CUDA 13.0 supports GCC up to 15"), "{error}");
}
