use super::*;
use crate::evidence::merge::{Artefacts, from_artefacts};
use crate::kernel::RemarkKind;
use crate::order::Map;

/// A kernel that calls into another unit, and one that does not.
const KERNELS: &str = "
.target sm_90
.extern .func (.param .b32 r) heavy (.param .b64 p) ;
.visible .entry calls() .maxntid 256, 1, 1 { call.uni (r), heavy, (p); }
.visible .entry plain() { ret; }
.visible .entry through() { call (r), %rd1, (p), proto; }
";
const KERNELS_LOG: &str = "
ptxas info : 0 bytes gmem
ptxas info : Compiling entry function 'calls' for 'sm_90'
ptxas info : Function properties for calls
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info : Used 24 registers, used 1 barriers, 128 bytes smem
ptxas info : Compiling entry function 'plain' for 'sm_90'
ptxas info : Used 8 registers, used 0 barriers
ptxas info : Compiling entry function 'through' for 'sm_90'
ptxas info : Used 9 registers, used 0 barriers
";
const FUNCTIONS: &str = "
.target sm_90
.extern .shared .align 16 .b8 dsm[];
.func (.param .b32 r) deeper() { mov.u32 %r1, dsm; ret; }
.visible .func (.param .b32 r) heavy (.param .b64 p) { .loc 1 1 0
 call.uni (r), deeper; }
.visible .func aside() { ret; }
.file 1 \"/w/k/heavy.cu\"
";
const FUNCTIONS_LOG: &str = "
ptxas info : 0 bytes gmem
ptxas info : Function properties for heavy
    192 bytes stack frame, 308 bytes spill stores, 312 bytes spill loads
ptxas info : Function properties for deeper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info : Function properties for aside
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
";
const LINKED: &str = "
nvlink info    : 0 bytes gmem (target: sm_90)
nvlink info    : Function properties for 'calls': (target: sm_90)
nvlink info    : used 40 registers, used 1 barriers, 200 stack, 1152 bytes smem, 548 bytes cmem[0], 0 bytes lmem (target: sm_90)
nvlink info    : Function properties for 'plain': (target: sm_90)
nvlink info    : used 8 registers, used 0 barriers, 0 stack, 0 bytes smem, 536 bytes cmem[0], 0 bytes lmem (target: sm_90)
nvlink info    : Function properties for 'through': (target: sm_90)
nvlink info    : used 40 registers, used 0 barriers, 208 stack, 0 bytes smem, 536 bytes cmem[0], 0 bytes lmem (target: sm_90)
";

fn evidence(unit: &str, log: &str, ptx: &str) -> Evidence {
    let arch = "sm_90".parse().unwrap();
    let look_up = |_: &str| ("k/heavy.cu".to_owned(), false, None);
    from_artefacts(&Artefacts { unit, arch, log, ptx, cubin: None, debug: false }, &look_up)
}

/// A link without a cubin that ended like this.
fn join(units: &mut [LinkUnit<'_>], end: LinkEnd<'_>) -> Refusal {
    join_with(units, end, &Map::new())
}

fn join_with(units: &mut [LinkUnit<'_>], end: LinkEnd<'_>, clashes: &Map<String, Vec<String>>) -> Refusal {
    let link = Linkage { arch: "sm_90".parse().unwrap(), end, cubin: None, clashes };
    merge_link(units, &link, &|_| ("k/heavy.cu".to_owned(), false, None))
}

/// Both units with this end of their link.
fn merged(end: LinkEnd<'_>) -> (Evidence, Refusal) {
    let mut kernels = evidence("k/calls.cu", KERNELS_LOG, KERNELS);
    let mut functions = evidence("k/heavy.cu", FUNCTIONS_LOG, FUNCTIONS);
    let mut units = [
        LinkUnit { evidence: &mut kernels, ptx: KERNELS, cubin: None, own: true },
        LinkUnit { evidence: &mut functions, ptx: FUNCTIONS, cubin: None, own: true },
    ];
    let refusal = join(&mut units, end);
    (kernels, refusal)
}

fn kernel<'a>(evidence: &'a Evidence, name: &str) -> &'a Kernel {
    evidence.kernels.iter().find(|kernel| kernel.name.mangled == name).unwrap()
}

