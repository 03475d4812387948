//! Linked cubins: figures as in nvlink's log, spills and lines as nvdisasm shows them.

use std::path::Path;

use occlint::evidence::cubin::{self, Cubin};
use occlint::evidence::ptxas_log::{self, Log};
use occlint::sys::process::Call;

use crate::compare::{chain, collected, in_section};
use crate::disassembler::code;
use crate::support;
use crate::units::run;

/// A caller and its callee, compiled apart and linked.
struct Program {
    caller: Cubin,
    linked: Cubin,
    log: Log,
    lines: String,
    annotated: String,
}

fn program(release: &str, arch: &str) -> Program {
    let toolkit = support::toolkit(release);
    let folder = tempfile::tempdir().unwrap();
    let object = |stem: &str| folder.path().join(format!("{stem}.cubin"));
    let stems = ["link_caller", "link_callee"];
    for stem in stems {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/kernels/{stem}.cu"));
        let flags = ["-cubin", "-lineinfo", "-rdc=true", "-maxrregcount=40", "-arch", arch, "-o"];
        run(&Call::new(&toolkit.nvcc).args(flags).arg(object(stem)).arg(source));
    }
    let linked = object("linked");
    let nvlink =
        Call::new(toolkit.nvlink.as_ref().unwrap()).args(["-v", "-report-arch", "-arch", arch, "-o"]);
    let (out, err) = run(&nvlink.arg(&linked).args(stems.map(object)));
    let nvdisasm = support::toolkit("13.5").nvdisasm.unwrap();
    let read = |path: &Path| cubin::read(&std::fs::read(path).unwrap()).unwrap();
    Program {
        caller: read(&object("link_caller")),
        linked: read(&linked),
        log: ptxas_log::parse(&(out + &err)),
        lines: run(&Call::new(&nvdisasm).arg("-gi").arg(&linked)).0,
        annotated: run(&Call::new(&nvdisasm).args(["-json", "-annotate"]).arg(&linked)).0,
    }
}

#[test]
fn a_linked_cubin_has_the_figures_of_the_link_and_the_lines_of_its_units() {
    for (release, arch) in ["13.0", "13.5"]
        .into_iter()
        .flat_map(|release| ["sm_80", "sm_90", "sm_120"].map(|arch| (release, arch)))
    {
        let Program { caller, linked, log, lines, annotated } = program(release, arch);
        let kcall = |cubin: &Cubin| cubin.find("_Z5kcallPfPKfi").unwrap();
        let open = &caller.functions[kcall(&caller)];
        assert_eq!(
            (caller.outside.as_slice(), open.outside.as_slice()),
            (&["_Z5heavyPKfi".to_owned()][..], &[0][..])
        );
        assert_eq!((open.registers, caller.linked), (Some(24), false), "{release} {arch}");

        assert!(linked.linked && linked.outside.is_empty());
        let mut kernels = 0;
        for said in log.functions.iter().filter(|function| function.linked) {
            let function = &linked.functions[linked.find(said.name.as_deref().unwrap()).unwrap()];
            assert_eq!(function.registers, said.usage.registers, "{release} {arch}");
            // the reserve: nvlink prints it on 9.x alone, the cubin has it from 9.0 on
            assert_eq!(function.static_shared_bytes, said.usage.static_shared_bytes, "{release} {arch}");
            kernels += 1;
        }
        assert_eq!(kernels, 2);
        let calls = |name: &str| linked.reached(kcall(&linked)).contains(&linked.find(name).unwrap());
        assert!(calls("_Z5heavyPKfi") && !calls("_Z6kplainPf"));

        let all = code(&lines, &annotated);
        let functions = in_section(&linked, "_Z5heavyPKfi", &all);
        let ours = collected(&linked, &functions, |function| &function.annotated);
        let theirs = all["_Z5heavyPKfi"].iter().filter(|(_, instruction)| instruction.spill);
        let mut spills = 0;
        for (offset, instruction) in theirs {
            assert_eq!(chain(&linked, ours[offset]), instruction.chain, "{release} {arch} {offset:#x}");
            spills += 1;
        }
        assert_eq!(spills, ours.len());
        assert!(spills > 100, "{spills}");
    }
}
