//! Figures that are known from elsewhere: the compiler's log, and what was counted by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use occlint::evidence::cubin::{spills, spills_of};
use occlint::evidence::ptxas_log::{Log, LogFunction};
use occlint::kernel::{SpillLine, SpillWitness, Spills};
use occlint::source::SourceText;

use crate::units::{BUILT, Built, built};

fn entries(log: &Log) -> impl Iterator<Item = &LogFunction> {
    log.functions.iter().filter(|function| function.entry && function.name.is_some())
}

/// Bytes that the log has for a function; of device functions that several kernels have, the largest.
fn bytes(log: &Log, name: &str) -> Option<(u32, u32)> {
    let named = log.functions.iter().filter(|function| function.name.as_deref() == Some(name));
    named.filter_map(|one| Some((one.usage.spill_store_bytes?, one.usage.spill_load_bytes?))).max()
}

fn look_up(path: &str) -> (String, bool, Option<Arc<SourceText>>) {
    (path.rsplit('/').next().unwrap_or(path).to_owned(), false, None)
}

fn spills_in(built: &Built, part: &str) -> Spills {
    let named = |function: &&LogFunction| function.name.as_deref().is_some_and(|name| name.contains(part));
    let name = entries(&built.log).find(named).and_then(|function| function.name.as_deref()).unwrap();
    spills_of(&built.cubin, name, &|name| bytes(&built.log, name), &look_up).unwrap()
}

#[test]
fn resources_are_those_of_the_log() {
    let mut kernels = 0;
    for built in BUILT.iter() {
        for logged in entries(&built.log) {
            let name = logged.name.as_deref().unwrap();
            let function = &built.cubin.functions[built.cubin.find(name).unwrap()];
            let usage = &logged.usage;
            assert!(function.entry, "{name}");
            assert_eq!(function.registers, usage.registers, "{name} {}", built.arch);
            assert_eq!(function.barriers, usage.barriers, "{name} {}", built.arch);
            let shared = Some(usage.static_shared_bytes.unwrap_or(0));
            assert_eq!(function.static_shared_bytes, shared, "{name} {} {}", built.arch, built.release);
            kernels += 1;
        }
        let kernels_of_cubin = built.cubin.functions.iter().filter(|function| function.entry).count();
        assert_eq!(kernels_of_cubin, entries(&built.log).count());
        assert_eq!(built.cubin.linked, built.stem != "rdc");
        assert_eq!(built.cubin.arch.to_string(), built.arch.trim_end_matches('a'));
    }
    assert!(kernels > 250, "{kernels}");
}

#[test]
fn spills_move_the_bytes_of_the_log() {
    for built in BUILT.iter() {
        for function in &built.cubin.functions {
            let Some(bytes) = bytes(&built.log, &function.name) else { continue };
            assert!(spills(function, Some(bytes)).exact, "{} {} {bytes:?}", function.name, built.arch);
        }
    }
}

#[test]
fn the_profiled_kernel_spills_on_five_lines() {
    let spills = spills_in(built("13.5", "all", "sm_90"), "12forced_spill");
    assert_eq!((spills.instructions, spills.witness), (520, SpillWitness::Annotations));
    let mut by_line = BTreeMap::new();
    for line in &spills.lines {
        let at = line.at.as_ref().unwrap();
        assert_eq!((at.file.as_str(), line.function.as_deref()), ("demo.cu", None));
        let chain: Vec<_> = line.inlined_from.iter().map(|at| (at.file.as_str(), at.line)).collect();
        assert_eq!(chain, [("demo.cu", 28)]);
        *by_line.entry(at.line).or_insert(0) += line.instructions();
    }
    assert_eq!(by_line, BTreeMap::from([(18, 252), (19, 1), (21, 169), (25, 63), (26, 35)]));
    let stores_and_loads = |get: fn(&SpillLine) -> u32| spills.lines.iter().map(get).sum::<u32>();
    // 980 bytes of stores and 1124 of loads, some of them 8 bytes wide.
    assert!(stores_and_loads(|line| line.stores) <= 245 && stores_and_loads(|line| line.loads) <= 281);
    assert_eq!(stores_and_loads(|line| line.shared_stores + line.shared_loads), 0);
    // Most first; the loop over `k` is not unrolled, what is around it is.
    assert!(spills.lines.is_sorted_by_key(|line| std::cmp::Reverse(line.instructions())));
}

