//! All formats on the same report.

use std::sync::Arc;

use crate::check::{CheckedKernel, Report};
use crate::expect::Expectation;
use crate::finding::{Finding, Headline, Level, Subject};
use crate::kernel::{Block, BlockFrom, Bounds, DeviceFunction, Kernel, Link, Name, Place, Usage};
use crate::occupancy::{Resources, residency, steps};
use crate::report::fixture::{arch, finding, label, spills};
use crate::report::{HumanStyle, closing_line, human, json, kernels, short, summary};
use crate::source::SourceText;

const SUITE: &str = "#include <a.h>\n\n__global__ void __launch_bounds__(128, 16) spiller(float* o, const float* a) { body(); }\n\
                     template <int N>\n__global__ void tile(float* o) { }\n";

fn kernel(name: &str, on: u16, registers: u32) -> CheckedKernel {
    let text = SourceText::new("kernels/suite.cu", SUITE);
    let place = Place {
        file: "kernels/suite.cu".to_owned(),
        line: 3,
        foreign: false,
        text: Some(text),
        declarator: None,
        bounds: None,
    };
    let name = Name {
        mangled: format!("_Z{name}"),
        demangled: name.to_owned(),
        qualified: name.to_owned(),
        key: name.to_owned(),
    };
    let usage = Usage {
        registers: Some(registers),
        barriers: Some(0),
        static_shared_bytes: Some(0),
        ..Usage::default()
    };
    let resources = Resources { block_threads: 128, registers, ..Resources::default() };
    let limits = arch(on).limits().unwrap();
    CheckedKernel {
        before: None,
        comparison: crate::baseline::Comparison::New,
        renamed_from: None,
        fired: Vec::new(),
        kernel: Kernel {
            name,
            arch: Some(arch(on)),
            units: vec!["kernels/suite.cu".to_owned()],
            place: Some(place),
            bounds: Bounds { max_threads: Some([64, 2, 1]), min_blocks: Some(16), ..Bounds::default() },
            usage,
            dynamic_shared: Some(false),
            ..Kernel::default()
        },
        expectation: Expectation::default(),
        block: Some(Block { threads: 128, from: BlockFrom::MaxThreads }),
        limits: Some(limits),
        residency: Some(residency(limits, &resources)),
        steps: Some(steps(limits, &resources)),
    }
}

/// The spiller of the design, a template of 174, a configuration's finding, a library's, and one from a bare log.
fn report() -> Report {
    let suite = SourceText::new("kernels/suite.cu", SUITE);
    let headline =
        Headline::new().kernel().text(" fits 7 blocks per SM on ").arch().text(", its bounds ask for 16");
    let mut bounds = finding("residency-below-bounds", Level::Deny, "spiller", Some(arch(120)), headline);
    let why = "16 × 128 threads is more than the 1536 that sm_120 holds; ptxas ignored the 16";
    bounds.labels = vec![label(&suite, "__launch_bounds__(128, 16)", why)];
    bounds.notes = vec![
        "72 registers → 7 blocks (registers); shared memory 100, warps 12, blocks 24, barriers no limit"
            .to_owned(),
    ];
    bounds.help = Some("ask for at most 12 blocks of 128 threads on sm_120".to_owned());
    let mut findings = vec![bounds];
    for n in 1..=174 {
        for on in [80, 90] {
            let mut made =
                finding("spill", Level::Warn, &format!("tile<{n}>"), Some(arch(on)), spills(n, 2 * n));
            made.weight = u64::from(n);
            made.labels = vec![label(&suite, "tile", "")];
            findings.push(made);
        }
    }
    let manifest = SourceText::new("Cargo.toml", "[[package.metadata.occlint.kernel]]\nname = \"softmx*\"\n");
    findings.push(Finding {
        subject: Subject::Config,
        labels: vec![label(&manifest, "\"softmx*\"", "matches no kernel")],
        help: Some("did you mean `softmax*`".to_owned()),
        ..finding(
            "unmatched-target",
            Level::Warn,
            "",
            None,
            Headline::new().text("the target `softmx*` matches no kernel"),
        )
    });
    let mut library = finding("spill", Level::Deny, "cub::Sort<int>", Some(arch(80)), spills(8, 8));
    if let Subject::Kernel { foreign, .. } = &mut library.subject {
        *foreign = true;
    }
    findings.push(library);
    findings.push(finding("spill", Level::Warn, "from\x1b[31m\nlog", None, spills(1, 1)));
    let mut unknown = kernel("from\x1b[31m\nlog", 80, 40);
    unknown.kernel.arch = None;
    unknown.kernel.place = None;
    unknown.kernel.units = vec!["build.log".to_owned()];
    unknown.block = None;
    (unknown.limits, unknown.residency, unknown.steps) = (None, None, None);
    Report { kernels: vec![kernel("spiller", 120, 72), unknown], findings, waived: 1, ..Report::default() }
}

