//! What other bounds cost, against recompiled source; and a ptxas that is counted, breaks or lies.

use std::process::Command;

use serde_json::Value;

use crate::project::{Project, Run, root, toolkit};

/// Registers, bytes of spill stores and of spill loads.
type Code = (u64, u64, u64);

/// What nvcc makes of a source text: the figures of a kernel, its callees' spills included.
#[expect(clippy::disallowed_methods, reason = "the oracle is run by hand")]
fn recompiled(text: &str, arch: &str, kernel: &str, flags: &[&str]) -> Code {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("k.cu");
    std::fs::write(&source, text).unwrap();
    let output = Command::new(&toolkit().nvcc)
        .args(flags)
        .args(["-cubin", "-Xptxas", "-v", "-arch", arch, "-o"])
        .arg(folder.path().join("k.cubin"))
        .arg(&source)
        .output()
        .unwrap();
    let log = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{log}");
    let entry = format!("Compiling entry function '_Z{}{kernel}", kernel.len());
    let report = log
        .split("Compiling entry function")
        .find(|part| format!("Compiling entry function{part}").starts_with(&entry));
    let report = report.unwrap_or_else(|| panic!("no {kernel} in\n{log}"));
    let before = |words: &str| -> u64 {
        let of_line = |line: &str| {
            let at = line.find(words)?;
            line[..at].trim_end().rsplit([' ', ',']).next()?.parse::<u64>().ok()
        };
        report.lines().filter_map(of_line).sum()
    };
    (before(" registers"), before(" bytes spill stores"), before(" bytes spill loads"))
}

fn code(row: &Value) -> Code {
    let figure = |key: &str| row[key].as_u64().unwrap();
    (figure("registers"), figure("spill_stores"), figure("spill_loads"))
}

fn frontier(run: &Run, kernel: &str, arch: &str) -> Vec<Value> {
    let line = run.kernel(kernel, arch);
    line["frontier"].as_array().unwrap_or_else(|| panic!("no frontier: {line}\n{}", run.stderr)).clone()
}

/// Every row of a frontier is what nvcc makes of the source with these bounds; how many rows there were.
fn agrees(run: &Run, text: &str, kernel: &str, arch: &str, bounds: &str, threads: u32) -> usize {
    let rows = frontier(run, &format!("{kernel}("), arch);
    for row in &rows {
        let changed = match row["min_blocks"].as_u64() {
            Some(blocks) => format!("__launch_bounds__({threads}, {blocks}) {kernel}("),
            None => format!("__launch_bounds__({threads}) {kernel}("),
        };
        let original = format!("{bounds} {kernel}(");
        assert!(text.contains(&original), "{original}");
        let right = recompiled(&text.replace(&original, &changed), arch, kernel, &[]);
        assert_eq!(code(row), right, "{kernel} on {arch}, {changed}");
    }
    rows.len()
}

fn case(name: &str) -> String {
    std::fs::read_to_string(root().join("tests/kernels").join(name)).unwrap()
}

