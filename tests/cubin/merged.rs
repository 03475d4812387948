//! A cubin among the other witnesses of its compilation.

use std::sync::Arc;

use occlint::evidence::{Artefacts, CubinProblem, Evidence, from_artefacts};
use occlint::kernel::Kernel;
use occlint::source::SourceText;

use crate::units::{Built, built};

fn look_up(path: &str) -> (String, bool, Option<Arc<SourceText>>) {
    (path.to_owned(), true, None)
}

fn merged(built: &Built, log: &str, cubin: Option<&[u8]>) -> Evidence {
    let arch = built.arch.parse().unwrap();
    from_artefacts(&Artefacts { unit: "all.cu", arch, log, ptx: "", cubin, debug: false }, &look_up)
}

fn kernel<'a>(evidence: &'a Evidence, part: &str) -> &'a Kernel {
    evidence.kernels.iter().find(|kernel| kernel.name.mangled.contains(part)).unwrap()
}

#[test]
fn the_cubin_fills_what_the_log_leaves_out() {
    let built = built("13.5", "all", "sm_90");
    let with = merged(built, &built.printed, Some(&built.bytes));
    assert_eq!(with.problems, []);
    assert!(with.kernels.iter().all(|kernel| kernel.spills.is_some()));
    let forced = kernel(&with, "forced_spill");
    let spills = forced.spills.as_ref().unwrap();
    assert_eq!((spills.instructions, spills.lines[0].at.as_ref().unwrap().line), (520, 18));
    assert!(spills.lines[0].at.as_ref().unwrap().foreign);

    // A log as of before 12.6, without barriers.
    let old: Vec<&str> = built.printed.split(", used ").collect();
    let old: String =
        old.iter().map(|part| part.split_once(" barriers").map_or(*part, |(_, rest)| rest)).collect();
    assert_eq!(kernel(&merged(built, &old, None), "barriers8").usage.barriers, None);
    assert_eq!(kernel(&merged(built, &old, Some(&built.bytes)), "barriers8").usage.barriers, Some(8));

    let without = merged(built, &built.printed, None);
    assert!(without.problems.is_empty() && without.kernels.iter().all(|kernel| kernel.spills.is_none()));
    for (a, b) in without.kernels.iter().zip(&with.kernels) {
        assert_eq!(
            (a.usage.registers, a.usage.stack_frame_bytes),
            (b.usage.registers, b.usage.stack_frame_bytes)
        );
    }
}

#[test]
fn a_log_that_the_cubin_contradicts_is_a_problem() {
    let built = built("13.5", "rdc", "sm_120");
    let log = built.printed.replace("Used 24 registers", "Used 25 registers");
    let problems = merged(built, &log, Some(&built.bytes)).problems;
    let (kernel, what) = ("rk(float*, int)".to_owned(), "registers");
    assert_eq!(problems, [CubinProblem::Figure { kernel, what, log: 25, cubin: 24 }]);
    assert_eq!(problems[0].to_string(), "`rk(float*, int)` uses 25 registers in the log and 24 in the cubin");

    let log = built.printed.replace("_Z2rkPfi", "_Z2otPfi");
    let problems = merged(built, &log, Some(&built.bytes)).problems;
    let (other, no) = ("rk(float*, int)".to_owned(), "ot(float*, int)".to_owned());
    assert_eq!(problems, [CubinProblem::OtherKernel(other), CubinProblem::NoKernel(no)]);
}

#[test]
fn a_cubin_of_other_code_with_the_same_registers_is_a_problem() {
    let built = built("13.5", "rdc", "sm_120");
    let log = &built.printed;
    assert!(log.contains("Used 24 registers, used 0 barriers"), "{log}");
    let of = |log: &str| merged(built, log, Some(&built.bytes)).problems;
    let said = |problems: Vec<CubinProblem>| problems.iter().map(ToString::to_string).collect::<Vec<_>>();
    let barriers = log.replace("Used 24 registers, used 0 barriers", "Used 24 registers, used 3 barriers");
    assert_eq!(said(of(&barriers)), ["`rk(float*, int)` uses 3 barriers in the log and 0 in the cubin"]);
    assert_eq!(said(of("")), ["the cubin has `rk(float*, int)`, which neither the log nor the PTX has"]);
}

#[test]
fn frames_and_bounds_are_those_of_the_log_and_the_ptx() {
    let built = built("13.5", "all", "sm_90");
    let index =
        built.cubin.functions.iter().position(|f| f.entry && f.calls.is_empty() && f.frame_bytes > Some(0));
    let function = &built.cubin.functions[index.unwrap()];
    let bytes = function.frame_bytes.unwrap();
    let properties = format!("Function properties for {}\n    {bytes} bytes stack", function.name);
    assert!(built.printed.contains(&properties), "{properties}");
    let log =
        built.printed.replace(&properties, &properties.replace(&format!("{bytes} bytes"), "4096 bytes"));
    let found = merged(built, &log, Some(&built.bytes)).problems;
    let [CubinProblem::Figure { what, log, cubin, .. }] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((*what, *log, *cubin), ("bytes of stack frame", 4096, bytes));

    let bounded = built.cubin.functions.iter().find(|f| f.entry && f.max_threads.is_some()).unwrap();
    let ptx = |threads: u32| {
        format!(".target sm_90\n.visible .entry {}()\n.maxntid {threads}, 1, 1\n{{\nret;\n}}\n", bounded.name)
    };
    let with = |threads: u32| {
        let arch = built.arch.parse().unwrap();
        let ptx = ptx(threads);
        let artefacts = Artefacts {
            unit: "all.cu",
            arch,
            log: &built.printed,
            ptx: &ptx,
            cubin: Some(&built.bytes),
            debug: false,
        };
        from_artefacts(&artefacts, &look_up).problems
    };
    let [threads, 1, 1] = bounded.max_threads.unwrap() else { panic!("{bounded:?}") };
    assert_eq!(with(threads), []);
    let [CubinProblem::Bound { directive: ".maxntid", ptx, cubin, .. }] = &with(threads + 1)[..] else {
        panic!("{:?}", with(threads + 1))
    };
    assert_eq!((*ptx, *cubin), (Some([threads + 1, 1, 1]), bounded.max_threads));
}

#[test]
fn another_cubin_is_a_problem() {
    let (rdc, other) = (built("13.5", "rdc", "sm_120"), built("13.5", "all", "sm_80"));
    let problems = merged(rdc, &rdc.printed, Some(&other.bytes)).problems;
    assert_eq!(problems[0].to_string(), "the cubin is for sm_80, not for sm_120");
    let half = &rdc.bytes[..rdc.bytes.len() / 2];
    let problems = merged(rdc, &rdc.printed, Some(half)).problems;
    assert!(
        matches!(problems.as_slice(), [CubinProblem::Unreadable(why)] if why.contains("truncated")),
        "{problems:?}"
    );
}

#[test]
fn linked_figures_are_not_held_against_the_cubin() {
    let built = built("13.5", "rdc", "sm_120");
    let linked = "nvlink info    : Function properties for '_Z2rkPfi':\n\
                  nvlink info    : used 131 registers, 0 stack, 0 bytes smem, 0 bytes lmem\n";
    let evidence = merged(built, &format!("{}{linked}", built.printed), Some(&built.bytes));
    assert_eq!(evidence.problems, []);
    assert_eq!(kernel(&evidence, "_Z2rkPfi").usage.registers, Some(131));
}
