//! Lints about what the compiler used: `spill`, `register-budget`, `register-step`, `local-memory`, `unbounded-stack`.

use occlint::kernel::{CodeLine, Kernel, LocalKind, LocalMemory, RemarkKind, Severity, UnboundedStack};
use occlint::source::SourceText;

use crate::support::{
    bounded, configured, fired, function, input, kernel, placed, remark, run, said, says, spilling,
};

#[test]
fn spilled_bytes_are_named_and_the_cap_is_arithmetic() {
    // the suite's spiller on sm_90: 16 × 4 warps leave 1,024 registers to a warp
    let mut spiller = spilling(placed(bounded("spiller", "sm_90", 128, 16)), 552, 584);
    spiller.usage.registers = Some(32);
    let report = run(input(vec![spiller]));
    assert_eq!(
        said(&report),
        ["warning[spill] `spiller` spills 552 bytes of stores and 584 bytes of loads per thread on sm_90"]
    );
    assert_eq!(report.findings[0].labels[0].text, "leaves 32 registers per thread");
    assert_eq!(report.findings[0].weight, 1136);
    let help = report.findings[0].help.as_deref().expect("help");
    assert!(help.ends_with("measure both"), "{help}");
    assert_eq!(report.kernels[0].residency.expect("known").blocks, 16);
}

#[test]
fn caps_that_the_bounds_leave() {
    let label = |threads: u32, blocks: u32, arch: &str| {
        let report = run(input(vec![spilling(placed(bounded("k", arch, threads, blocks)), 4, 4)]));
        report.findings[0].labels[0].text.clone()
    };
    // measured with ptxas: (128, 8) 64, (128, 5) 96, (128, 4) 128; a block of 1,024 threads 64
    assert_eq!(label(128, 8, "sm_90"), "leaves 64 registers per thread");
    assert_eq!(label(128, 5, "sm_90"), "leaves 96 registers per thread");
    assert_eq!(label(128, 4, "sm_90"), "leaves 128 registers per thread");
    assert_eq!(label(1024, 0, "sm_90"), "leaves 64 registers per thread");
    assert_eq!(label(1024, 0, "sm_62"), "leaves 32 registers per thread");
    assert_eq!(label(128, 0, "sm_90"), "");
}

#[test]
fn a_dropped_bound_leaves_nothing() {
    let mut dropped = spilling(placed(bounded("k", "sm_120", 128, 16)), 4, 4);
    dropped.remarks.push(remark(
        RemarkKind::MinBlocksIgnored { with_threads: false },
        Severity::Warning,
        "ignored",
    ));
    let report = run(input(vec![dropped]));
    let spill = report.findings.iter().find(|f| f.lint == "spill").expect("fires");
    assert_eq!(spill.labels[0].text, "");
}

#[test]
fn spills_of_a_device_function_name_both() {
    let mut caller = placed(kernel("caller", "sm_90"));
    caller.functions.push(function("_Z6calleefi", 196, 204));
    caller.functions.push(function("_Z5quietf", 0, 0));
    let report = run(input(vec![caller]));
    assert_eq!(
        said(&report),
        [
            "warning[spill] `caller` calls `callee(float, int)`, which spills 196 bytes of stores and 204 bytes of \
          loads per thread on sm_90"
        ]
    );
}

#[test]
fn one_kernel_has_one_finding_about_spills() {
    let mut caller = spilling(kernel("caller", "sm_90"), 8, 4);
    caller.functions.push(function("_Z1af", 16, 20));
    caller.functions.push(function("_Z1bf", 40, 44));
    let report = run(input(vec![caller.clone()]));
    assert_eq!(
        said(&report),
        ["warning[spill] `caller` spills 8 bytes of stores and 4 bytes of loads per thread on sm_90"]
    );
    assert_eq!(
        report.findings[0].notes,
        [
            "`b(float)`, which it calls, spills 40 bytes of stores and 44 bytes of loads per thread",
            "`a(float)`, which it calls, spills 16 bytes of stores and 20 bytes of loads per thread",
        ]
    );
    assert_eq!(report.findings[0].weight, 12 + 36 + 84);
    let allow = |max: u32| {
        format!(
            "[[package.metadata.occlint.kernel]]\nname = \"caller\"\nallow = [{{ lint = \"spill\", max = {max}, reason = \"cold\" }}]\n"
        )
    };
    assert!(run(configured(vec![caller.clone()], &allow(44))).findings.is_empty());
    assert_eq!(fired(&run(configured(vec![caller], &allow(43)))), ["spill"]);
}

