//! A cubin of ptxas 12.4: another place for architecture and barriers, no annotations.

use std::fs;
use std::path::Path;

use occlint::evidence::{Artefacts, Evidence, from_artefacts};
use occlint::kernel::{Kernel, SpillWitness};

fn evidence() -> Evidence {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cubins");
    let log = fs::read_to_string(folder.join("ptxas12.4_suite.sm_80.log")).unwrap();
    let cubin = fs::read(folder.join("ptxas12.4_suite.sm_80.cubin")).unwrap();
    let arch = "sm_80".parse().unwrap();
    let artefacts =
        Artefacts { unit: "suite.cu", arch, log: &log, ptx: "", cubin: Some(&cubin), debug: false };
    from_artefacts(&artefacts, &|path| (path.to_owned(), false, None))
}

fn kernel<'a>(evidence: &'a Evidence, name: &str) -> &'a Kernel {
    evidence.kernels.iter().find(|kernel| kernel.name.qualified == name).unwrap()
}

#[test]
fn barriers_are_the_cubins() {
    let evidence = evidence();
    assert_eq!(evidence.problems, []);
    for (name, barriers, shared) in
        [("barriers8", 8, 256), ("barriers_dyn", 16, 256), ("bounded", 1, 1024), ("printer", 0, 0)]
    {
        let usage = &kernel(&evidence, name).usage;
        assert_eq!((usage.barriers, usage.static_shared_bytes), (Some(barriers), Some(shared)), "{name}");
    }
}

#[test]
fn spills_are_the_local_accesses_where_the_log_has_spills() {
    let evidence = evidence();
    let spills = kernel(&evidence, "spiller").spills.as_ref().unwrap();
    assert_eq!((spills.instructions, spills.witness), (273, SpillWitness::Disassembly));
    let top = &spills.lines[0];
    assert_eq!(
        (top.at.as_ref().map(|at| (at.file.as_str(), at.line)), top.hot),
        (Some(("kernels/suite.cu", 23)), true)
    );
    assert_eq!(top.inlined_from.iter().map(|at| at.line).collect::<Vec<_>>(), [26]);
    // A frame that is no spill area.
    assert_eq!(kernel(&evidence, "printer").spills.as_ref().unwrap().instructions, 0);
    // A recursive device function saves registers of its callers.
    let recursive = &kernel(&evidence, "recursive").spills.as_ref().unwrap().lines;
    assert!(
        recursive.iter().all(|line| line.function.as_deref() == Some("_Z3fibi") && line.instructions() == 10)
    );
    assert_eq!(recursive.len(), 1);
}
