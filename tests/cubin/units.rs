//! The units, compiled once for all tests: every small kernel of `tests/kernels` and of the gallery, on three
//! architectures, by two compilers.

use std::fs;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use occlint::evidence::cubin::{self, Cubin};
use occlint::evidence::ptxas_log::{self, Log};
use occlint::sys::process::{self, Call, Cancel};

use crate::support;

/// One unit for one architecture by one compiler.
pub(crate) struct Built {
    /// The toolkit's release.
    pub(crate) release: &'static str,
    /// The unit's stem.
    pub(crate) stem: &'static str,
    /// The architecture.
    pub(crate) arch: &'static str,
    /// The cubin.
    pub(crate) bytes: Vec<u8>,
    /// As read.
    pub(crate) cubin: Cubin,
    /// What ptxas printed.
    pub(crate) printed: String,
    /// ptxas' log, as read.
    pub(crate) log: Log,
    /// `nvdisasm -gi`.
    pub(crate) lines: String,
    /// `nvdisasm -json -annotate`.
    pub(crate) annotated: String,
}

/// Stem, architecture, further flags.
const UNITS: [(&str, &str, &[&str]); 5] = [
    ("all", "sm_80", &[]),
    ("all", "sm_90", &[]),
    ("all", "sm_120", &[]),
    ("wgmma", "sm_90a", &[]),
    ("rdc", "sm_120", &["-rdc=true"]),
];

/// All of them.
pub(crate) static BUILT: LazyLock<Vec<Built>> = LazyLock::new(|| {
    let jobs: Vec<_> =
        ["13.0", "13.5"].iter().flat_map(|&release| UNITS.map(|unit| (release, unit))).collect();
    // The toolkits are fetched before the threads ask for them.
    for release in ["13.0", "13.5"] {
        support::toolkit(release);
    }
    let (next, built) = (Mutex::new(jobs.iter()), Mutex::new(Vec::new()));
    let worker = || {
        loop {
            let Some(&(release, unit)) = next.lock().unwrap().next() else { break };
            let one = build(release, unit);
            built.lock().unwrap().push(one);
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(worker))));
    let mut built = built.into_inner().unwrap();
    built.sort_by_key(|one| (one.stem, one.release, one.arch));
    built
});

/// One of them.
pub(crate) fn built(release: &str, stem: &str, arch: &str) -> &'static Built {
    let is = |one: &&Built| one.release == release && one.stem == stem && one.arch == arch;
    BUILT.iter().find(is).unwrap()
}

fn build(release: &'static str, (stem, arch, flags): (&'static str, &'static str, &[&str])) -> Built {
    let toolkit = support::toolkit(release);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.cubin");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/kernels/{stem}.cu"));
    let call = Call::new(&toolkit.nvcc).args(["-cubin", "-lineinfo", "-Xptxas", "-v", "-arch", arch, "-o"]);
    // `dbl.cu` has clusters; 13.0 refuses to assemble what it makes of them.
    let clusters = release == "13.5" && arch != "sm_80";
    let log = run(&call.arg(&file).arg(source).args(flags).args(clusters.then_some("-DDBL"))).1;
    // 13.0's own disassembler does not know all options.
    let nvdisasm = support::toolkit("13.5").nvdisasm.unwrap();
    let bytes = fs::read(&file).unwrap();
    Built {
        release,
        stem,
        arch,
        cubin: cubin::read(&bytes).unwrap(),
        bytes,
        log: ptxas_log::parse(&log),
        printed: log,
        lines: run(&Call::new(&nvdisasm).arg("-gi").arg(&file)).0,
        annotated: run(&Call::new(&nvdisasm).args(["-json", "-annotate"]).arg(&file)).0,
    }
}

/// What a call printed: standard output and error.
pub(crate) fn run(call: &Call) -> (String, String) {
    let keep = tempfile::tempdir().unwrap();
    let output = process::run(call, keep.path(), &Cancel::new()).unwrap();
    assert!(output.status.success(), "{call:?}\n{}{}", output.stdout, output.stderr);
    (output.stdout, output.stderr)
}
