use super::*;
use crate::kernel::Severity;

const SOURCE: &str = "// head\n__global__ void __launch_bounds__(128) outer(float* o) {\n}\n";

fn look_up(path: &str) -> (String, bool, Option<Arc<SourceText>>) {
    let foreign = path.starts_with("/other/");
    let text = (!foreign).then(|| SourceText::new("k/a.cu", SOURCE));
    (if foreign { path.to_owned() } else { "k/a.cu".to_owned() }, foreign, text)
}

fn merged(log: &str, ptx: &str) -> Evidence {
    let arch = "sm_90a".parse().unwrap();
    from_artefacts(&Artefacts { unit: "k/a.cu", arch, log, ptx, cubin: None, debug: false }, &look_up)
}

fn kernel<'a>(evidence: &'a Evidence, name: &str) -> &'a Kernel {
    evidence.kernels.iter().find(|kernel| kernel.name.mangled == name).unwrap()
}

fn function_names(kernel: &Kernel) -> Vec<&str> {
    kernel.functions.iter().map(|function| function.name.mangled.as_str()).collect()
}

const PTX: &str = "
.target sm_90a
.extern .shared .align 16 .b8 dsm[];
.func deep(.param .b32 p) { .loc 1 1 0
 mov.u32 %r1, dsm; call deep, (p); }
.func middle() { .loc 2 40 0
 call deep, (p); }
.visible .entry outer() .maxntid 128, 1, 1 .minnctapersm 4 { .local .align 4 .b8 __local_depot0[12];
 .loc 1 2 0
 call middle; }
.visible .entry pointer() { call (r), %rd1, (p), proto; }
.visible .entry silent() { setmaxnreg.dec.sync.aligned.u32 24; }
.visible .entry bounded() .maxntid 64 { setmaxnreg.dec.sync.aligned.u32 24; }
.file 1 \"/w/k/a.cu\"
.file 2 \"/other/lib.cuh\"
";

const LOG: &str = "
ptxas info : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.
ptxas warning : Registers are spilled to local memory in function 'deep', 4 bytes spill stores, 8 bytes spill loads
ptxas info : Overriding global maxrregcount 24 with entry-specific value 32 computed using thread count
ptxas info : 0 bytes gmem
ptxas info : Compiling entry function 'outer' for 'sm_90a'
ptxas info : Function properties for outer
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info : Used 40 registers, used 1 barriers, 512 bytes smem
ptxas info : Function properties for slowpath
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info : Compiling entry function 'pointer' for 'sm_90a'
ptxas info : Used 24 registers, used 0 barriers
ptxas info : Function properties for deep
    8 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
";

#[test]
fn figures_bounds_and_places_meet() {
    let evidence = merged(LOG, PTX);
    let outer = kernel(&evidence, "outer");
    assert_eq!((outer.usage.registers, outer.usage.static_shared_bytes), (Some(40), Some(512)));
    assert_eq!((outer.bounds.max_threads, outer.bounds.min_blocks), (Some([128, 1, 1]), Some(4)));
    assert_eq!((outer.local_depot_bytes, outer.dynamic_shared), (Some(12), Some(true)));
    let place = outer.place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line, place.foreign), ("k/a.cu", 2, false));
    assert_eq!(&SOURCE[place.declarator.clone().unwrap()], "outer");
    assert_eq!(&SOURCE[place.bounds.clone().unwrap()], "__launch_bounds__(128)");
    assert_eq!(outer.units, ["k/a.cu"]);
}

#[test]
fn a_kernel_that_only_the_ptx_has_is_of_unknown_usage() {
    let evidence = merged(LOG, PTX);
    assert_eq!(evidence.kernels.len(), 4);
    assert_eq!(kernel(&evidence, "silent").usage, Usage::default());
    assert_eq!(kernel(&evidence, "silent").dynamic_shared, Some(false));
}

