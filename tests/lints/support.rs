//! Kernels and configurations made by hand.

use std::sync::Arc;

use occlint::check::{Input, Report, UnitFacts, check};
use occlint::evidence::names;
use occlint::expect::{Rules, parse};
use occlint::finding::{Finding, Level};
use occlint::kernel::{Bounds, DeviceFunction, Kernel, Name, Place, Remark, RemarkKind, Severity, Usage};
use occlint::source::SourceText;

/// A kernel that uses 32 registers and nothing else, and declares nothing.
pub(crate) fn kernel(name: &str, arch: &str) -> Kernel {
    Kernel {
        name: plain_name(name),
        arch: Some(arch.parse().expect("an architecture")),
        units: vec!["kernels/a.cu".to_owned()],
        usage: Usage {
            registers: Some(32),
            barriers: Some(0),
            static_shared_bytes: Some(0),
            stack_frame_bytes: Some(0),
            cumulative_stack_bytes: None,
            local_bytes: None,
            spill_store_bytes: Some(0),
            spill_load_bytes: Some(0),
        },
        dynamic_shared: Some(false),
        local_depot_bytes: Some(0),
        ..Kernel::default()
    }
}

pub(crate) fn plain_name(name: &str) -> Name {
    let text = name.to_owned();
    let qualified = name.split(['<', '(']).next().unwrap_or(name).to_owned();
    Name { mangled: text.clone(), demangled: text.clone(), qualified, key: text }
}

/// The same with `__launch_bounds__(threads, min_blocks)`; 0 min blocks is none.
pub(crate) fn bounded(name: &str, arch: &str, threads: u32, min_blocks: u32) -> Kernel {
    let bounds = Bounds {
        max_threads: Some([threads, 1, 1]),
        min_blocks: (min_blocks > 0).then_some(min_blocks),
        ..Bounds::default()
    };
    Kernel { bounds, ..kernel(name, arch) }
}

/// Puts a kernel at `__global__ void __launch_bounds__(…) NAME(`, on line 3 of its file.
pub(crate) fn placed(mut kernel: Kernel) -> Kernel {
    let name = kernel.name.demangled.clone();
    let text =
        format!("#include <cstdio>\n\n__global__ void __launch_bounds__(128, 16) {name}(float* o) {{ }}\n");
    let find = |needle: &str| {
        let start = text.find(needle).expect("it stands there");
        start..start + needle.len()
    };
    kernel.place = Some(Place {
        file: "kernels/a.cu".to_owned(),
        line: 3,
        foreign: false,
        declarator: Some(find(&name)),
        bounds: Some(find("__launch_bounds__(128, 16)")),
        text: Some(SourceText::new("kernels/a.cu", text.clone())),
    });
    kernel
}

/// Spill bytes of a kernel.
pub(crate) fn spilling(mut kernel: Kernel, stores: u32, loads: u32) -> Kernel {
    kernel.usage.spill_store_bytes = Some(stores);
    kernel.usage.spill_load_bytes = Some(loads);
    kernel.usage.stack_frame_bytes = Some(stores.max(loads));
    kernel
}

pub(crate) fn function(name: &str, stores: u32, loads: u32) -> DeviceFunction {
    DeviceFunction {
        name: names::name(name),
        stack_frame_bytes: Some(stores),
        spill_store_bytes: Some(stores),
        spill_load_bytes: Some(loads),
        place: None,
    }
}

pub(crate) fn remark(kind: RemarkKind, severity: Severity, text: &str) -> Remark {
    Remark { kind, severity, text: text.to_owned() }
}

pub(crate) fn unit(arch: &str) -> UnitFacts {
    UnitFacts {
        unit: "kernels/a.cu".to_owned(),
        arch: Some(arch.parse().expect("an architecture")),
        debug: None,
        maxrregcount: None,
        remarks: Vec::new(),
        unlinked: None,
    }
}

/// An input with these kernels; complete, architectures chosen by the user.
pub(crate) fn input(kernels: Vec<Kernel>) -> Input {
    Input { kernels, complete: true, ..Input::default() }
}

/// The same with what the text says under `[package.metadata.occlint]`.
pub(crate) fn configured(kernels: Vec<Kernel>, toml: &str) -> Input {
    let text: Arc<SourceText> = SourceText::new("Cargo.toml", toml);
    let config =
        parse(&SourceText::new("../Cargo.toml", ""), &text).expect("a configuration without mistakes");
    Input { rules: Rules::new(config.rules), levels: config.levels, ..input(kernels) }
}

/// Checks, and holds every finding to one style.
pub(crate) fn run(input: Input) -> Report {
    let report = check(input);
    for finding in &report.findings {
        in_style(finding);
    }
    report
}

fn in_style(finding: &Finding) {
    let message = finding.message();
    let help = finding.help.clone();
    for text in std::iter::once(&message).chain(&finding.notes).chain(&help) {
        assert!(!text.ends_with(['.', ' ', ':']), "{text}");
        assert!(!text.contains("  ") && !text.contains('\n'), "{text}");
        assert_eq!(text.matches('`').count() % 2, 0, "{text}");
    }
    for text in std::iter::once(&message).chain(&help) {
        assert!(text.chars().next().is_some_and(|c| !c.is_uppercase()), "{text}");
    }
    let blame = ["occupancy is low", "low occupancy", "poor", "bad", "good", "optimal"];
    assert!(blame.iter().all(|word| !message.contains(word)), "{message}");
}

/// `error[spill] MESSAGE`, each finding a line.
pub(crate) fn said(report: &Report) -> Vec<String> {
    report.findings.iter().map(|f| format!("{}[{}] {}", f.level.heading(), f.lint, f.message())).collect()
}

/// What the check says about kernels without any configuration.
pub(crate) fn says(kernels: Vec<Kernel>) -> Vec<String> {
    said(&run(input(kernels)))
}

/// The lints that fire.
pub(crate) fn fired(report: &Report) -> Vec<&'static str> {
    report.findings.iter().map(|finding| finding.lint).collect()
}

pub(crate) fn levels(report: &Report) -> Vec<(&'static str, Level)> {
    report.findings.iter().map(|finding| (finding.lint, finding.level)).collect()
}