#[test]
fn unknown_spills_are_no_finding() {
    let mut unknown = kernel("k", "sm_90");
    unknown.usage.spill_store_bytes = None;
    unknown.usage.spill_load_bytes = None;
    assert!(says(vec![unknown]).is_empty());
}

const BUDGET: &str = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nmax-registers = 64\n";

#[test]
fn registers_above_the_budget() {
    let mut over = kernel("k", "sm_90");
    over.usage.registers = Some(65);
    let report = run(configured(vec![over], BUDGET));
    assert_eq!(fired(&report), ["register-budget"]);
    let message = &said(&report)[0];
    assert!(message.starts_with("error[register-budget] `k` uses 65 registers"), "{message}");
    assert!(message.ends_with("its budget is 64"), "{message}");
    let mut at = kernel("k", "sm_90");
    at.usage.registers = Some(64);
    assert!(run(configured(vec![at], BUDGET)).findings.is_empty());
}

#[test]
fn unknown_registers_do_not_meet_a_budget() {
    let mut unknown = kernel("k", "sm_90");
    unknown.usage.registers = None;
    assert_eq!(fired(&run(configured(vec![unknown], BUDGET))), ["register-budget"]);
}

#[test]
fn local_memory_of_unknown_kind_is_allowed_by_default() {
    let mut array = kernel("k", "sm_90");
    array.usage.stack_frame_bytes = Some(16);
    assert!(says(vec![array.clone()]).is_empty());
    let warn = "[package.metadata.occlint.lints]\nlocal-memory = \"warn\"\n";
    let report = run(configured(vec![array], warn));
    assert_eq!(fired(&report), ["local-memory"]);
    assert!(said(&report)[0].contains("16 bytes of local memory"), "{:?}", said(&report));

    assert_eq!(fired(&run(configured(vec![spilling(kernel("k", "sm_90"), 16, 16)], warn))), ["spill"]);
    let mut unknown = kernel("k", "sm_90");
    unknown.usage.stack_frame_bytes = Some(16);
    unknown.usage.spill_store_bytes = None;
    assert!(run(configured(vec![unknown], warn)).findings.is_empty());
    assert!(run(configured(vec![kernel("k", "sm_90")], warn)).findings.is_empty());
}

fn local(kind: LocalKind, bytes: u32, name: Option<&str>) -> LocalMemory {
    LocalMemory { kind, bytes: Some(bytes), name: name.map(str::to_owned), at: None }
}

fn with_local(frame: u32, memory: Vec<LocalMemory>) -> Kernel {
    let mut kernel = placed(kernel("k", "sm_90"));
    kernel.usage.stack_frame_bytes = Some(frame);
    kernel.local_memory = Some(memory);
    kernel
}