#[test]
fn the_frontier_of_forced_spill_is_the_compilers() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("demo.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    let rows = frontier(&run, "forced_spill(", "sm_90");
    let brief: Vec<_> = rows.iter().map(|row| (row["min_blocks"].as_u64(), code(row))).collect();
    assert_eq!(brief[0], (Some(8), (64, 980, 1124)));
    assert!(brief.contains(&(Some(4), (128, 0, 0))), "{brief:?}");
    assert_eq!(agrees(&run, &case("demo.cu"), "forced_spill", "sm_90", "__launch_bounds__(128, 8)", 128), 3);
    let marked = |key: &str| -> Vec<&Value> {
        rows.iter().filter(|row| row[key] == true).map(|row| &row["min_blocks"]).collect()
    };
    assert_eq!((marked("current"), marked("best_without_spill")), (vec![&8.into()], vec![&4.into()]));
    // 128 registers × 128 threads: four blocks of an SM's 65,536; 16 of its 64 warps
    let last = rows.last().unwrap();
    assert_eq!((&last["residency"], &last["occupancy"]), (&4.into(), &0.25.into()));
    assert_eq!((&last["limiters"], &last["ptxas"]), (&serde_json::json!(["registers"]), &"13.0.88".into()));
    assert!(run.kernel("roomy(", "sm_90")["frontier"].is_null(), "nothing to find");
    let line = run.kernel("forced_spill(", "sm_90");
    assert_eq!((&line["bounds_cause_spills"], &line["frontier_ptxas"]), (&true.into(), &"13.0.88".into()));
    assert_eq!((&line["remedies"], &line["no_frontier"]), (&serde_json::json!([]), &Value::Null));

    let human = project.occlint(&[]).exits(0).stdout;
    for words in [
        "leaves 64 registers per thread; without it nothing spills",
        "the same PTX, assembled again with other bounds (sm_90, ptxas 13.0.88):",
        "      8          64       980/1124        8        50 %     registers   now\n",
        "      4          128         0/0          4        25 %     registers   most without spills\n",
        "fewer resident warps without spills can be faster or slower: measure both",
    ] {
        assert!(human.contains(words), "{words:?} is missing in\n{human}");
    }
    assert!(human.lines().all(|line| line.chars().count() <= 100), "{human}");
}

#[test]
fn dropped_bounds_and_callees_are_assembled_as_recompiled() {
    let project = Project::new("archs = [\"sm_80\", \"sm_90\", \"sm_120\"]")
        .with_case("suite.cu")
        .with_case("callee_spill.cu");
    let run = project.occlint(&["--message-format", "json", "-v"]).exits(100);
    let suite = case("suite.cu");
    let bounds = "__launch_bounds__(128, 16)";
    assert!(agrees(&run, &suite, "spiller", "sm_90", bounds, 128) >= 3);
    assert!(agrees(&run, &suite, "spiller", "sm_120", bounds, 128) >= 3);
    let rows = frontier(&run, "spiller(", "sm_120");
    assert_eq!((&rows[0]["min_blocks"], &rows[0]["min_blocks_hold"]), (&16.into(), &false.into()));
    // 1,536 threads are twelve blocks of 128
    assert_eq!((&rows[1]["min_blocks"], &rows[1]["residency"]), (&12.into(), &12.into()));
    let callee = case("callee_spill.cu");
    let bounds = &callee[callee.find("__launch_bounds__").unwrap()..callee.find(" kcall(").unwrap()];
    let threads = bounds.split(['(', ',', ')']).nth(1).unwrap().trim().parse().unwrap();
    for arch in ["sm_80", "sm_90", "sm_120"] {
        assert!(agrees(&run, &callee, "kcall", arch, bounds, threads) >= 2, "{arch}");
    }
}

#[test]
fn bounds_that_are_not_the_cause_are_not_blamed() {
    let project = Project::new("archs = [\"sm_90\"]");
    // more live values than the 255 registers that any thread may have
    let text = "template <int N> __device__ __forceinline__ void mix(float* o, const float* a) {\n  float v[N];\n\
        #pragma unroll\n  for (int i = 0; i < N; i++) v[i] = a[i * 64 + threadIdx.x];\n\
        for (int r = 0; r < a[0]; r++) {\n#pragma unroll\n    for (int i = 0; i < N; i++) v[i] = v[i] * v[(i * 7 + 3) % N] + v[(i + 1) % N];\n  }\n\
        #pragma unroll\n  for (int i = 0; i < N; i++) o[i * 64 + threadIdx.x] = v[i];\n}\n\
        __global__ void __launch_bounds__(64, 5) huge(float* o, const float* a) { mix<320>(o, a); }\n";
    project.write("k.cu", text);
    let run = project.occlint(&[]).exits(0);
    assert!(
        run.stdout.contains("its bounds are not the cause: assembled without them, it spills too"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("without it nothing spills"), "{}", run.stdout);
}

#[test]
fn relocatable_kernels_are_assembled_beside_functions_that_spill() {
    let project = small();
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &manifest.replace("archs = ", "flags = [\"-rdc=true\", \"-O3\"]\narchs = "));
    // a function that spills by itself follows the kernel in ptxas' log, but the kernel does not call it
    let small = std::fs::read_to_string(project.path().join("kernels/small.cu")).unwrap();
    project.write("kernels/small.cu", &(small + "\n" + &case("callee_spill.cu").replace("48", "160")));
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    assert!(!run.kernel("spiller(", "sm_90")["frontier"].is_null(), "{}", run.stderr);
}

/// One kernel that spills, quick to compile: 32 registers of the 72 it wants.
pub(crate) fn small() -> Project {
    let project = Project::new("archs = [\"sm_90\"]\nsources = [\"kernels/*.cu\"]");
    let suite = case("suite.cu");
    let from = suite.find("template").unwrap();
    let at = suite.find("__launch_bounds__(128, 16) spiller(").unwrap();
    let to = at + suite[at..].find('\n').unwrap();
    project.write("kernels/small.cu", &suite[from..to]);
    project
}

/// A text with its lines and frames taken away.
pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().filter(|word| !matches!(*word, "│" | "·")).collect::<Vec<_>>().join(" ")
}