fn open(evidence: &Evidence) -> Option<&Unlinked> {
    evidence.units[0].unlinked.as_ref()
}

fn reasons(open: &Unlinked) -> Vec<String> {
    assert!(open.why.iter().all(|reason| !reason.kernels.is_empty()));
    open.why.iter().map(|reason| reason.why.clone()).collect()
}

#[test]
fn linked_figures_win_and_the_compilers_are_kept() {
    let (evidence, refusal) = merged(LinkEnd::Linked(LINKED));
    let calls = kernel(&evidence, "calls");
    assert_eq!((calls.usage.registers, calls.link.compiled_registers()), (Some(40), Some(24)));
    assert_eq!(calls.usage.cumulative_stack_bytes, Some(200));
    // nvlink's 1152 bytes have the driver's 1024 in them
    assert_eq!(calls.usage.static_shared_bytes, Some(128));
    assert_eq!(kernel(&evidence, "plain").link.linked(), Some(true));
    assert_eq!((open(&evidence), refusal), (None, Refusal::default()));
}

#[test]
fn spills_of_another_units_functions_belong_to_the_kernels_that_call_them() {
    let (evidence, _) = merged(LinkEnd::Linked(LINKED));
    let calls = kernel(&evidence, "calls");
    let seen: Vec<_> =
        calls.functions.iter().map(|f| (f.name.mangled.as_str(), f.spill_store_bytes)).collect();
    assert_eq!(seen, [("deeper", Some(4)), ("heavy", Some(308))]);
    assert_eq!(calls.functions[1].place.as_ref().map(|place| place.file.as_str()), Some("k/heavy.cu"));
    assert_eq!(calls.dynamic_shared, Some(true));
    assert!(kernel(&evidence, "plain").functions.is_empty());
    assert_eq!(kernel(&evidence, "plain").dynamic_shared, Some(false));
}

#[test]
fn what_nothing_defines_leaves_only_its_callers_open() {
    let log = format!(
        "nvlink error   : Undefined reference to 'heavy' in '/w/calls.cubin' (target: sm_90)\n{LINKED}"
    );
    let mut evidence = evidence("k/calls.cu", KERNELS_LOG, KERNELS);
    let refusal = join(
        &mut [LinkUnit { evidence: &mut evidence, ptx: KERNELS, cubin: None, own: true }],
        LinkEnd::Refused(&log),
    );
    assert_eq!(refusal, Refusal::default());
    let calls = kernel(&evidence, "calls");
    assert_eq!(calls.link, Link::Preliminary { why: "nothing that was linked defines `heavy`".to_owned() });
    assert_eq!(calls.usage.registers, Some(24), "the compiler's figures stay");
    assert_eq!(kernel(&evidence, "plain").link.linked(), Some(true));
    // a call through a pointer may go anywhere
    assert_eq!(kernel(&evidence, "through").link.linked(), Some(false));
    let open = open(&evidence).unwrap();
    assert_eq!(
        (open.kernels.as_slice(), open.undefined.as_slice()),
        (&["calls".to_owned(), "through".to_owned()][..], &["heavy".to_owned()][..])
    );
}

#[test]
fn a_cap_that_is_too_small_is_the_kernels_remark() {
    let log = format!(
        "nvlink error   : entry function 'calls' with max regcount of 32 calls function 'heavy' with regcount of 107 \
         (target: sm_90)\n{LINKED}"
    );
    let (evidence, refusal) = merged(LinkEnd::Refused(&log));
    assert_eq!(refusal, Refusal { caps: true, ..Refusal::default() });
    let calls = kernel(&evidence, "calls");
    let kind = RemarkKind::CalleeNeedsRegisters { cap: 32, callee: "heavy".to_owned(), needs: 107 };
    assert_eq!(calls.remarks.iter().filter(|remark| remark.kind == kind).count(), 1);
    assert_eq!((calls.link.linked(), calls.usage.registers), (Some(false), Some(24)));
    assert_eq!(kernel(&evidence, "plain").link.linked(), Some(true));
    assert_eq!(open(&evidence), None, "the remark says it");
}