#[test]
fn local_memory_without_spills_is_none() {
    for built in BUILT.iter().filter(|built| built.stem == "all") {
        for kernel in
            ["nospill6k_sinf", "nospill5k_cos", "nospill8k_printf", "nospill5k_lut", "nospill7k_byref"]
        {
            let spills = spills_in(built, kernel);
            assert_eq!((spills.instructions, spills.lines.len()), (0, 0), "{kernel} {}", built.arch);
        }
    }
}

#[test]
fn spills_to_shared_memory_are_counted() {
    let built = built("13.5", "all", "sm_90");
    let spills = spills_in(built, "17spill_shared_only");
    assert_eq!((spills.instructions, spills.witness), (46, SpillWitness::Annotations));
    let shared: u32 = spills.lines.iter().map(|line| line.shared_stores + line.shared_loads).sum();
    assert_eq!(shared, 46);
    // The log's bytes are 0, the shared memory is not in the source.
    let name = entries(&built.log).filter_map(|one| one.name.as_deref()).find(|n| n.contains("shared_only"));
    let function = &built.cubin.functions[built.cubin.find(name.unwrap()).unwrap()];
    assert_eq!((function.static_shared_bytes, bytes(&built.log, name.unwrap())), (Some(5632), Some((0, 0))));
    let mixed = spills_in(built, "9smemspill10spill_smem");
    let shared: u32 = mixed.lines.iter().map(|line| line.shared_stores + line.shared_loads).sum();
    assert!(shared > 0 && mixed.instructions > shared, "{shared} of {}", mixed.instructions);
}

#[test]
fn a_callees_spills_belong_to_it_and_its_kernel() {
    for (arch, instructions) in
        [("sm_80", (200 + 204) / 4), ("sm_90", (196 + 204) / 4), ("sm_120", (192 + 200) / 4)]
    {
        let spills = spills_in(built("13.5", "all", arch), "12callee_spill5kcall");
        assert!(spills.instructions <= instructions && spills.instructions > instructions / 2, "{spills:?}");
        for line in &spills.lines {
            assert_eq!(line.function.as_deref(), Some("_ZN12callee_spill5heavyEPKfi"));
            assert_eq!(line.at.as_ref().unwrap().file, "callee_spill.cu");
            // The compiler gives the function's first instructions to the line of the kernel, 10.
            let line = line.at.as_ref().map(|at| at.line);
            assert!(matches!(line, Some(3..=10)), "{line:?}");
        }
        assert!(spills.lines.iter().any(|line| line.hot));
    }
}

#[test]
fn a_relocatable_kernel_calls_a_function_with_its_own_section() {
    let built = built("13.5", "rdc", "sm_120");
    let kernel = built.cubin.find("_Z2rkPfi").unwrap();
    let callee = built.cubin.find("_Z3extfi").unwrap();
    assert_eq!(built.cubin.functions[kernel].calls, [callee]);
    assert_eq!(built.cubin.functions[kernel].registers, Some(24));
    assert!(!built.cubin.functions[callee].entry);
}

#[test]
fn bounds_are_kept_as_declared() {
    let built = built("13.5", "all", "sm_120");
    let of = |name: &str| built.cubin.functions[built.cubin.find(name).unwrap()].max_threads;
    assert_eq!(of("_ZN5suite7boundedEPfPKf"), Some([256, 1, 1]));
    assert_eq!(of("_ZN5suite11local_arrayEPfii"), None);
}
