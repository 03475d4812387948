use occlint::expect::{NameGlob, Rule, RuleOrigin, Rules, Selector, Target, comments, parse};
use occlint::kernel::{Kernel, Name, Place};

use crate::{place, text};

fn kernel(qualified: &str, file: &str, line: u32, arch: &str) -> Kernel {
    let demangled = format!("void {qualified}<int>(int*)");
    Kernel {
        name: Name {
            mangled: "_Z1k".to_owned(),
            key: demangled.clone(),
            demangled,
            qualified: qualified.to_owned(),
        },
        arch: arch.parse().ok(),
        units: vec!["crates/a/kernels/unit.cu".to_owned()],
        place: Some(Place {
            file: file.to_owned(),
            line,
            foreign: false,
            text: None,
            declarator: None,
            bounds: None,
        }),
        ..Kernel::default()
    }
}

fn rules(tables: &str) -> Rules {
    let source = text("crates/a/Cargo.toml", tables);
    Rules::new(parse(&source, &source).expect("no mistakes").rules)
}

#[test]
fn a_comment_wins_over_the_package_and_that_over_the_workspace() {
    let manifest = text(
        "Cargo.toml",
        r#"[[package.metadata.occlint.kernel]]
name = "*"
block = 128
min-blocks = 2
allow = ["spill"]
[[package.metadata.occlint.kernel]]
name = "k"
min-blocks = 3
[[workspace.metadata.occlint.kernel]]
name = "k"
block = 64
min-blocks = 1
max-registers = 100
allow = ["local-memory"]
"#,
    );
    let source = text("k.cu", "// occlint: block = 256\n__global__ void k() {}\n");
    let mut all = comments(&source).0;
    all.extend(parse(&manifest, &manifest).expect("no mistakes").rules);
    let rules = Rules::new(all);
    let found = rules.expectation(&kernel("k", "k.cu", 2, "sm_90"));
    let target =
        Target { block: Some(256), min_blocks: Some(3), max_registers: Some(100), ..Target::default() };
    assert_eq!(found.target, target);
    assert_eq!(found.matched, [0, 1, 2, 3]);
    let lints: Vec<_> = found.waivers.iter().map(|&index| rules.waiver(index).lint).collect();
    assert_eq!(lints, ["local-memory", "spill"]);
    let spans: Vec<_> = found
        .target_spans
        .iter()
        .map(|(key, span)| format!("{key} {} {}", span.source.name(), place(span)))
        .collect();
    assert_eq!(
        spans,
        [
            r#"max-registers Cargo.toml 13:17 "100""#,
            r#"min-blocks Cargo.toml 8:14 "3""#,
            r#"block k.cu 1:21 "256""#
        ]
    );
    let other = rules.expectation(&kernel("other", "k.cu", 3, "sm_90"));
    assert_eq!(other.target.block, Some(128));
    assert_eq!(rules.matched_counts([&found, &other]), [1, 2, 1, 1]);
}

#[test]
fn nobody_has_to_write_the_anonymous_namespace() {
    for (name, matches) in [
        ("ns::k", true),
        ("ns::(anonymous namespace)::k", true),
        ("*(anonymous namespace)*", true),
        ("k", false),
    ] {
        let rules = rules(&format!("[[package.metadata.occlint.kernel]]\nname = \"{name}\"\nblock = 1\n"));
        let found = rules.expectation(&kernel("ns::(anonymous namespace)::k", "k.cu", 2, "sm_90"));
        assert_eq!(found.target.block.is_some(), matches, "{name}");
    }
}

#[test]
fn selectors() {
    for (selector, matches) in [
        (r#"name = "ns::k""#, true),
        (r#"name = "k""#, false),
        (r#"name = "*k""#, true),
        (r#"name-full = "void ns::k<int>(*)""#, true),
        (r#"name-full = "ns::k""#, false),
        (r#"source = "kernels/h.cuh""#, true),
        (r#"source = "kernels/unit.cu""#, true),
        (r#"source = "unit.cu""#, false),
        (r#"source = "crates/a/kernels/*""#, false),
        (r#"arch = "sm_90a""#, true),
        (r#"arch = "sm_90""#, false),
        (r#"arch = ["sm_80", "sm_90a"]"#, true),
        ("name = \"*\"\narch = \"sm_80\"", false),
    ] {
        let rules = rules(&format!("[[package.metadata.occlint.kernel]]\n{selector}\nblock = 1\n"));
        let found = rules.expectation(&kernel("ns::k", "crates/a/kernels/h.cuh", 7, "sm_90a"));
        assert_eq!(!found.matched.is_empty(), matches, "{selector}");
    }
}

#[test]
fn a_kernel_of_unknown_architecture_or_place_matches_no_such_selector() {
    let mut nowhere = kernel("k", "k.cu", 2, "");
    assert_eq!(nowhere.arch, None);
    nowhere.place = None;
    let by_arch = rules("[[package.metadata.occlint.kernel]]\narch = \"sm_90\"\nblock = 1\n");
    assert!(by_arch.expectation(&nowhere).matched.is_empty());
    let by_place = Rules::new(comments(&text("k.cu", "// occlint: block = 1\n__global__ void k();")).0);
    assert!(by_place.expectation(&nowhere).matched.is_empty());
    assert!(by_place.expectation(&kernel("k", "k.cu", 3, "sm_90")).matched.is_empty());
    assert_eq!(by_place.expectation(&kernel("k", "k.cu", 2, "sm_90")).matched, [0]);
}

#[test]
fn a_workspace_rule_sees_files_from_the_workspace_root() {
    let source = text("Cargo.toml", "x");
    let span = occlint::source::Span { source, range: 0..1 };
    let rule = Rule {
        selector: Selector { source: Some(NameGlob::new("crates/a/*")), ..Selector::default() },
        origin: RuleOrigin::Workspace,
        target: Target::default(),
        target_spans: Vec::new(),
        waivers: Vec::new(),
        span,
    };
    let found = Rules::new(vec![rule]).expectation(&kernel("k", "crates/a/kernels/h.cuh", 1, "sm_90"));
    assert_eq!(found.matched, [0]);
}