/// A hundred values that live at once.
const BODY: &str = "int v[100]; _Pragma(\"unroll\") for (int i = 0; i < 100; i++) v[i] = a[threadIdx.x + i * 64]; __syncthreads(); \
    _Pragma(\"unroll\") for (int i = 0; i < 100; i++) o[threadIdx.x + i * 64] = v[99 - i];";

/// Kernels with these names and bounds, all with [`BODY`].
fn kernels(all: &[(&str, &str)]) -> String {
    let kernel = |(name, bounds): &(&str, &str)| {
        format!("__global__ void {bounds} {name}(int* o, const int* a) {{ {BODY} }}\n")
    };
    all.iter().map(kernel).collect()
}

#[test]
fn a_register_cap_of_the_unit_is_what_the_compiler_makes_of_it_for_each_kernel() {
    // a bound on threads or registers overrides the option, be it lower or higher, and ptxas does not always say so
    let all = [
        ("sixteen", "__launch_bounds__(128, 16)"),
        ("wide", "__launch_bounds__(1024)"),
        ("dropped", "__launch_bounds__(128, 99)"),
        ("forty", "__maxnreg__(40)"),
        ("bare", ""),
        ("targeted", ""),
    ];
    let text = kernels(&all);
    for cap in ["24", "64", "90"] {
        let flag = format!("-maxrregcount={cap}");
        let project = Project::new(&format!(
            "archs = [\"sm_90\"]\nflags = [\"{flag}\"]\n[[package.metadata.occlint.kernel]]\nname = \"targeted\"\nblock = 128"
        ));
        project.write("kernels/k.cu", &text);
        let run = project
            .occlint(&["--message-format", "json", "-A", "bounds-dropped", "-A", "residency-below-bounds"])
            .exits(0);
        assert!(!run.stderr.contains("Note "), "{}", run.stderr);
        for (name, bounds) in all {
            let line = run.kernel(&format!("{name}("), "sm_90");
            assert_eq!(code(&line), recompiled(&text, "sm_90", name, &[&flag]), "{name}, {flag}");
            if line["spill_stores"] == 0 {
                continue;
            }
            let threads = if name == "wide" { 1024 } else { 128 };
            for row in frontier(&run, &format!("{name}("), "sm_90") {
                let (all, none) = (vec![flag.as_str()], Vec::new());
                let (changed, flags) = match row["min_blocks"].as_u64() {
                    _ if row["current"] == true => (bounds.to_owned(), all),
                    Some(blocks) => (format!("__launch_bounds__({threads}, {blocks})"), all),
                    None if matches!(name, "bare" | "targeted") => (String::new(), none),
                    None if name == "forty" => (String::new(), all),
                    None => (format!("__launch_bounds__({threads})"), all),
                };
                if row["current"] == false && row["min_blocks"].is_null() {
                    let beneath = (name == "forty").then(|| cap.parse::<u64>().unwrap());
                    assert_eq!(row["max_registers"].as_u64(), beneath, "{name}, {flag}");
                }
                let text = kernels(&[(name, &changed)]);
                assert_eq!(code(&row), recompiled(&text, "sm_90", name, &flags), "{name}, {flag}, {changed}");
            }
        }
        let bare = run.kernel("bare(", "sm_90");
        let change = serde_json::json!([bare["remedies"][0]["change"], bare["remedies"][0]["registers"]]);
        assert_eq!(change, serde_json::json!(["no-maxrregcount", 128]), "{bare}");
    }
}

