//! Spill instructions, local memory, lines and loops are those that nvdisasm shows.

use std::collections::BTreeSet;

use occlint::evidence::cubin::Access;

use crate::compare::{chain, collected, in_section};
use crate::disassembler::{Code, code, in_loops};
use crate::units::{BUILT, Built};

fn each_section(check: impl Fn(&Built, &str, &Code, &[usize])) {
    for built in BUILT.iter() {
        let code = code(&built.lines, &built.annotated);
        assert!(!code.is_empty());
        for section in code.keys() {
            check(built, section, &code, &in_section(&built.cubin, section, &code));
        }
    }
}

#[test]
fn spills_are_what_nvdisasm_marks() {
    let total = std::cell::Cell::new(0);
    each_section(|built, section, code, functions| {
        let ours = collected(&built.cubin, functions, |function| &function.annotated);
        let marked: BTreeSet<u32> =
            code[section].iter().filter(|(_, one)| one.spill).map(|(&offset, _)| offset).collect();
        assert_eq!(ours.keys().copied().collect::<BTreeSet<_>>(), marked, "{section} {}", built.arch);
        total.set(total.get() + marked.len());
    });
    assert!(total.get() > 5000, "{}", total.get());
}

#[test]
fn local_memory_is_what_nvdisasm_shows() {
    each_section(|built, section, code, functions| {
        let ours = collected(&built.cubin, functions, |function| &function.local);
        let ours: Vec<_> = ours.values().map(|op| (op.offset, op.access, op.bytes)).collect();
        let shown = code[section].iter().filter_map(|(&offset, one)| match one.opcode() {
            "STL" => Some((offset, Access::LocalStore, one.bytes())),
            "LDL" => Some((offset, Access::LocalLoad, one.bytes())),
            _ => None,
        });
        assert_eq!(ours, shown.collect::<Vec<_>>(), "{section} {}", built.arch);
    });
}

#[test]
fn spills_do_what_nvdisasm_shows() {
    each_section(|built, section, code, functions| {
        let ours = collected(&built.cubin, functions, |function| &function.annotated);
        for (offset, op) in ours {
            let shown = &code[section][&offset];
            let access = match shown.opcode() {
                "STL" => Access::LocalStore,
                "LDL" => Access::LocalLoad,
                "STS" => Access::SharedStore,
                "LDS" => Access::SharedLoad,
                _ => Access::Other,
            };
            assert_eq!((op.access, op.bytes), (access, shown.bytes()), "{section} {}: {shown:?}", built.arch);
        }
    });
}

#[test]
fn lines_and_chains_are_those_of_nvdisasm() {
    let deepest = std::cell::Cell::new(0);
    each_section(|built, section, code, functions| {
        for &index in functions {
            let function = &built.cubin.functions[index];
            for op in function.annotated.iter().chain(&function.local) {
                let ours = chain(&built.cubin, op);
                let shown = &code[section][&op.offset].chain;
                assert_eq!(&ours, shown, "{section} {} {:#x} {}", built.arch, op.offset, built.release);
                assert!(!ours.is_empty());
                deepest.set(deepest.get().max(ours.len()));
            }
        }
    });
    assert!(deepest.get() >= 2);
}

#[test]
fn loops_are_those_of_the_labels() {
    let hot = std::cell::Cell::new([0, 0]);
    each_section(|built, section, code, functions| {
        let inside = in_loops(&code[section]);
        for &index in functions {
            let function = &built.cubin.functions[index];
            for op in function.annotated.iter().chain(&function.local) {
                assert_eq!(op.hot, inside.contains(&op.offset), "{section} {} {:#x}", built.arch, op.offset);
                let mut counts = hot.get();
                counts[usize::from(op.hot)] += 1;
                hot.set(counts);
            }
        }
    });
    assert!(hot.get().iter().all(|&count| count > 500), "{:?}", hot.get());
}