#[test]
fn any_other_refusal_leaves_all_kernels_open() {
    let log = "nvlink error   : Multiple definition of 'calls' in '/w/b.cubin', first defined in '/w/a.cubin'\n\
               nvlink fatal   : merge_elf failed\n";
    for (log, first) in [(log, "Multiple definition of 'calls'"), ("", "nvlink failed without saying why")] {
        let (evidence, refusal) = merged(LinkEnd::Refused(log));
        assert!(refusal.other[0].starts_with(first), "{refusal:?}");
        assert!(evidence.kernels.iter().all(|kernel| kernel.link.linked() == Some(false)));
        assert_eq!(open(&evidence).unwrap().kernels.len(), 3);
    }
}

#[test]
fn without_a_link_everything_is_preliminary() {
    let (evidence, _) = merged(LinkEnd::Not("nothing was linked"));
    assert_eq!(reasons(open(&evidence).unwrap()), ["nothing was linked"]);
    assert_eq!(kernel(&evidence, "plain").usage.registers, Some(8));
}

#[test]
fn a_report_of_nvlink_without_registers_is_not_final() {
    let broken = LINKED.replace("used ", "used 99999999999");
    assert_ne!(broken, LINKED);
    let (evidence, _) = merged(LinkEnd::Linked(&broken));
    assert_eq!(kernel(&evidence, "plain").link.linked(), Some(false));
    assert!(open(&evidence).is_some(), "the unit says so");
}

#[test]
fn a_kernel_that_nvlink_does_not_report_is_preliminary() {
    let (evidence, _) = merged(LinkEnd::Linked(&LINKED.replace("'plain'", "'other'")));
    assert_eq!(
        kernel(&evidence, "plain").link,
        Link::Preliminary { why: "nvlink does not report it".to_owned() }
    );
}

#[test]
fn recursion_through_another_unit_is_seen() {
    let functions = FUNCTIONS.replace("call.uni (r), deeper;", "call.uni (r), back;");
    let kernels = format!("{KERNELS}.visible .func (.param .b32 r) back() {{ call.uni (r), heavy, (p); }}\n");
    let mut of_kernels = evidence("k/calls.cu", KERNELS_LOG, &kernels);
    let mut of_functions = evidence("k/heavy.cu", FUNCTIONS_LOG, &functions);
    assert_eq!(kernel(&of_kernels, "calls").unbounded_stack, None);
    let mut units = [
        LinkUnit { evidence: &mut of_kernels, ptx: &kernels, cubin: None, own: true },
        LinkUnit { evidence: &mut of_functions, ptx: &functions, cubin: None, own: true },
    ];
    join(&mut units, LinkEnd::Linked(LINKED));
    let cycle = vec!["back".to_owned(), "heavy".to_owned()];
    assert_eq!(kernel(&of_kernels, "calls").unbounded_stack, Some(UnboundedStack::Recursion(cycle)));
}

#[test]
fn truncated_links_are_merged() {
    let log = format!("nvlink error   : Undefined reference to 'heavy' in 'x'\n{LINKED}");
    (0..log.len()).for_each(|end| drop(merged(LinkEnd::Refused(&log[..end]))));
}

#[test]
fn a_unit_that_was_linked_in_for_others_keeps_its_record() {
    let mut kernels = evidence("k/calls.cu", KERNELS_LOG, KERNELS);
    let mut functions = evidence("k/heavy.cu", FUNCTIONS_LOG, FUNCTIONS);
    let before = kernels.clone();
    let mut units = [
        LinkUnit { evidence: &mut kernels, ptx: KERNELS, cubin: None, own: false },
        LinkUnit { evidence: &mut functions, ptx: FUNCTIONS, cubin: None, own: true },
    ];
    join(&mut units, LinkEnd::Linked(LINKED));
    assert_eq!(kernels, before);
}