#[test]
fn a_kernel_that_only_the_log_has_is_of_unknown_bounds() {
    let evidence = merged(LOG, "");
    let outer = kernel(&evidence, "outer");
    assert_eq!((outer.bounds.max_threads, outer.dynamic_shared, outer.local_depot_bytes), (None, None, None));
    assert_eq!(function_names(outer), ["slowpath"]);
}

#[test]
fn device_functions_belong_to_every_kernel_that_reaches_them() {
    let evidence = merged(LOG, PTX);
    let outer = kernel(&evidence, "outer");
    // `middle` has no report: it was inlined.
    assert_eq!(function_names(outer), ["deep", "slowpath"]);
    assert_eq!(
        (outer.functions[0].spill_store_bytes, outer.functions[0].spill_load_bytes),
        (Some(4), Some(8))
    );
    assert_eq!(outer.functions[0].place.as_ref().map(|place| place.line), Some(1));
    assert_eq!(function_names(kernel(&evidence, "pointer")), ["deep"]);
    assert!(evidence.functions.is_empty());
}

#[test]
fn functions_before_all_kernels_are_reached_or_loose() {
    let log = "ptxas info : 0 bytes gmem\nptxas info : Function properties for deep\n\
               ptxas info : Function properties for orphan\n\
               ptxas info : Compiling entry function 'outer' for 'sm_90a'\n";
    let evidence = merged(log, PTX);
    assert_eq!(function_names(kernel(&evidence, "outer")), ["deep"]);
    assert_eq!(function_names(kernel(&evidence, "pointer")), [""; 0]);
    let loose: Vec<_> = evidence.functions.iter().map(|loose| loose.function.name.mangled.as_str()).collect();
    assert_eq!(loose, ["orphan"]);
}

#[test]
fn stacks_without_a_bound() {
    let evidence = merged(LOG, PTX);
    let unbounded = |name: &str| kernel(&evidence, name).unbounded_stack.clone();
    assert_eq!(unbounded("outer"), Some(UnboundedStack::Recursion(vec!["deep".to_owned()])));
    assert_eq!(unbounded("pointer"), Some(UnboundedStack::IndirectCall));
    assert_eq!(unbounded("silent"), None);
    let said = format!(
        "ptxas warning : Stack size for entry function 'outer' cannot be statically determined\n{LOG}"
    );
    assert_eq!(kernel(&merged(&said, PTX), "outer").unbounded_stack, Some(UnboundedStack::Reported));
}

#[test]
fn remarks_find_their_kernels() {
    let evidence = merged(LOG, PTX);
    let kinds =
        |name: &str| kernel(&evidence, name).remarks.iter().map(|r| r.kind.clone()).collect::<Vec<_>>();
    assert_eq!(kinds("silent"), [RemarkKind::SetmaxnregIgnored { code: Some(7508) }]);
    assert_eq!(kinds("bounded"), []);
    assert_eq!(kinds("outer"), [RemarkKind::Other]);
    assert_eq!(kernel(&evidence, "outer").remarks[0].severity, Severity::Warning);
    assert_eq!(evidence.units.len(), 1);
    let of_unit: Vec<_> = evidence.units[0].remarks.iter().map(|remark| &remark.kind).collect();
    let by = "computed using thread count".to_owned();
    assert_eq!(of_unit, [&RemarkKind::CapOverridden { from: 24, to: 32, by }]);
    assert_eq!((evidence.units[0].arch, &evidence.units[0].debug), ("sm_90a".parse().ok(), &None));
}

#[test]
fn two_candidates_for_setmaxnreg_are_the_units() {
    let evidence = merged(LOG, &PTX.replace(".maxntid 64 ", ""));
    assert!(evidence.kernels.iter().flat_map(|k| &k.remarks).all(|r| r.kind == RemarkKind::Other));
    assert_eq!(evidence.units[0].remarks.len(), 2);
}