#[test]
fn without_a_block_registers_and_spills_are_compared_and_the_residency_is_unknown() {
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("kernels/k.cu", &kernels(&[("forty", "__maxnreg__(40)")]));
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    let rows = frontier(&run, "forty(", "sm_90");
    let brief: Vec<Value> = rows
        .iter()
        .map(|row| {
            serde_json::json!([row["max_registers"], row["registers"], row["residency"], row["block"]])
        })
        .collect();
    assert_eq!(brief, [serde_json::json!([40, 40, null, null]), serde_json::json!([null, 128, null, null])]);
    assert_eq!(run.kernel("forty(", "sm_90")["bounds_cause_spills"], true);
    let human = words(&project.occlint(&[]).exits(0).stdout);
    for text in [
        "(sm_90, ptxas 13.0.88, unknown block):",
        " cap 40 40 268/268 ? ? ",
        " – 128 0/0 ? ? most without spills ",
        "no block is assumed: give `block`, or `__launch_bounds__`, for the residency; measure both",
    ] {
        assert!(human.contains(text), "{text:?} is missing in {human}");
    }
}

#[test]
fn where_nothing_can_be_assembled_the_reason_is_said() {
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-dlto\"]");
    project.write("kernels/k.cu", &kernels(&[("k", "__launch_bounds__(128, 16)")]));
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    assert_eq!(run.kernel("k(", "sm_90")["no_frontier"], "link-time", "{}", run.stderr);
    let human = words(&project.occlint(&[]).exits(0).stdout);
    assert!(human.contains("compile without `-dlto` to see what they cost"), "{human}");
}

#[test]
fn ways_to_the_blocks_asked_for_are_what_the_compiler_makes_of_them() {
    let target = |name: &str, blocks: u32| {
        format!("[[package.metadata.occlint.kernel]]\nname = \"{name}\"\nmin-blocks = {blocks}\n")
    };
    let targets = target("by_registers", 12) + &target("by_shared", 8);
    let project = Project::new(&format!("archs = [\"sm_90\"]\n{targets}"));
    let shared = "__global__ void __launch_bounds__(256) by_shared(int* o, const int* a) { __shared__ int s[12288]; s[threadIdx.x] = a[0]; __syncthreads(); o[threadIdx.x] = s[255 - threadIdx.x]; }\n";
    let text = kernels(&[("by_registers", "__launch_bounds__(128)")]) + shared;
    project.write("kernels/k.cu", &text);
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    let remedies = |kernel: &str| run.kernel(kernel, "sm_90")["remedies"].as_array().unwrap().clone();
    let of = |kernel: &str, change: &str| -> Value {
        let found = remedies(kernel).into_iter().find(|remedy| remedy["change"] == change);
        found.unwrap_or_else(|| panic!("{change}: {:?}", remedies(kernel)))
    };
    let made = |bounds: &str| {
        recompiled(&text.replace("__launch_bounds__(128)", bounds), "sm_90", "by_registers", &[])
    };
    let bound = of("by_registers(", "min-blocks");
    assert_eq!((&bound["min_blocks"], code(&bound)), (&12.into(), made("__launch_bounds__(128, 12)")));
    // 128 registers: 16 warps fit, twelve blocks only of one warp; none of two warps or more
    assert!(remedies("by_registers(").iter().all(|remedy| remedy["change"] != "block"));
    let fits = of("by_registers(", "ask-for");
    assert_eq!((&fits["min_blocks"], code(&fits)), (&4.into(), made("__launch_bounds__(128)")));
    // 228 KiB over eight blocks: 28.5 KiB, a KiB of it the driver's
    let less = of("by_shared(", "shared-memory");
    assert_eq!((&less["smem"], &less["residency"]), (&28_160.into(), &8.into()));
    let smaller = text.replace("s[12288]", "s[7040]");
    project.write("kernels/k.cu", &smaller);
    let met = project.occlint(&["--message-format", "json"]).exits(100);
    assert_eq!(met.kernel("by_shared(", "sm_90")["residency"], 8);
    assert_eq!(code(&met.kernel("by_shared(", "sm_90")), code(&less));
    for line in run.lines("finding") {
        let help = line["help"].as_str().unwrap();
        assert!(
            help.lines().filter(|line| line.contains(" registers, ")).all(|line| line.ends_with(": measure")),
            "{help}"
        );
    }
}