#[test]
fn local_memory_is_told_apart() {
    use LocalKind::{AddressTaken, Array, CallFrame, Printf, SlowPath};
    let kinds = |memory: Vec<LocalMemory>| {
        let warn = "[package.metadata.occlint.lints]\nlocal-memory = \"warn\"\n";
        said(&run(configured(vec![with_local(80, memory)], warn))).join("\n")
    };
    let start = "warning[local-memory] `k` keeps";
    let end = "in 80 bytes of local memory per thread on sm_90";
    for (memory, words) in [
        (vec![local(Array, 80, Some("s"))], "the dynamically indexed array `s`"),
        (vec![local(Array, 80, None)], "a dynamically indexed array"),
        (
            vec![local(Array, 64, Some("a")), local(Array, 16, Some("b"))],
            "the dynamically indexed arrays `a` and `b`",
        ),
        (vec![local(Array, 64, Some("s")), local(Array, 16, Some("s"))], "2 dynamically indexed arrays `s`"),
        (
            vec![local(Array, 64, Some("a")), local(Array, 16, None)],
            "2 dynamically indexed arrays, among them `a`,",
        ),
        (vec![local(AddressTaken, 80, Some("f(int&)"))], "a value whose address goes to `f(int&)`"),
        (vec![local(AddressTaken, 80, None)], "a value whose address is taken"),
        (vec![local(CallFrame, 80, None)], "the frame of a call"),
        (
            vec![local(SlowPath, 28, Some("sinf")), local(SlowPath, 40, Some("cos"))],
            "the slow path of `sinf` and `cos`",
        ),
        (vec![local(SlowPath, 80, None)], "the slow path of a trigonometric function"),
        (
            vec![local(Array, 64, Some("s")), local(Printf, 16, None)],
            "the dynamically indexed array `s` and the arguments of `printf`",
        ),
    ] {
        assert_eq!(kinds(memory), format!("{start} {words} {end}"));
    }
}

#[test]
fn arrays_and_taken_addresses_warn_and_the_other_kinds_are_allowed() {
    for (kind, warns) in [
        (LocalKind::Array, true),
        (LocalKind::AddressTaken, true),
        (LocalKind::CallFrame, false),
        (LocalKind::SlowPath, false),
        (LocalKind::Printf, false),
        (LocalKind::Unknown, false),
    ] {
        let report = run(input(vec![with_local(16, vec![local(kind, 16, None)])]));
        assert_eq!(!report.findings.is_empty(), warns, "{kind:?}");
    }
    let mixed = vec![local(LocalKind::Array, 64, None), local(LocalKind::Printf, 16, None)];
    assert_eq!(fired(&run(input(vec![with_local(80, mixed)]))), ["local-memory"]);
    assert!(says(vec![with_local(16, vec![])]).is_empty(), "a frame of spills alone");
}

#[test]
fn an_array_that_spills_may_hide_is_said_where_asked_for_and_never_exceeds_a_ceiling() {
    let maybe = LocalMemory { bytes: None, ..local(LocalKind::Unknown, 0, Some("s")) };
    let kernel = || spilling(with_local(352, vec![maybe.clone()]), 548, 548);
    let quiet = "[package.metadata.occlint.lints]\nspill = \"allow\"\n";
    assert!(run(configured(vec![kernel()], quiet)).findings.is_empty());
    let asked = format!("{quiet}local-memory = \"deny\"\n");
    let report = run(configured(vec![kernel()], &asked));
    assert_eq!(said(&report), ["error[local-memory] `k` may keep `s` in local memory on sm_90"]);
    let notes = &report.findings[0].notes;
    assert_eq!(
        notes.first().map(String::as_str),
        Some("kind unknown: the frame of 548 bytes can hold it, or spills alone")
    );
    let waived =
        "[[package.metadata.occlint.kernel]]\nname = \"k\"\nallow = [{ lint = \"local-memory\", max = 4 }]\n";
    assert!(run(configured(vec![kernel()], &(asked + waived))).findings.is_empty());
}