#[test]
fn linked_figures_win() {
    let linked = "nvlink info : Function properties for 'outer': (target: sm_90a)\n\
                  nvlink info : used 255 registers, used 2 barriers, 3000 stack, 1536 bytes smem (target: sm_90a)\n";
    for evidence in [merged(&format!("{LOG}{linked}"), PTX), from_log("x.log", &format!("{LOG}{linked}"))] {
        let usage = kernel(&evidence, "outer").usage;
        assert_eq!((usage.registers, usage.barriers), (Some(255), Some(2)));
        assert_eq!((usage.static_shared_bytes, usage.cumulative_stack_bytes), (Some(512), Some(3000)));
        assert_eq!((usage.stack_frame_bytes, usage.spill_store_bytes), (Some(16), Some(0)));
        assert_eq!(evidence.kernels.iter().filter(|kernel| kernel.name.mangled == "outer").count(), 1);
    }
}

#[test]
fn a_log_keeps_architectures_and_units_apart() {
    let block = |arch: &str, registers: u32| {
        format!(
            "ptxas warning : Value of threads per SM for entry k is out of range. .minnctapersm will be ignored\n\
             ptxas info : 0 bytes gmem\nptxas info : Compiling entry function 'k' for '{arch}'\n\
             ptxas info : Used {registers} registers\nptxas info : Function properties for f\n"
        )
    };
    let text = block("sm_80", 8) + &block("sm_90", 9) + &block("sm_90", 10);
    let evidence = from_log("build.log", &text);
    let seen: Vec<_> = evidence
        .kernels
        .iter()
        .map(|k| (k.arch.unwrap().to_string(), k.usage.registers, k.remarks.len(), k.functions.len()))
        .collect();
    let expected = [("sm_80", 8), ("sm_90", 9), ("sm_90", 10)].map(|(a, r)| (a.to_owned(), Some(r), 1, 1));
    assert_eq!(seen, expected);
    assert_eq!(evidence.kernels[2].units, ["build.log"]);
}

#[test]
fn fragments_and_functions_of_a_log_are_not_lost() {
    let evidence = from_log("a.log", "x\nptxas info : Used 168 registers, 40 bytes cumulative stack size\n");
    assert_eq!(evidence.kernels[0].name.mangled, "<unnamed kernel at line 2>");
    let evidence = from_log(
        "a.log",
        "ptxas info : Function properties for _Z4fe_0Pi\n    8 bytes stack frame, 4 bytes \
                                      spill stores, 2 bytes spill loads\n",
    );
    assert!(evidence.kernels.is_empty());
    assert_eq!(evidence.functions[0].function.name.demangled, "fe_0(int*)");
    assert_eq!(evidence.functions[0].function.spill_store_bytes, Some(4));
}

#[test]
fn a_remark_without_a_kernel_is_the_logs() {
    let evidence =
        from_log("a.log", "ptxas warning : Too big maxrregcount value specified 96, will be ignored\n");
    assert_eq!(evidence.units[0].unit, "a.log");
    assert_eq!(evidence.units[0].remarks[0].kind, RemarkKind::CapTooBig(96));
}

#[test]
fn truncated_witnesses_are_merged() {
    for end in (0..PTX.len()).filter(|&end| PTX.is_char_boundary(end)) {
        merged(&LOG[..end.min(LOG.len())], &PTX[..end]);
    }
}

#[test]
fn memory_that_alloca_takes_has_no_bound_and_no_known_size() {
    let log = "ptxas info : Compiling entry function 'k' for 'sm_90a'\nptxas info : Function properties for k\n\
               0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info : Used 10 registers\n";
    let ptx = "//\n.version 9.0\n.target sm_90a\n.visible .entry k()\n{\n\talloca.u64 \t%rd15, %rd14, 16;\n\tret;\n}\n";
    let evidence = merged(log, ptx);
    assert_eq!(kernel(&evidence, "k").unbounded_stack, Some(UnboundedStack::Alloca));
    assert_eq!(kernel(&evidence, "k").local_memory, None);
    let without = merged(log, &ptx.replace("alloca.u64", "add.u64"));
    assert_eq!(kernel(&without, "k").unbounded_stack, None);
}
