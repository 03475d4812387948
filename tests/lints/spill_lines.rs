//! `spill`: the lines with the most spill instructions, in the right file, and spills to shared memory.

use std::sync::Arc;

use occlint::finding::Finding;
use occlint::kernel::{CodeLine, Kernel, SpillLine, SpillWitness, Spills, Unread};
use occlint::report::{self, HumanStyle};
use occlint::source::SourceText;

use crate::support::{bounded, configured, fired, function, input, kernel, placed, run, said, spilling};

/// A file whose line N is `    code on line N;`.
fn text(name: &str) -> Arc<SourceText> {
    let lines: String = (1..60).map(|n| format!("    code on line {n};\n")).collect();
    SourceText::new(name, lines)
}

fn at(file: &str, line: u32) -> CodeLine {
    let foreign = file.starts_with('/');
    CodeLine { file: file.to_owned(), line, foreign, text: (!foreign).then(|| text(file)) }
}

/// Spill instructions in the kernel's own code, at a chain of lines, innermost first.
fn line(chain: &[CodeLine], stores: u32, loads: u32) -> SpillLine {
    SpillLine {
        function: None,
        at: chain.first().cloned(),
        inlined_from: chain.iter().skip(1).cloned().collect(),
        stores,
        loads,
        shared_stores: 0,
        shared_loads: 0,
        hot: false,
    }
}

fn spills(lines: Vec<SpillLine>) -> Option<Spills> {
    let instructions = lines.iter().map(SpillLine::instructions).sum();
    let (witness, unread) = (SpillWitness::Annotations, Unread::default());
    Some(Spills { instructions, witness, adds_up: Some(true), lines, unread })
}

/// The only finding.
fn finding(kernel: Kernel) -> Finding {
    let mut report = run(input(vec![kernel]));
    assert_eq!(fired(&report), ["spill"]);
    report.findings.remove(0)
}

/// `file:line text` of each label.
fn labels(finding: &Finding) -> Vec<String> {
    finding.labels.iter().map(|label| format!("{}:{} {}", label.file, label.line, label.text)).collect()
}

const DEMO: &str = "kernels/a.cu";

/// The demonstration's spills on sm_90, as counted in its cubin: all inlined at line 3.
fn demo() -> Kernel {
    let mut demo = spilling(placed(bounded("forced_spill", "sm_90", 128, 8)), 980, 1124);
    let chain = |inner: u32| [at(DEMO, inner), at(DEMO, 3)];
    let mut hot = line(&chain(21), 80, 89);
    hot.hot = true;
    demo.spills = spills(vec![
        line(&chain(18), 200, 52),
        hot,
        line(&chain(25), 0, 63),
        line(&chain(26), 1, 34),
        line(&chain(19), 1, 0),
    ]);
    demo
}

#[test]
fn the_three_lines_with_the_most_are_labelled_after_the_bounds() {
    let finding = finding(demo());
    assert_eq!(
        labels(&finding),
        [
            "kernels/a.cu:3 leaves 64 registers per thread",
            "kernels/a.cu:18 252 of 520 spill instructions are on this line, inlined into `forced_spill` at line 3",
            "kernels/a.cu:21 169 of 520 spill instructions are on this line, in a loop, inlined into `forced_spill` at line 3",
            "kernels/a.cu:25 63 of 520 spill instructions are on this line, inlined into `forced_spill` at line 3",
        ]
    );
    let (source, range) = finding.labels[1].span.as_ref().expect("its text is known");
    assert_eq!(&source.text()[range.clone()], "code on line 18;");
    let others = "36 spill instructions are on other lines: 35 on kernels/a.cu:26 and 1 on kernels/a.cu:19";
    assert!(finding.notes.iter().any(|note| note == others), "{:?}", finding.notes);
}

#[test]
fn of_very_many_lines_the_rest_is_a_number() {
    let mut wide = spilling(placed(bounded("k", "sm_90", 128, 8)), 400, 400);
    wide.spills = spills((1..15).map(|n| line(&[at(DEMO, n)], 1, 1)).collect());
    let notes = finding(wide).notes;
    let others = notes.iter().find(|note| note.contains("other lines")).unwrap();
    assert!(
        others.starts_with("22 spill instructions are on other lines: 2 on kernels/a.cu:4, "),
        "{others}"
    );
    assert!(others.ends_with(" and 6 on 3 more lines"), "{others}");
}