fn style(width: usize) -> HumanStyle {
    HumanStyle { width, color: false, unicode: true, verbose: false, foreign: false }
}

#[test]
fn short_is_a_line_a_group() {
    insta::assert_snapshot!(short(&report(), false), @r##"
    kernels/suite.cu:3:17: error[occlint::residency-below-bounds]: `spiller` fits 7 blocks per SM on sm_120, its bounds ask for 16
    kernels/suite.cu:5:17: warning[occlint::spill]: `tile<174>` (worst of 174 instantiations) spills 174 bytes of stores and 348 bytes of loads per thread on sm_80, sm_90
    build.log: warning[occlint::spill]: `from�[31m�log` spills 1 bytes of stores and 1 bytes of loads per thread on an unknown architecture
    Cargo.toml:2:8: warning[occlint::unmatched-target]: the target `softmx*` matches no kernel
    "##);
}

#[test]
fn a_finding_about_ptx_names_its_file() {
    let mut report = report();
    report.kernels[0].kernel.units = vec!["k\x1b.ptx".to_owned()];
    let text = short(&report, false);
    assert!(text.contains("its bounds ask for 16 (in `k\u{fffd}.ptx`)\n"), "{text}");
}

#[test]
fn without_drawing_denied_findings_say_why_and_what_to_do() {
    let style = HumanStyle { width: 100, color: false, unicode: true, verbose: false, foreign: false };
    insta::assert_snapshot!(crate::report::human::lines(&report(), style), @r##"
    kernels/suite.cu:3:17: error[occlint::residency-below-bounds]: `spiller` fits 7 blocks per SM on sm_120, its bounds ask for 16
      kernels/suite.cu:3:17: 16 × 128 threads is more than the 1536 that sm_120 holds; ptxas ignored the 16
      help: ask for at most 12 blocks of 128 threads on sm_120
    kernels/suite.cu:5:17: warning[occlint::spill]: `tile<174>` (worst of 174 instantiations) spills 174 bytes of stores and 348 bytes of loads per thread on sm_80, sm_90
    build.log: warning[occlint::spill]: `from�[31m�log` spills 1 bytes of stores and 1 bytes of loads per thread on an unknown architecture
    Cargo.toml:2:8: warning[occlint::unmatched-target]: the target `softmx*` matches no kernel
    "##);
}

#[test]
fn the_table_is_readable_at_80_columns() {
    let table = kernels(&report(), 80, false);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    insta::assert_snapshot!(table, @r##"
      arch     regs bar  shared  stack   spill st/ld block  blocks/SM    occ.
    spiller  kernels/suite.cu:3
      sm_120     72   0       0      ?           ?/?   128          7  58.3 %
               block by maxntid; limited by registers; 8 registers fewer → 8 blocks;
               no register more would be free
    from�[31m�log  build.log
      ?          40   0       0      ?           ?/?     ?          ?       ?
               the architecture is unknown
    blocks/SM is what fits; occupancy is a ceiling, not a score; ? is unknown
    1 kernel of libraries, outside the package: --foreign shows them
    "##);
}

#[test]
fn the_table_says_what_its_figures_leave_open() {
    let function = DeviceFunction {
        name: Name {
            mangled: "_Z1fv".to_owned(),
            demangled: "f()".to_owned(),
            qualified: "f".to_owned(),
            key: "f()".to_owned(),
        },
        stack_frame_bytes: Some(24),
        spill_store_bytes: Some(12),
        spill_load_bytes: Some(16),
        place: None,
    };
    let mut upper = kernel("upper", 90, 64);
    upper.kernel.dynamic_shared = Some(true);
    upper.kernel.functions =
        vec![DeviceFunction { spill_store_bytes: Some(4), ..function.clone() }, function];
    let mut known = kernel("known", 90, 64);
    known.expectation.target.dynamic_shared_bytes = Some(49_152);
    let resources =
        Resources { block_threads: 128, registers: 64, dynamic_shared_bytes: 49_152, ..Resources::default() };
    let limits = arch(90).limits().unwrap();
    (known.residency, known.steps) = (Some(residency(limits, &resources)), Some(steps(limits, &resources)));
    let mut blockless = kernel("blockless", 90, 64);
    (blockless.block, blockless.residency, blockless.steps) = (None, None, None);
    let mut library = kernel("cub::Sort", 90, 64);
    library.kernel.place.as_mut().unwrap().foreign = true;
    let report = Report { kernels: vec![upper, known, blockless, library], ..Report::default() };
    let table = kernels(&report, 80, false);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    insta::assert_snapshot!(table, @r##"
      arch     regs bar  shared  stack   spill st/ld block  blocks/SM    occ.
    upper  kernels/suite.cu:3
      sm_90      64   0       0      ?           ?/?   128          8    50 %
               block by maxntid; limited by registers; 8 registers fewer → 9 blocks;
               no register more would be free; dynamic shared memory is not counted:
               blocks/SM is an upper bound; a function it calls spills 12/16
    known  kernels/suite.cu:3
      sm_90      64   0       0      ?           ?/?   128          4    25 %
               block by maxntid; limited by shared memory; 3584 shared bytes fewer →
               5 blocks; 64 registers more would be free; with 49152 bytes of
               dynamic shared memory
    blockless  kernels/suite.cu:3
      sm_90      64   0       0      ?           ?/?     ?          ?       ?
               neither bounds nor a target say the block
    blocks/SM is what fits; occupancy is a ceiling, not a score; ? is unknown
    1 kernel of libraries, outside the package: --foreign shows them
    "##);
    assert!(kernels(&report, 80, true).contains("cub::Sort"));
}

#[test]
fn the_closing_line_counts_libraries_apart() {
    insta::assert_snapshot!(closing_line(&summary(&report())), @r##"2 kernels (and 1 kernel of libraries) on sm_120: 1 error, 350 warnings in 4 groups, 1 waived; residency of 1 unknown"##);
    assert_eq!(summary(&report()).denied, 1);
}

#[test]
fn json_lines_are_never_merged() {
    let report = report();
    let text = json(&report, &summary(&report));
    assert_eq!(text.lines().count(), 2 + report.findings.len() + 1);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["format_version"] == 1));
    assert_eq!(lines[0]["bounds"]["max_threads"], 128);
    assert_eq!((&lines[0]["residency"], &lines[0]["limiters"][0]), (&7.into(), &"registers".into()));
    assert_eq!(
        (&lines[0]["source"], &lines[0]["line"], &lines[0]["block_from"]),
        (&"kernels/suite.cu".into(), &3.into(), &"maxntid".into())
    );
    assert!(lines[1]["arch"].is_null() && lines[1]["residency"].is_null() && lines[1]["source"].is_null());
    let template: Vec<&serde_json::Value> = lines
        .iter()
        .filter(|line| line["kernel"].as_str().is_some_and(|name| name.starts_with("tile<")))
        .collect();
    assert_eq!(template.len(), 348);
    assert!(template.iter().all(|line| line["group"] == template[0]["group"]));
    assert_eq!(lines.last().unwrap()["reason"], "summary");
}

#[test]
fn the_table_and_json_tell_linked_figures_from_preliminary_ones() {
    let mut linked = kernel("linked", 90, 131);
    let compiled = Usage { registers: Some(24), ..Usage::default() };
    linked.kernel.link = Link::Linked { compiled };
    let mut open = kernel("open", 90, 24);
    open.kernel.link = Link::Preliminary { why: "nothing was \x1b[31mlinked".to_owned() };
    let whole = kernel("whole", 90, 24);
    let report = Report { kernels: vec![linked, open, whole], ..Report::default() };
    let table = kernels(&report, 100, false);
    for words in
        ["24 registers at compile time, 131 linked", " ~24 ", "preliminary: nothing was", "~ is preliminary"]
    {
        assert!(table.contains(words), "{words:?} is missing in\n{table}");
    }
    assert!(!table.contains('\x1b') && table.matches('~').count() == 2, "{table}");
    let text = json(&report, &summary(&report));
    let seen: Vec<(serde_json::Value, serde_json::Value)> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["reason"] == "kernel")
        .map(|line| (line["linked"].clone(), line["compiled_registers"].clone()))
        .collect();
    let null = || serde_json::Value::Null;
    assert_eq!(seen, [(true.into(), 24.into()), (false.into(), null()), (null(), null())]);
    assert!(!kernels(&Report::default(), 100, false).contains('~'));
}

#[cfg(feature = "graphical")]
#[test]
fn people_see_the_worst_drawn() {
    insta::assert_snapshot!(human(&report(), style(100)), @r##"
    error[occlint::residency-below-bounds]
      × `spiller` fits 7 blocks per SM on sm_120, its bounds ask for 16
       ╭─[kernels/suite.cu:3:17]
     3 │ __global__ void __launch_bounds__(128, 16) spiller(float* o, const float* a) { body(); }
       ·                 ─────────────┬────────────
       ·                              ╰─┤ 16 × 128 threads is more than the 1536 that sm_120 holds;
       ·                                │ ptxas ignored the 16
       ╰────
      note: 72 registers → 7 blocks (registers); shared memory 100, warps 12, blocks 24, barriers no
            limit
      help: ask for at most 12 blocks of 128 threads on sm_120

    warning[occlint::spill]
      ⚠ `tile<174>` (worst of 174 instantiations) spills 174 bytes of stores and 348 bytes of loads
      │ per thread on sm_80, sm_90
       ╭─[kernels/suite.cu:5:17]
     5 │ __global__ void tile(float* o) { }
       ·                 ────
       ╰────
      note: also `tile<173>`, `tile<172>`, `tile<171>` and 170 more: -v names all

    warning[occlint::spill]
      ⚠ `from�[31m�log` spills 1 bytes of stores and 1 bytes of loads per thread on an unknown
      │ architecture

    warning[occlint::unmatched-target]
      ⚠ the target `softmx*` matches no kernel
       ╭─[Cargo.toml:2:8]
     2 │ name = "softmx*"
       ·        ────┬────
       ·            ╰── matches no kernel
       ╰────
      help: did you mean `softmax*`

    1 finding about 1 kernel of libraries, outside the package: --foreign shows them
    "##);
}

#[test]
fn nothing_hostile_gets_through() {
    let report = report();
    for text in [
        human(&report, style(80)),
        short(&report, true),
        kernels(&report, 80, true),
        json(&report, &summary(&report)),
    ] {
        assert!(!text.contains('\x1b') && !text.contains("\nlog"), "{text}");
    }
}

/// 1,600 kernels of which 100 spill and 450 have local arrays, from twenty templates and macros.
fn large() -> Report {
    let lines: String = (0..20).map(|n| format!("template <typename T, int N> __global__ void __launch_bounds__(256, 4) family_{n}_kernel(T* out, const T* in, int n) {{ body<T, N>(out, in, n); }}\n")).collect();
    let text: Arc<SourceText> = SourceText::new("kernels/some/deeper/folder/families.cu", lines);
    let mut report = Report::default();
    for n in 0..1600_u32 {
        let name =
            format!("my_library::detail::family_{}_kernel<my_library::element<float, {n}>, {n}>", n % 20);
        report.kernels.push(kernel(&name, 90, 32 + n % 100));
        let lint = match n {
            0..100 => "spill",
            100..550 => "local-memory",
            _ => continue,
        };
        let mut made = finding(lint, Level::Warn, &name, Some(arch(90)), spills(n, n));
        made.weight = u64::from(n);
        made.labels =
            vec![label(&text, &format!("family_{}_kernel", n % 20), "leaves 64 registers per thread")];
        made.notes = vec!["a note that says something about the figures, at some length, so that it needs to be wrapped somewhere".to_owned()];
        made.help = Some("an array indexed dynamically lives in local memory: unroll the loop, or keep it in shared memory; measure both".to_owned());
        report.findings.push(made);
    }
    report
}

#[test]
fn a_large_crate_takes_a_hundred_lines_of_a_hundred_columns() {
    let text = human(&large(), style(100));
    let lines = text.lines().count();
    assert!((40..=98).contains(&lines), "{lines}\n{text}");
    #[cfg(feature = "graphical")]
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(
        human(&large(), HumanStyle { verbose: true, ..style(100) })
            .contains("`my_library::detail::family_3_kernel<my_library::element<float, 103>, 103>`")
    );
}

/// The large report as `change` makes it: every format's limits must hold for whatever lints say.
#[cfg(feature = "graphical")]
fn large_and(change: impl Fn(&mut Finding)) -> Report {
    let mut report = large();
    report.findings.iter_mut().for_each(change);
    report
}

/// The groups that are drawn: each has a heading of its own.
#[cfg(feature = "graphical")]
fn frames_of(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("warning[occlint::") && line.ends_with(']')).count()
}

#[cfg(feature = "graphical")]
#[test]
fn long_notes_tables_and_many_places_do_not_lengthen_a_large_report() {
    let families = large();
    let many = large_and(|made| {
        made.notes = (0..30).map(|n| format!("the callee `f{n}` spills 8 bytes of stores")).collect();
        made.help =
            Some("try this, or that, at some length, so that it needs to be wrapped somewhere".to_owned());
        // a title, the columns, the most rows that there can be, and how to read them
        let rows = (0..7).map(|n| format!("  {n:>2} registers  0/0  4 blocks"));
        let lines = ["a table:".to_owned()].into_iter().chain(rows).chain(["measure both".to_owned()]);
        made.table = Some(lines.collect::<Vec<_>>().join("\n"));
        made.labels.extend(families.findings.iter().take(20).flat_map(|other| other.labels.clone()));
    });
    for (width, unicode) in [(100, true), (80, false), (40, true)] {
        let text = human(&many, HumanStyle { unicode, ..style(width) });
        assert!(text.lines().count() <= 98, "{}\n{text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("more notes: -v shows them"), "{text}");
        assert!(words.contains("-v shows what other bounds cost"), "half a table says nothing: {text}");
        assert_eq!(words.matches(" help: ").count(), frames_of(&text), "each has its advice: {text}");
        let (worst, others) = text.split_at(text.match_indices("[occlint::").nth(1).unwrap().0);
        assert!(
            worst.contains("a table:") && (0..7).all(|n| worst.contains(&format!(" {n} registers"))),
            "{text}"
        );
        assert!(!others.contains(" 0 registers") || others.contains(" 6 registers"), "{text}");
        let frames = frames_of(&text);
        assert!(frames >= 4, "{frames}\n{text}");
    }
    let verbose = human(&many, HumanStyle { verbose: true, ..style(100) });
    assert!(verbose.contains("`f29`") && verbose.contains("6 registers") && !verbose.contains("-v shows"));
}