#[test]
fn local_memory_beside_spills_is_the_sum_of_its_parts() {
    let mut both = spilling(with_local(0, vec![local(LocalKind::Array, 64, Some("s"))]), 52, 52);
    both.usage.stack_frame_bytes = Some(136);
    let report = run(input(vec![both]));
    assert_eq!(fired(&report), ["local-memory", "spill"]);
    assert!(said(&report)[0].contains("`s` in 64 bytes of local memory"), "{:?}", said(&report));
    let allow = |max: u32| {
        format!(
            "[[package.metadata.occlint.kernel]]\nname = \"k\"\nallow = [{{ lint = \"local-memory\", max = {max}, reason = \"fastest\" }}]\n"
        )
    };
    let array = with_local(80, vec![local(LocalKind::Array, 80, None)]);
    assert!(run(configured(vec![array.clone()], &allow(80))).findings.is_empty());
    assert_eq!(fired(&run(configured(vec![array], &allow(79)))), ["local-memory"]);
}

#[test]
fn an_array_is_labelled_where_it_is_declared() {
    let text = SourceText::new("kernels/table.cuh", "// head\n  float s[16], ss;\n");
    let at = CodeLine { file: "kernels/table.cuh".to_owned(), line: 2, foreign: false, text: Some(text) };
    let array = LocalMemory { at: Some(at), ..local(LocalKind::Array, 64, Some("s")) };
    let report = run(input(vec![with_local(64, vec![array])]));
    let label = &report.findings[0].labels[0];
    let (source, range) = label.span.as_ref().expect("its text is known");
    assert_eq!((label.file.as_str(), label.line), ("kernels/table.cuh", 2));
    assert_eq!(&source.text()[range.start..range.end + 4], "s[16]");
    assert_eq!(label.text, "64 bytes: is indexed with values known at run time only");
}

#[test]
fn stacks_without_a_bound() {
    let with = |why: UnboundedStack| {
        let mut kernel = kernel("recursive", "sm_120");
        kernel.unbounded_stack = Some(why);
        said(&run(input(vec![kernel]))).join("\n")
    };
    assert!(
        with(UnboundedStack::Reported)
            .starts_with("warning[unbounded-stack] the stack of `recursive` on sm_120")
    );
    assert!(with(UnboundedStack::Recursion(vec!["fib(int)".to_owned()])).contains("`fib(int)`"));
    assert!(with(UnboundedStack::IndirectCall).contains("calls through a pointer"));
}

const STEP: &str = "[package.metadata.occlint.lints]\nregister-step = \"warn\"\n";

fn with_registers(registers: u32) -> Vec<String> {
    let mut kernel = bounded("k", "sm_90", 256, 0);
    kernel.usage.registers = Some(registers);
    said(&run(configured(vec![kernel], STEP)))
}

#[test]
fn steps_of_registers() {
    // 256 threads on sm_90: up to 64 registers 4 blocks, up to 80 3 blocks
    assert!(with_registers(65)[0].contains("is 1 register away from fitting 4 blocks per SM"));
    assert!(with_registers(68)[0].contains("is 4 registers away from fitting 4 blocks per SM"));
    assert!(with_registers(69).is_empty());
    assert!(with_registers(64)[0].contains("at 64 registers would fit 3 blocks per SM with one more"));
    assert!(with_registers(63).is_empty());
    let mut quiet = bounded("k", "sm_90", 256, 0);
    quiet.usage.registers = Some(65);
    assert!(says(vec![quiet]).is_empty(), "allowed by default");
}

#[test]
fn advice_on_spills_names_what_can_matter() {
    let help = |kernel: occlint::kernel::Kernel| run(input(vec![kernel])).findings[0].help.clone().unwrap();
    let spills = |kernel| spilling(kernel, 8, 8);
    assert!(help(spills(bounded("k", "sm_90", 128, 8))).starts_with("try fewer min blocks"));
    let mut capped = spills(kernel("k", "sm_90"));
    capped.bounds.max_registers = Some(32);
    assert!(help(capped).starts_with("try a higher register cap"));
    let mut free = spills(kernel("k", "sm_90"));
    free.usage.registers = Some(255);
    assert!(help(free.clone()).starts_with("nothing caps its registers but the architecture"));
    // something that is no bound of its own: the unit's cap
    free.usage.registers = Some(32);
    assert!(help(free).starts_with("try a higher register cap"));
}