#[test]
fn a_smaller_block_is_assembled_before_it_is_advised() {
    let project = Project::new(
        "archs = [\"sm_90\"]\n[[package.metadata.occlint.kernel]]\nname = \"k\"\nmin-blocks = 3\n",
    );
    let text = kernels(&[("k", "__launch_bounds__(256)")]);
    project.write("kernels/k.cu", &text);
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    let line = run.kernel("k(", "sm_90");
    let remedy =
        line["remedies"].as_array().unwrap().iter().find(|remedy| remedy["change"] == "block").unwrap();
    // 128 registers: 16 warps, three blocks of five
    assert_eq!((&remedy["block"], &remedy["residency"]), (&160.into(), &3.into()), "{line}");
    let changed = text.replace("__launch_bounds__(256)", "__launch_bounds__(160, 3)");
    assert_eq!(code(remedy), recompiled(&changed, "sm_90", "k", &[]));
}

#[test]
fn advice_for_a_group_is_said_of_those_that_it_is_true_of() {
    let project = Project::new(
        "archs = [\"sm_90\"]\n[[package.metadata.occlint.kernel]]\nname = \"k\"\nmin-blocks = 12\n",
    );
    let text = format!(
        "template <bool SHARED> __global__ void __launch_bounds__(128) k(int* o, const int* a) {{\n\
         if constexpr (SHARED) {{ __shared__ int s[8192]; s[threadIdx.x] = a[0]; __syncthreads(); o[threadIdx.x] = s[127 - threadIdx.x]; }}\n\
         else {{ {BODY} }}\n}}\ntemplate __global__ void k<true>(int*, const int*);\ntemplate __global__ void k<false>(int*, const int*);\n"
    );
    project.write("kernels/k.cu", &text);
    let human = words(&project.occlint(&[]).exits(100).stdout);
    for said in [
        "help: `k<false>` on sm_90: assembled with min blocks 12: 40 registers, 268/268 bytes spilled, and 12 blocks fit: measure",
        // 228 KiB over twelve blocks: 19 KiB, a KiB of it the driver's
        "`k<true>` on sm_90: with at most 18432 bytes of shared memory per block: ",
        "worst of 2 instantiations",
    ] {
        assert!(human.contains(said), "{said:?} is missing in {human}");
    }
}

/// Sums of ninety products: ptxas chooses fewer registers for them without any cap than under the largest.
const CHOICE: &str = "float r[90]; _Pragma(\"unroll\") for (int i = 0; i < 90; i++) r[i] = a[i * 33 + threadIdx.x] * s; __syncthreads(); float t = 0; \
    _Pragma(\"unroll\") for (int i = 0; i < 90; i++) r[i] = r[i] * r[(i * 7 + 3) % 90] + s; __syncthreads(); \
    _Pragma(\"unroll\") for (int i = 0; i < 90; i++) t += r[i] * r[(i * 5 + 1) % 90]; o[threadIdx.x] = t;";