#[test]
fn a_line_that_was_inlined_several_times_is_one() {
    let mut twice = spilling(placed(kernel("ns::k<int>", "sm_90")), 16, 16);
    let mut hot = line(&[at(DEMO, 18), at(DEMO, 40)], 2, 1);
    hot.hot = true;
    twice.spills = spills(vec![
        line(&[at(DEMO, 18), at(DEMO, 30)], 3, 1),
        hot,
        line(&[at(DEMO, 18), at(DEMO, 30)], 1, 0),
        line(&[at(DEMO, 50)], 0, 1),
    ]);
    assert_eq!(
        labels(&finding(twice))[1..],
        [
            "kernels/a.cu:18 8 of 9 spill instructions are on this line, in a loop, inlined into `k` at lines 30 and 40",
            "kernels/a.cu:50 1 of 9 spill instructions is on this line",
        ]
    );
    let mut often = spilling(placed(kernel("k", "sm_90")), 16, 16);
    often.spills = spills((30..40).map(|n| line(&[at(DEMO, 18), at(DEMO, n)], 1, 1)).collect());
    assert_eq!(
        labels(&finding(often))[1..],
        ["kernels/a.cu:18 20 of 20 spill instructions are on this line, inlined into `k` at 10 places"]
    );
}

#[test]
fn lines_in_a_header_are_shown_in_it() {
    let mut inlined = spilling(placed(bounded("k", "sm_90", 128, 8)), 16, 16);
    inlined.spills = spills(vec![line(&[at("kernels/mix.cuh", 7), at(DEMO, 3)], 4, 4)]);
    let finding = finding(inlined.clone());
    assert_eq!(
        labels(&finding)[1],
        "kernels/mix.cuh:7 8 of 8 spill instructions are on this line, inlined into `k` at kernels/a.cu:3"
    );
    let style = HumanStyle { width: 100, color: false, unicode: true, verbose: false, foreign: false };
    let human = report::human(&run(input(vec![inlined])), style);
    if cfg!(feature = "graphical") {
        assert!(human.contains("[kernels/a.cu:3:17]") && human.contains("[kernels/mix.cuh:7:5]"), "{human}");
        assert!(human.contains("code on line 7;") && human.contains("8 of 8 spill instructions"), "{human}");
    }
}

#[test]
fn a_librarys_line_is_shown_where_our_code_calls_it() {
    let mut library = spilling(placed(kernel("k", "sm_90")), 16, 16);
    library.spills = spills(vec![line(
        &[at("/usr/cub/load.cuh", 90), at("/usr/cub/x.cuh", 5), at(DEMO, 40), at(DEMO, 50)],
        4,
        4,
    )]);
    assert_eq!(
        labels(&finding(library))[1..],
        ["kernels/a.cu:40 8 of 8 spill instructions are on this line, inlined from /usr/cub/load.cuh:90, \
          inlined into `k` at line 50"]
    );
}

#[test]
fn instructions_without_a_line_are_counted_and_not_shown() {
    let mut blind = spilling(placed(kernel("k", "sm_90")), 16, 16);
    blind.spills = spills(vec![line(&[], 6, 4)]);
    assert_eq!(finding(blind).labels.len(), 1);
}

/// Kernels that call `heavy`, whose 51 spill instructions are on line 21.
fn callers(names: &[&str]) -> Vec<Kernel> {
    let caller = |name: &&str| {
        let mut caller = placed(bounded(name, "sm_90", 256, 6));
        let mut heavy = function("_Z5heavyPKfi", 196, 204);
        let source = text(DEMO);
        heavy.place = Some(occlint::kernel::Place {
            file: DEMO.to_owned(),
            line: 20,
            foreign: false,
            declarator: source.line_range(20),
            bounds: None,
            text: Some(source),
        });
        caller.functions.push(heavy);
        let own = SpillLine { function: Some("_Z5heavyPKfi".to_owned()), ..line(&[at(DEMO, 21)], 25, 26) };
        caller.spills = spills(vec![own]);
        caller
    };
    names.iter().map(caller).collect()
}

#[test]
fn a_device_functions_lines_are_shown_in_it() {
    let finding = finding(callers(&["kcall"]).remove(0));
    assert_eq!(
        labels(&finding),
        [
            "kernels/a.cu:20 the spills are in this function",
            "kernels/a.cu:3 leaves 40 registers per thread",
            "kernels/a.cu:21 51 of 51 spill instructions are on this line, in `heavy`",
        ]
    );
}

