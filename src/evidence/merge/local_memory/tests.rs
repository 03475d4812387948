use std::sync::Arc;

use super::super::{Artefacts, from_artefacts};
use crate::source::SourceText;

const SOURCE: &str = "\
__device__ float inner(float* o, int k) {
  float s[16]; return s[k];
}
__global__ void k(float* o, int k) {
  float t[8];
  t[k] = inner(o, k) + cos(o[1]);
  byref(t);
}
";

fn look_up(_: &str) -> (String, bool, Option<Arc<SourceText>>) {
    ("k.cu".to_owned(), false, Some(SourceText::new("k.cu", SOURCE)))
}

/// A function with a depot of so many bytes, an array in it that is used on a line, and calls.
fn function(name: &str, depot: u32, line: u32, calls: &[&str]) -> String {
    let head = if name == "k" { ".visible .entry" } else { ".func" };
    let depot = if depot == 0 {
        String::new()
    } else {
        format!(
            ".local .align 8 .b8 __local_depot0[{depot}];\nmov.u64 %SPL, __local_depot0;\nadd.u64 %rd1, %SPL, 0;\n\
             .loc 1 {line} 3\nadd.s64 %rd2, %rd1, %rd9;\nst.local.f32 [%rd2], %f1;\n"
        )
    };
    let calls: String = calls.iter().map(|name| format!("call.uni {name}, ();\n")).collect();
    format!("{head} {name}()\n{{\n.loc 1 4 0\n{depot}{calls}ret;\n}}\n")
}

/// What the frame of kernel `k` holds: `kind bytes name line` each; `frame`: what ptxas reports of it.
fn held(functions: &[String], frame: &str) -> Option<Vec<String>> {
    held_with(functions, frame, "")
}

fn held_with(functions: &[String], frame: &str, more: &str) -> Option<Vec<String>> {
    let ptx = format!(".target sm_90\n{}.file 1 \"k.cu\"\n", functions.concat());
    let log = format!(
        "ptxas info : Compiling entry function 'k' for 'sm_90'\nptxas info : Function properties for k\n    {frame}\n\
         ptxas info : Used 24 registers\n{more}"
    );
    let arch = "sm_90".parse().unwrap();
    let artefacts = Artefacts { unit: "k.cu", arch, log: &log, ptx: &ptx, cubin: None, debug: false };
    let evidence = from_artefacts(&artefacts, &look_up);
    let all = evidence.kernels[0].local_memory.as_ref()?;
    let text = |option: Option<String>| option.unwrap_or_else(|| "-".to_owned());
    let line = |one: &crate::kernel::LocalMemory| {
        let (bytes, at) = (one.bytes.map(|n| n.to_string()), one.at.as_ref().map(|at| at.line.to_string()));
        format!("{} {} {} {}", one.kind.word(), text(bytes), text(one.name.clone()), text(at))
    };
    Some(all.iter().map(line).collect())
}

fn clean(bytes: u32) -> String {
    format!("{bytes} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
}

#[test]
fn a_depot_that_was_resolved_is_no_local_memory() {
    let k = [function("k", 32, 6, &[])];
    assert_eq!(held(&k, &clean(0)), Some(vec![]));
    assert_eq!(held(&k, &clean(32)).unwrap(), ["array 32 t 5"]);
}

#[test]
fn frames_of_callees_are_the_kernels() {
    // measured with ptxas 13.0 and 13.5: a chain adds up, two callees side by side share the larger one's room
    let chain =
        [function("inner", 64, 2, &[]), function("mid", 96, 0, &["inner"]), function("k", 0, 0, &["mid"])];
    assert_eq!(held(&chain, &clean(160)).unwrap(), ["array 64 s 2", "array 96 - -"]);
    let beside = [
        function("inner", 64, 2, &[]),
        function("other", 80, 0, &[]),
        function("k", 0, 0, &["inner", "other"]),
    ];
    assert_eq!(held(&beside, &clean(80)).unwrap(), ["array 64 s 2", "array 80 - -"]);
    let own = [function("inner", 64, 2, &[]), function("k", 28, 0, &["inner"])];
    assert_eq!(held(&own, &clean(96)).unwrap(), ["array 64 s 2", "array 28 - -"]);
}

#[test]
fn a_smaller_frame_says_which_depot_was_resolved() {
    let own = [function("inner", 64, 2, &[]), function("k", 32, 6, &["inner"])];
    assert_eq!(held(&own, &clean(64)).unwrap(), ["array 64 s 2"]);
    assert_eq!(held(&own, &clean(32)).unwrap(), ["array 32 t 5"]);
    assert_eq!(held(&own, &clean(48)).unwrap(), ["unknown 48 - -"]);
}

#[test]
fn a_frame_without_a_depot_is_the_calls() {
    assert_eq!(
        held(&[function("k", 0, 0, &["_Z5outerv"])], &clean(72)).unwrap(),
        ["call-frame 72 outer() -"]
    );
    assert_eq!(held(&[function("k", 0, 0, &["%rd5"])], &clean(72)).unwrap(), ["call-frame 72 - -"]);
    assert_eq!(held(&[function("k", 0, 0, &[])], &clean(72)).unwrap(), ["unknown 72 - -"]);
}

#[test]
fn spills_may_fill_a_frame() {
    let spilled = |frame: u32, stores: u32| {
        format!("{frame} bytes stack frame, {stores} bytes spill stores, 8 bytes spill loads")
    };
    let array = [function("k", 32, 6, &[])];
    assert_eq!(
        held(&array, &spilled(352, 548)).unwrap(),
        ["unknown - t 5"],
        "nothing says whether the array is in it"
    );
    assert_eq!(held(&array, &spilled(96, 52)).unwrap(), ["array 32 t 5"], "52 bytes fill at most 64");
    let plain = [function("k", 0, 0, &[])];
    assert_eq!(held(&plain, &spilled(352, 548)), Some(vec![]));
    assert_eq!(held(&plain, "8 bytes cumulative stack size"), None, "unknown figures");
}

#[test]
fn a_function_with_its_own_frame_holds_its_own_depot() {
    let more = "ptxas info : Function properties for inner\n    136 bytes stack frame, 52 bytes spill stores, 52 bytes spill loads\n";
    let recursive = [function("inner", 64, 2, &["inner"]), function("k", 0, 0, &["inner"])];
    assert_eq!(held_with(&recursive, &clean(0), more).unwrap(), ["array 64 s 2"]);
}

#[test]
fn the_slow_path_is_named_after_the_function_in_the_source() {
    let slow = "__internal_trig_reduction_slowpathd";
    let k = function("k", 0, 0, &[slow]).replace("call", ".loc 1 6 3\ncall");
    assert_eq!(held(&[function(slow, 40, 0, &[]), k], &clean(40)).unwrap(), ["slow-path 40 cos 6"]);
}

#[test]
fn an_address_that_a_function_gets() {
    let k = function("k", 32, 6, &["_Z5byrefPf"])
        .replace("call", ".loc 1 7 3\nst.param.b64 [param0], %rd1;\ncall");
    assert_eq!(held(&[k], &clean(32)).unwrap(), ["address-taken 32 byref(float*) 7"]);
}