#[test]
fn without_a_cap_means_source_without_it() {
    let source = |bounds: &str| {
        format!("__global__ void {bounds} capped(float* o, const float* a, float s) {{ {CHOICE} }}\n")
    };
    for (flags, bounds, change, table) in [
        (&[][..], "__maxnreg__(40)", "no-maxnreg", ""),
        (&["-maxrregcount=48"], "__maxnreg__(40)", "no-maxnreg", ""),
        (&["-maxrregcount=40"], "__maxnreg__(48)", "no-maxnreg", "block = 256"),
        (&["-maxrregcount=40"], "", "no-maxrregcount", ""),
        (&["-maxrregcount=40"], "", "no-maxrregcount", "block = 256"),
    ] {
        let project = Project::new(&format!(
            "archs = [\"sm_90\"]\nflags = {flags:?}\n[[package.metadata.occlint.kernel]]\nname = \"capped\"\n{}",
            if table.is_empty() { "max-registers = 255" } else { table }
        ));
        project.write("kernels/k.cu", &source(bounds));
        let run = project.occlint(&["--message-format", "json", "-A", "bounds-dropped"]).exits(0);
        let line = run.kernel("capped(", "sm_90");
        let remedies = line["remedies"].as_array().unwrap_or_else(|| panic!("{line}"));
        let remedy = remedies.iter().find(|remedy| remedy["change"] == change).unwrap();
        let flags = if change == "no-maxnreg" { flags } else { &[] };
        let right = recompiled(&source(""), "sm_90", "capped", flags);
        assert_eq!(code(remedy), right, "{flags:?} {bounds} {table}");
        let free = right.1 == 0 && right.2 == 0;
        // under the unit's cap what still spills without the kernel's own may be the fault of both
        let unknown = change == "no-maxnreg" && !flags.is_empty() && !free;
        let blamed = if change == "no-maxnreg" { "bounds_cause_spills" } else { "cap_causes_spills" };
        let causes = ["bounds_cause_spills", "cap_causes_spills"].map(|key| line[key].as_bool());
        let cause = |key: &str| (key == blamed && !unknown).then_some(free);
        assert_eq!(causes, ["bounds_cause_spills", "cap_causes_spills"].map(cause), "{line}");
    }
}

#[test]
fn spills_to_shared_memory_are_counted_in_every_variant() {
    let source = |bounds: &str| {
        format!(
            "__global__ void {bounds} sm(float* o, const float* a, float s) {{\n\
             asm volatile(\".pragma \\\"enable_smem_spilling\\\";\"); {} }}\n",
            CHOICE.replace("90", "100")
        )
    };
    let manifest = "archs = [\"sm_90\"]\n[[package.metadata.occlint.kernel]]\nname = \"*\"\nmin-blocks = 5\n";
    let project = Project::new(manifest);
    project.write("kernels/k.cu", &source("__launch_bounds__(256, 4)"));
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    let line = run.kernel("sm(", "sm_90");
    let rows = frontier(&run, "sm(", "sm_90");
    let built = rows.iter().find(|row| row["current"] == true).unwrap();
    assert_eq!((&built["spill_stores"], &built["best_without_spill"]), (&0.into(), &false.into()), "{line}");
    assert!(built["shared_spills"].as_u64().unwrap() > 0, "{line}");
    assert!(line["bounds_cause_spills"].is_boolean(), "{line}");
    // each as a build of its own, whose spills come from its own cubin
    let spilled = |bounds: &str| {
        project.write("kernels/k.cu", &source(bounds));
        let run = project.occlint(&["--message-format", "json", "--experiments", "off"]);
        let line = run.kernel("sm(", "sm_90");
        (code(&line), line["shared_spills"].clone())
    };
    let said = |record: &Value| (code(record), record["shared_spills"].clone());
    for row in &rows {
        let bounds = match row["min_blocks"].as_u64() {
            Some(blocks) => format!("__launch_bounds__(256, {blocks})"),
            None => "__launch_bounds__(256)".to_owned(),
        };
        assert_eq!(said(row), spilled(&bounds), "{bounds}");
    }
    let remedies = line["remedies"].as_array().unwrap();
    let block = remedies.iter().find(|remedy| remedy["change"] == "block").unwrap();
    assert_eq!(said(block), spilled(&format!("__launch_bounds__({}, 5)", block["block"])), "{block}");
    for remedy in remedies {
        let free = remedy["text"].as_str().unwrap().contains("nothing spilled");
        assert_eq!(free, said(remedy) == ((code(remedy).0, 0, 0), 0.into()), "{remedy}");
    }
    // with nothing asked its spills are still a reason
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("kernels/k.cu", &source("__launch_bounds__(256, 4)"));
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    let line = run.kernel("sm(", "sm_90");
    assert!(line["no_frontier"].is_null() && !line["frontier"].is_null(), "{line}");
}