#[test]
fn kernels_that_call_the_same_function_are_one_group() {
    let report = run(input(callers(&["first", "second", "third"])));
    assert_eq!(report.findings.len(), 3);
    let groups = report::group(&report.findings);
    assert_eq!((groups.len(), groups[0].kernels), (1, 3));
    let short = report::short(&report, false);
    assert!(
        short
            .contains("kernels/a.cu:20:1: warning[occlint::spill]: `first` (one of 3 kernels at this place)"),
        "{short}"
    );
}

fn to_shared(stores: u32, loads: u32) -> SpillLine {
    SpillLine { shared_stores: stores, shared_loads: loads, ..line(&[at(DEMO, 21), at(DEMO, 3)], 0, 0) }
}

#[test]
fn spills_to_shared_memory_are_spills() {
    // smemspill8 on sm_90: 0 bytes printed, 5,632 bytes of shared memory that the source does not have
    let mut shared = placed(bounded("spill_shared_only", "sm_90", 128, 8));
    shared.usage.static_shared_bytes = Some(5632);
    shared.declared_shared_bytes = Some(0);
    shared.spills = spills(vec![to_shared(23, 23)]);
    let report = run(input(vec![shared.clone()]));
    assert_eq!(said(&report), ["warning[spill] `spill_shared_only` spills to shared memory on sm_90"]);
    assert_eq!(
        report.findings[0].notes,
        ["46 spill instructions go to shared memory and cost 5632 bytes of it per block"]
    );
    assert!(report.findings[0].help.as_deref().is_some_and(|help| help.contains("enable_smem_spilling")));

    let waived = "[[package.metadata.occlint.kernel]]\nname = \"spill_shared_only\"\nallow = [\"spill\"]\n";
    assert!(run(configured(vec![shared.clone()], waived)).findings.is_empty());

    // 423 bytes declared are followed by 9 of padding: measured, 6,576 used
    shared.declared_shared_bytes = Some(423);
    shared.usage.static_shared_bytes = Some(6576);
    assert!(finding(shared.clone()).notes[0].ends_with("cost 6144 bytes of it per block"));
    shared.declared_shared_bytes = None;
    assert_eq!(finding(shared.clone()).notes, ["46 spill instructions go to shared memory"]);
    shared.declared_shared_bytes = Some(6576 - 100);
    assert_eq!(
        finding(shared).notes,
        ["46 spill instructions go to shared memory"],
        "100 bytes are no registers"
    );
}

#[test]
fn some_spills_to_shared_memory_are_a_note() {
    let mut mixed = spilling(placed(bounded("spill_smem", "sm_90", 128, 16)), 404, 408);
    mixed.usage.static_shared_bytes = Some(9216);
    mixed.declared_shared_bytes = Some(0);
    mixed.spills = spills(vec![line(&[at(DEMO, 20)], 101, 102), to_shared(1, 0)]);
    let finding = finding(mixed);
    assert!(
        finding.message().contains("spills 404 bytes of stores and 408 bytes of loads"),
        "{}",
        finding.message()
    );
    assert_eq!(
        finding.notes,
        ["1 spill instruction goes to shared memory and costs 9216 bytes of it per block"]
    );
}

#[test]
fn spill_instructions_are_spills_where_bytes_are_unknown() {
    let mut unknown = placed(kernel("k", "sm_90"));
    unknown.usage.spill_store_bytes = None;
    unknown.usage.spill_load_bytes = None;
    unknown.spills = spills(vec![line(&[at(DEMO, 20)], 3, 4)]);
    let report = run(input(vec![unknown]));
    assert_eq!(said(&report), ["warning[spill] `k` has 7 spill instructions on sm_90"]);
    let mut none = kernel("k", "sm_90");
    none.spills = spills(vec![]);
    assert!(run(input(vec![none])).findings.is_empty());
}

#[test]
fn spills_that_are_not_known_are_a_note_of_those_that_are() {
    let mut open = demo();
    let unread = Unread { functions: vec!["far(float)".to_owned()], through_pointer: false };
    open.spills.as_mut().unwrap().unread = unread.clone();
    let words = "the spills of `far(float)` are unknown".to_owned();
    assert!(finding(open).notes.contains(&words));
    // also where no instruction is known, and no finding where nothing else is
    let none = Some(Spills { unread, ..spills(Vec::new()).unwrap() });
    let bytes = Kernel { spills: none.clone(), ..spilling(placed(kernel("k", "sm_90")), 16, 16) };
    assert!(finding(bytes).notes.contains(&words));
    let nothing = Kernel { spills: none, ..placed(kernel("k", "sm_90")) };
    assert!(fired(&run(input(vec![nothing]))).is_empty());
}