#[test]
fn a_function_that_only_follows_a_kernel_in_the_log_is_not_its_own() {
    let ptx = format!("{KERNELS}.visible .func aside() {{ ret; }}\n");
    let properties = |name: &str| {
        format!(
            "ptxas info : Function properties for {name}\n    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill \
             loads\n"
        )
    };
    let after = "ptxas info : Used 8 registers, used 0 barriers\n";
    let log =
        KERNELS_LOG.replace(after, &format!("{after}{}{}", properties("aside"), properties("slowpath")));
    let mut kernels = evidence("k/calls.cu", &log, &ptx);
    let names = |evidence: &Evidence| -> Vec<String> {
        kernel(evidence, "plain").functions.iter().map(|function| function.name.mangled.clone()).collect()
    };
    assert_eq!(names(&kernels), ["aside", "slowpath"]);
    join(
        &mut [LinkUnit { evidence: &mut kernels, ptx: &ptx, cubin: None, own: true }],
        LinkEnd::Linked(LINKED),
    );
    // the PTX does not know the slow path: the compiler made it for this kernel
    assert_eq!(names(&kernels), ["slowpath"]);
}

#[test]
fn what_several_units_define_is_said_with_the_units() {
    let log = format!(
        "nvlink error   : Undefined reference to 'heavy' in '/w/calls.cubin' (target: sm_90)\n{LINKED}"
    );
    let words = |units: &[&str]| {
        let units = units.iter().map(|&unit| unit.to_owned()).collect();
        let mut evidence = evidence("k/calls.cu", KERNELS_LOG, KERNELS);
        let own = LinkUnit { evidence: &mut evidence, ptx: KERNELS, cubin: None, own: true };
        join_with(&mut [own], LinkEnd::Refused(&log), &Map::from([("heavy".to_owned(), units)]));
        let open = open(&evidence).unwrap();
        assert!(open.clashes);
        reasons(open)
    };
    let direct = "`heavy` is defined in `a.cu` and in `b.cu`, and no program can have both";
    assert_eq!(
        words(&["a.cu", "b.cu"]),
        [direct.to_owned(), format!("it calls through a pointer, and {direct}")]
    );
    assert!(
        words(&["a", "b", "c"])[0]
            .ends_with("in `a`, in `b` and in `c`, and no program can have more than one of them")
    );
    assert!(words(&["a"])[0].contains("in `a` and in what is linked in"));
}

#[test]
fn a_report_for_another_architecture_is_a_problem() {
    let (evidence, refusal) = merged(LinkEnd::Linked(&LINKED.replace("(target: sm_90)", "(target: sm_80)")));
    assert_eq!(refusal.problems.len(), 3);
    assert_eq!(refusal.problems[0].to_string(), "the log reports `calls` for sm_80, not for sm_90");
    assert!(evidence.kernels.iter().all(|kernel| kernel.link.linked() == Some(false)));
    assert_eq!(kernel(&evidence, "calls").usage.registers, Some(24));
}

#[test]
fn a_link_changes_nothing_of_a_kernel_that_calls_nothing() {
    // nvlink 13.5 prints the barriers of another kernel
    let barriers = LINKED.replace("used 8 registers, used 0 barriers", "used 8 registers, used 5 barriers");
    let (evidence, refusal) = merged(LinkEnd::Linked(&barriers));
    assert_eq!((kernel(&evidence, "plain").usage.barriers, refusal), (Some(0), Refusal::default()));
    let (_, refusal) = merged(LinkEnd::Linked(&LINKED.replace("used 8 registers", "used 9 registers")));
    let problems: Vec<String> = refusal.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, ["`plain` uses 9 registers in the log and 8 in the cubin"]);
}
