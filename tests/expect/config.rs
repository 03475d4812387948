use occlint::expect::{Config, Increase, LevelOrigin, Limits, RuleOrigin, WaiverKind, parse};
use occlint::finding::Level;
use proptest::prelude::*;

use crate::{place, text};

/// Mistakes in a root package's manifest, one a line.
fn mistakes(manifest: &str) -> String {
    let source = text("Cargo.toml", manifest);
    let errors = parse(&source, &source).expect_err("there are mistakes");
    let line = |e: &occlint::expect::ConfigError| {
        format!("{} | {} | {}", place(&e.span), e.message, e.help.as_deref().unwrap_or("-"))
    };
    errors.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Mistakes in `[package.metadata.occlint]` with these lines; the first stands on line 2.
fn in_table(lines: &str) -> String {
    mistakes(&format!("[package.metadata.occlint]\n{lines}\n"))
}

/// Mistakes in a kernel's table with these lines; the first stands on line 2.
fn in_kernel(lines: &str) -> String {
    mistakes(&format!("[[package.metadata.occlint.kernel]]\n{lines}\n"))
}

fn read(manifest: &str) -> Config {
    let source = text("Cargo.toml", manifest);
    parse(&source, &source).expect("no mistakes")
}

fn values(list: &[occlint::expect::Sourced<String>]) -> Vec<&str> {
    list.iter().map(|item| item.value.as_str()).collect()
}

#[test]
fn the_documented_example() {
    let config = read(
        r#"[package]
name = "x"
[package.metadata.occlint]
cuda = "13.0"
cuda-extra = ["curand"]
archs = ["sm_80", "sm_90a", "native"]
sources = ["kernels/**/*.cu"]
include = ["kernels/include"]
flags = ["-O3", "-std=c++17"]
defines = ["NDEBUG", "TILE=64"]
baseline = "occlint.baseline.json"

[package.metadata.occlint.lints]
spill = "deny"

[[package.metadata.occlint.kernel]]
name = "softmax*"
source = "./kernels/*.cu"
arch = "sm_90"
block = 256
dynamic-smem = "48 KiB"
min-blocks = 4
max-registers = 0x40
allow = [{ lint = "spill", max = 24, reason = "cold path; measured neutral" }]
expect = ["local-memory"]
"#,
    );
    assert_eq!(config.cuda.as_ref().map(|cuda| cuda.value.as_str()), Some("13.0"));
    assert_eq!(values(&config.cuda_extra), ["curand"]);
    assert_eq!(values(config.archs.as_ref().expect("archs")), ["sm_80", "sm_90a", "native"]);
    assert_eq!(values(config.sources.as_ref().expect("sources")), ["kernels/**/*.cu"]);
    assert_eq!(values(&config.flags), ["-O3", "-std=c++17"]);
    assert_eq!(values(&config.defines), ["NDEBUG", "TILE=64"]);
    let spill = config.levels.get("spill").expect("set");
    assert_eq!((spill.level, spill.origin), (Level::Deny, LevelOrigin::Package));
    let [rule] = config.rules.as_slice() else { panic!("one rule") };
    assert_eq!(rule.origin, RuleOrigin::Package);
    assert_eq!(rule.selector.source.as_ref().map(|glob| glob.pattern()), Some("kernels/*.cu"));
    assert_eq!(rule.selector.archs, ["sm_90".parse().expect("arch")]);
    let target = rule.target;
    assert_eq!((target.block, target.dynamic_shared_bytes), (Some(256), Some(49_152)));
    assert_eq!((target.min_blocks, target.max_registers), (Some(4), Some(64)));
    assert_eq!(place(&rule.span), "17:8 \"\\\"softmax*\\\"\"");
    let mut spans: Vec<_> =
        rule.target_spans.iter().map(|(key, span)| format!("{key} {}", place(span))).collect();
    spans.sort();
    assert_eq!(spans[0], "block 20:9 \"256\"");
    assert_eq!(spans[1], "dynamic-smem 21:16 \"\\\"48 KiB\\\"\"");
    assert_eq!(spans.len(), 4);
    let waivers: Vec<_> = rule.waivers.iter().map(|w| (w.kind, w.lint, w.max)).collect();
    assert_eq!(waivers, [(WaiverKind::Allow, "spill", Some(24)), (WaiverKind::Expect, "local-memory", None)]);
    assert_eq!(rule.waivers[0].reason.as_deref(), Some("cold path; measured neutral"));
}

#[test]
fn no_table_is_the_default() {
    assert_eq!(read("[package]\nname = \"x\"\n"), Config::default());
    assert_eq!(read(""), Config::default());
}

#[test]
fn inlined_and_dotted_tables_are_read_alike() {
    for manifest in [
        "[package]\nname = \"x\"\n[package.metadata]\nocclint = { archs = [\"sm_90\"], lints.spill = \"deny\" }\n",
        "package.metadata.occlint.archs = [\"sm_90\"]\npackage.metadata.occlint.lints = { spill = \"deny\" }\n",
        "[package.metadata]\r\nocclint.archs = [\"sm_90\"]\r\nocclint.lints.spill = \"deny\"\r\n",
    ] {
        let config = read(manifest);
        assert_eq!(config.archs.as_ref().map(|archs| values(archs)), Some(vec!["sm_90"]), "{manifest}");
        assert_eq!(config.levels.get("spill").map(|s| s.level), Some(Level::Deny), "{manifest}");
    }
}

#[test]
fn the_package_replaces_lists_and_adds_rules_and_levels() {
    let workspace = text(
        "Cargo.toml",
        r#"[workspace.metadata.occlint]
archs = ["sm_80"]
include = ["shared"]
flags = ["-O3"]
lints = { spill = "deny", partial-warp = "deny" }
kernel = [{ name = "*", block = 128 }]
[package.metadata.occlint]
archs = ["sm_75"]
"#,
    );
    let package = text(
        "crates/a/Cargo.toml",
        r#"[workspace.metadata.occlint]
cuda = "13.5"
[package.metadata.occlint]
archs = ["sm_90"]
flags = []
lints = { spill = "allow" }
kernel = [{ name = "k", block = 256 }]
"#,
    );
    let config = parse(&workspace, &package).expect("no mistakes");
    assert_eq!(config.cuda, None);
    assert_eq!(values(config.archs.as_ref().expect("archs")), ["sm_90"]);
    assert!(config.flags.is_empty());
    let include = config.include[0].span.as_ref().expect("written");
    assert_eq!(include.source.name(), "Cargo.toml");
    assert_eq!(config.levels.get("spill").map(|s| s.level), Some(Level::Allow));
    assert_eq!(config.levels.get("partial-warp").map(|s| s.origin), Some(LevelOrigin::Workspace));
    let blocks: Vec<_> = config.rules.iter().map(|rule| (rule.origin, rule.target.block)).collect();
    assert_eq!(blocks, [(RuleOrigin::Workspace, Some(128)), (RuleOrigin::Package, Some(256))]);
}

#[test]
fn ten_mistakes_are_reported_in_order() {
    let found = mistakes(
        r#"[workspace.metadata.occlint]
arcs = ["sm_90"]
[package.metadata.occlint]
cuda = 13.0
archs = ["sm_90", "compute_80"]
include = "inc"
flags = ["-O3", "-gencode", "arch=compute_90,code=sm_90a"]
[package.metadata.occlint.lints]
spil = "deny"
partial-warp = "forbid"
[[package.metadata.occlint.kernel]]
name = "softmax*"
block = 0
dynamic-smem = "48kb"
allow = [{ lint = "spill", max = -1 }]
"#,
    );
    insta::assert_snapshot!(found, @r##"
    2:1 "arcs" | unknown key `arcs` | did you mean `archs`?
    4:8 "13.0" | `cuda` must be a string, not a float | write it like `cuda = "13.0"`
    5:19 "\"compute_80\"" | `compute_80` is no architecture | did you mean `sm_80`?
    6:11 "\"inc\"" | `include` must be an array, not a string | write it like `include = ["kernels/include"]`
    7:17 "\"-gencode\"" | `-gencode` chooses an architecture | leave it out and write `archs = ["sm_90a"]`
    9:1 "spil" | unknown lint `spil` | did you mean `spill`?
    10:16 "\"forbid\"" | `forbid` is no level of a lint | did you mean `deny`?
    13:9 "0" | `block` must be at least 1 (threads per block), not 0 | write a number in that range
    14:16 "\"48kb\"" | `48kb` is no size: its unit could be decimal or binary | write bytes, or a number with `B`, `KiB` or `MiB`: `49152`, `48 KiB`
    15:34 "-1" | `max` must be 0 or more, not -1 | write the amount that is allowed, like `max = 24`
    "##);
}

#[test]
fn levels() {
    insta::assert_snapshot!(in_table("lints = { spill = \"expect\", spill-regression = \"deny\", partial-warp = 1, bounds-dropped = { level = \"warn\" } }"), @r##"
    2:19 "\"expect\"" | `expect` is no level of a lint | write it at the kernel that it is about: `expect = ["…"]`
    2:71 "1" | `partial-warp` must be a string, not an integer | write it like `spill = "deny"`
    "##);
    insta::assert_snapshot!(in_table("lints = [\"spill\"]"), @r##"2:9 "[\"spill\"]" | `lints` must be a table, not an array | write it like `spill = "deny"`"##);
}

#[test]
fn architectures() {
    insta::assert_snapshot!(in_table("archs = [\"90\", \"compute_90a\", \"SM_86\", \"9.0\", \"all\", \"sm_80\", \"sm_80\", 90, \"\"]"), @r##"
    2:10 "\"90\"" | `90` is no architecture | did you mean `sm_90`?
    2:16 "\"compute_90a\"" | `compute_90a` is no architecture | did you mean `sm_90a`?
    2:31 "\"SM_86\"" | `SM_86` is no architecture | did you mean `sm_86`?
    2:40 "\"9.0\"" | `9.0` is no architecture | did you mean `sm_90`?
    2:47 "\"all\"" | `all` is no architecture | name each like `sm_90`, `sm_90a` or `sm_120f`, or write `native`
    2:63 "\"sm_80\"" | `sm_80` is listed twice | leave one of them out
    2:72 "90" | an item of `archs` must be a string, not an integer | write it like `"sm_80", "sm_90"`
    2:76 "\"\"" | an item of `archs` is empty | write it like `"sm_80", "sm_90"`
    "##);
    insta::assert_snapshot!(in_table("archs = []\nsources = []"), @r##"
    2:9 "[]" | `archs` is empty: nothing would be checked | write it like `archs = ["sm_80", "sm_90"]`, or leave it out for the default
    3:11 "[]" | `sources` is empty: nothing would be checked | write it like `sources = ["kernels/**/*.cu"]`, or leave it out for the default
    "##);
}

#[test]
fn flags_that_occlint_sets_itself() {
    insta::assert_snapshot!(in_table("flags = [\"-arch\", \"sm_90\", \"--gpu-architecture=native\", \"-arch=compute_80\", \"-dc\", \"-o\", \"x.o\", \"--keep-dir=k\", \"--dryrun\", \"-O3\", \"a\", \"b.cu\"]"), @r##"
    2:10 "\"-arch\"" | `-arch` chooses an architecture | leave it out and write `archs = ["sm_90"]`
    2:28 "\"--gpu-architecture=native\"" | `--gpu-architecture` chooses an architecture | leave it out and write `archs = ["native"]`
    2:57 "\"-arch=compute_80\"" | `-arch` chooses an architecture | leave it out and write `archs = ["sm_80"]`
    2:77 "\"-dc\"" | `-dc` chooses what nvcc makes | write `-rdc=true` for relocatable device code; occlint adds the rest
    2:84 "\"-o\"" | `-o` chooses what nvcc makes | leave it out: occlint chooses nvcc's output itself
    2:97 "\"--keep-dir=k\"" | `--keep-dir` chooses what nvcc makes | leave it out: occlint chooses nvcc's output itself
    2:113 "\"--dryrun\"" | `--dryrun` keeps nvcc from compiling | leave it out
    2:137 "\"b.cu\"" | nvcc would take `b.cu` for a source file | name sources in `sources`, flags with their `-`
    "##);
}

#[test]
fn flags_that_are_fine() {
    let flags = [
        "-rdc=true",
        "-maxrregcount",
        "64",
        "-maxrregcount=32",
        "-G",
        "-O3",
        "-std=c++17",
        "-Iinclude",
        "-DX=1",
        "-Xptxas",
        "-v",
        "-Xptxas=-O1",
        "-Xcompiler",
        "-c",
        "-Xcompiler",
        "-o,x",
        "--use_fast_math",
        "-lineinfo",
        "--expt-relaxed-constexpr",
        "-D",
        "NAME",
    ];
    let list = flags.map(|flag| format!("{flag:?}")).join(", ");
    let config = read(&format!("[package.metadata.occlint]\nflags = [{list}]\n"));
    assert_eq!(values(&config.flags), flags);
}

#[test]
fn what_a_shell_would_act_upon() {
    insta::assert_snapshot!(in_table(r#"sources = ["a$(touch x).cu"]
include = ['in\c', "new\nline", "-Iinc"]
flags = ["-DX=`id`"]
defines = ['Q="1"', "-DX", "9A", "OK(x)=x"]"#), @r##"
    2:12 "\"a$(touch x).cu\"" | a name of a source contains `$`, and nvcc hands it to a shell | leave out `"`, backticks, `$`, `\` and control characters
    3:12 "'in\\c'" | an include folder contains `\`, and nvcc hands it to a shell | leave out `"`, backticks, `$`, `\` and control characters
    3:20 "\"new\\nline\"" | an include folder contains a newline, and nvcc hands it to a shell | leave out `"`, backticks, `$`, `\` and control characters
    3:33 "\"-Iinc\"" | `-Iinc` is a flag, not a folder | write the folder without `-I`
    4:10 "\"-DX=`id`\"" | a flag contains a backtick, and nvcc hands it to a shell | leave out `"`, backticks, `$`, `\` and control characters
    5:12 "'Q=\"1\"'" | a define contains `"`, and nvcc hands it to a shell | leave out `"`, backticks, `$`, `\` and control characters
    5:21 "\"-DX\"" | `-DX` is no name of a macro | write `NAME` or `NAME=VALUE`, without `-D`
    5:28 "\"9A\"" | `9A` is no name of a macro | write `NAME` or `NAME=VALUE`, without `-D`
    "##);
}

#[test]
fn other_values() {
    insta::assert_snapshot!(in_table(r#"cuda = "13"
cuda-extra = ["--index-url=x", "cublas"]
sources = ["kernels/[.cu"]
baseline = ""
kernels = 1
kernel = { name = "x" }"#), @r##"
    2:8 "\"13\"" | `13` is no release of CUDA | name major and minor version, like `cuda = "13.0"`
    3:15 "\"--index-url=x\"" | `--index-url=x` is no name of a CUDA component | write its name alone, like `curand` or `cublas`
    4:12 "\"kernels/[.cu\"" | `kernels/[.cu` is no glob: unclosed character class; missing ']' | write it like `kernels/**/*.cu`
    5:12 "\"\"" | `baseline` is empty | write it like `baseline = "occlint.baseline.json"`
    6:1 "kernels" | unknown key `kernels` | did you mean `kernel`?
    7:10 "{ name = \"x\" }" | `kernel` must be an array of tables, not one table | head it `[[package.metadata.occlint.kernel]]`, with two brackets
    "##);
}

#[test]
fn kernel_tables() {
    insta::assert_snapshot!(in_kernel("block = 256"), @r##"1:1 "[[package.metadata.occlint.kernel]]" | this table does not say which kernels it is about | add one of `name`, `name-full`, `source`, `arch`"##);
    insta::assert_snapshot!(in_kernel("name = \"a\"\nallow = []"), @r##"1:1 "[[package.metadata.occlint.kernel]]" | this table asks nothing of its kernels | add one of `block`, `dynamic-smem`, `min-blocks`, `max-registers`, `allow`, `expect`"##);
    insta::assert_snapshot!(in_kernel(r#"name = "f<int>"
arch = ["native", "90"]
block = "256"
min_blocks = 4
max-registers = 256
dynamic-smem = -1
expect = ["spil", 3, { max = 1 }, { lint = "spill", why = "x" }]"#), @r##"
    2:8 "\"f<int>\"" | `name` is matched without template arguments, so this matches no kernel | use `name-full` for the whole name
    3:9 "\"native\"" | `native` is no architecture | name each like `sm_90`, `sm_90a` or `sm_120f`
    3:19 "\"90\"" | `90` is no architecture | did you mean `sm_90`?
    4:9 "\"256\"" | `block` must be an integer, not a string | write it like `block = 256`
    5:1 "min_blocks" | unknown key `min_blocks` | did you mean `min-blocks`?
    6:17 "256" | `max-registers` must be 1 to 255 (registers per thread), not 256 | write a number in that range
    7:16 "-1" | `dynamic-smem` must be at least 0 (bytes of shared memory), not -1 | write a number in that range
    8:11 "\"spil\"" | unknown lint `spil` | did you mean `spill`?
    8:19 "3" | an item of `expect` must be a lint's name or a table, not an integer | write it like `expect = ["spill"]`
    8:22 "{ max = 1 }" | this item of `expect` does not name its lint | write it like `expect = ["spill"]`
    8:53 "why" | unknown key `why` | known here: `lint`, `max`, `reason`, `until`
    "##);
    insta::assert_snapshot!(in_kernel("name = \"a\"\nblock = 99999999999999999999999999999999999999999999"), @r##"3:9 "99999999999999999999999999999999999999999999" | `block` is too large | write it like `block = 256`"##);
}

#[test]
fn broken_toml_does_not_hide_other_mistakes_nor_invent_any() {
    let found = mistakes(
        r#"[package.metadata.occlint]
archs = ["sm_80" "sm_90"]
flgs = ["-O3"]
[[package.metadata.occlint.kernel]]
block = 2x56
min-blocks = 0
blok = 12
"#,
    );
    insta::assert_snapshot!(found, @r##"
    2:18 "" | broken TOML: missing comma between array elements, expected `,` | -
    3:1 "flgs" | unknown key `flgs` | did you mean `flags`?
    5:9 "2x56" | broken TOML: string values must be quoted, expected literal string | -
    6:14 "0" | `min-blocks` must be at least 1 (blocks per SM), not 0 | write a number in that range
    7:1 "blok" | unknown key `blok` | did you mean `block`?
    "##);
}

#[test]
fn a_misspelt_table_and_a_wrong_one() {
    insta::assert_snapshot!(mistakes("[package.metadata]\nocc_lint = {}\n"), @r##"2:1 "occ_lint" | unknown key `occ_lint` | did you mean `occlint`?"##);
    insta::assert_snapshot!(mistakes("[package.metadata]\nocclint = true\n"), @r##"2:11 "true" | `occlint` must be a table, not a boolean | write it like `[package.metadata.occlint]`"##);
}

#[test]
fn escapes_do_not_reach_the_message() {
    let found = in_table("\"a\\u001b[31m\" = 1");
    assert!(!found.contains('\u{1b}'), "{found:?}");
}

const WORDS: [&str; 22] = [
    "[package.metadata.occlint]",
    "[[package.metadata.occlint.kernel]]",
    "[workspace.metadata.occlint.lints]",
    "archs",
    "flags",
    "kernel",
    "name",
    "block",
    "allow",
    "lints",
    "=",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\n",
    "\"sm_90\"",
    "-1",
    "é",
];

proptest! {
    #[test]
    fn arbitrary_text_never_panics(manifest in "\\PC{0,200}") {
        let source = text("Cargo.toml", &manifest);
        let _ = parse(&source, &source);
    }

    #[test]
    fn scrambled_configuration_never_panics(picks in prop::collection::vec(0..WORDS.len(), 0..60)) {
        let manifest: Vec<&str> = picks.iter().map(|&pick| WORDS[pick]).collect();
        let source = text("Cargo.toml", &manifest.join(" "));
        if let Err(errors) = parse(&source, &source) {
            for error in errors {
                prop_assert!(source.text().get(error.span.range).is_some());
            }
        }
    }
}

#[test]
fn limits_of_increases() {
    let config = read(
        "[package.metadata.occlint.lints]\nspill-regression = { level = \"warn\", max-increase = \"5%\", warn-increase = \"8 bytes\" }\n\
         register-regression = { max-increase = 4 }\nresidency-regression = { max-increase = \"1 block\" }\n",
    );
    let limits = |lint| config.levels.limits(lint);
    assert_eq!(
        limits("spill-regression"),
        Limits { hard: Some(Increase::Share(500)), soft: Some(Increase::Amount(8)) }
    );
    assert_eq!(limits("register-regression").hard, Some(Increase::Amount(4)));
    assert_eq!(limits("residency-regression").hard, Some(Increase::Amount(1)));
    assert_eq!(config.levels.get("spill-regression").map(|setting| setting.level), Some(Level::Warn));
    assert_eq!(config.levels.get("register-regression"), None);
    insta::assert_snapshot!(
        in_table("lints = { spill = { max-increase = \"5%\" }, spill-regression = { max-increse = 3, warn-increase = \"2 blocks\" }, register-regression = { max-increase = \"many\", level = \"dney\" }, residency-regression = { max-increase = [1] } }"),
        @r##"
    2:36 "\"5%\"" | `spill` has no increase | limits go with `register-regression`, `residency-regression`, `spill-regression`
    2:65 "max-increse" | unknown key `max-increse` | did you mean `max-increase`?
    2:98 "\"2 blocks\"" | `2 blocks` is no limit of `spill-regression`, which counts in bytes | write it like `warn-increase = "5%"` or `warn-increase = "2 bytes"`
    2:151 "\"many\"" | `many` is no amount | write it like `max-increase = "5%"` or `max-increase = "2 registers"`
    2:167 "\"dney\"" | `dney` is no level of a lint | did you mean `deny`?
    2:217 "[1]" | `max-increase` must be a string, not an array | write it like `max-increase = "5%"` or `max-increase = "2 blocks"`
    "##
    );
}

#[test]
fn the_last_day_of_a_waiver() {
    let config = read(
        "[[package.metadata.occlint.kernel]]\nname = \"k\"\nallow = [{ lint = \"spill\", until = \"2027-03-01\" }, { lint = \"partial-warp\", until = 2027-03-02 }]\n",
    );
    let days: Vec<String> = config.rules[0]
        .waivers
        .iter()
        .map(|waiver| waiver.until.map(|day| day.to_string()).unwrap_or_default())
        .collect();
    assert_eq!(days, ["2027-03-01", "2027-03-02"]);
    insta::assert_snapshot!(
        in_kernel("name = \"k\"\nallow = [{ lint = \"spill\", until = \"2027-02-29\" }, { lint = \"spill\", until = \"soon\" }, { lint = \"spill\", until = 3 }]"),
        @r##"
    3:36 "\"2027-02-29\"" | `2027-02-29` is no day: there is no such day | write the last day like `until = "2027-03-01"`
    3:78 "\"soon\"" | `soon` is no day: it must be year, month and day, like `2027-03-01` | write the last day like `until = "2027-03-01"`
    3:114 "3" | `until` must be a string, not an integer | write it like `until = "2027-03-01"`
    "##
    );
}
