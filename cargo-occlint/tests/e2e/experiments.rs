//! What other bounds cost, against recompiled source; and a ptxas that is counted, breaks or lies.

use std::process::Command;

use serde_json::Value;

use crate::project::{Project, Run, root, toolkit};

/// Registers, bytes of spill stores and of spill loads.
type Code = (u64, u64, u64);

/// What nvcc makes of a source text: the figures of a kernel, its callees' spills included.
#[expect(clippy::disallowed_methods, reason = "the oracle is run by hand")]
fn recompiled(text: &str, arch: &str, kernel: &str) -> Code {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("k.cu");
    std::fs::write(&source, text).unwrap();
    let output = Command::new(&toolkit().nvcc)
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
        let right = recompiled(&text.replace(&original, &changed), arch, kernel);
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

    let human = project.occlint(&[]).exits(0).stdout;
    for words in [
        "leaves 64 registers per thread; without it nothing spills",
        "the same PTX, assembled again with other bounds (sm_90, ptxas 13.0.88):",
        "      8          64       980/1124        8        50 %     registers\n",
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

/// A toolkit whose ptxas, as experiments call it, is a script; nvcc is the real one, with its own ptxas.
fn with_ptxas(project: &Project, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let (nvcc, ptxas) = (toolkit().nvcc.display(), toolkit().ptxas.as_ref().unwrap().display());
    for (name, text) in [
        ("nvcc", format!("#!/bin/sh\nexec '{nvcc}' \"$@\"\n")),
        ("ptxas", format!("#!/bin/sh\nreal='{ptxas}'\necho call >> \"$0.calls\"\n{body}\n")),
    ] {
        project.write(&format!("toolkit/bin/{name}"), &text);
        let path = project.path().join("toolkit/bin").join(name);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    project.path().join("toolkit/bin/nvcc").to_str().unwrap().to_owned()
}

fn calls(project: &Project) -> usize {
    let text = std::fs::read_to_string(project.path().join("toolkit/bin/ptxas.calls"));
    text.map_or(0, |text| text.lines().count())
}

#[test]
fn a_second_run_assembles_nothing_and_says_the_same() {
    let project = small();
    let nvcc = with_ptxas(&project, "exec \"$real\" \"$@\"");
    let off = project.run(&["--experiments", "off", "--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
    assert_eq!((calls(&project), off.kernel("spiller(", "sm_90")["frontier"].is_null()), (0, true));
    let first = project.run(&["--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
    let made = calls(&project);
    assert!(made > 0, "{}", first.stderr);
    let second = project.run(&["--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
    assert_eq!((calls(&project), second.stdout == first.stdout), (made, true));
    // other flags are other code
    let flags =
        Project::new("archs = [\"sm_90\"]\nsources = [\"kernels/*.cu\"]\nflags = [\"-Xptxas\", \"-O1\"]");
    let manifest = std::fs::read_to_string(flags.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &manifest);
    let third = project.run(&["--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
    assert!(calls(&project) > made, "{}", third.stderr);
}

/// One kernel that spills, quick to compile: 32 registers of the 72 it wants.
fn small() -> Project {
    let project = Project::new("archs = [\"sm_90\"]\nsources = [\"kernels/*.cu\"]");
    let suite = case("suite.cu");
    let from = suite.find("template").unwrap();
    let at = suite.find("__launch_bounds__(128, 16) spiller(").unwrap();
    let to = at + suite[at..].find('\n').unwrap();
    project.write("kernels/small.cu", &suite[from..to]);
    project
}

#[test]
fn a_ptxas_that_breaks_or_lies_gives_a_note_and_no_frontier() {
    for (body, note) in [
        ("exit 3", "ptxas failed with exit status 3"),
        ("echo 'ptxas fatal   : out of memory' >&2; exit 1", "exit status 1: ptxas fatal   : out of memory"),
        ("echo '{\"garbage\": 1}'", "ptxas ended well, but its report is not whole"),
        ("kill -9 $$", "ptxas was ended"),
        (
            "printf 'fatal \\033[31mred\\007 %0500d\\n' 1; exit 1",
            "exit status 1: fatal \u{fffd}[31mred\u{fffd} 000",
        ),
        ("\"$real\" \"$@\" 2>&1 | sed 's/Used 32/Used 48/' >&2", "assembled again as it was built"),
    ] {
        let project = small();
        let nvcc = with_ptxas(&project, body);
        let run = project.run(&["--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
        assert!(run.kernel("spiller(", "sm_90")["frontier"].is_null(), "{body}");
        let notes: Vec<&str> =
            run.stderr.lines().filter(|line| line.trim_start().starts_with("Note ")).collect();
        assert!(notes.len() == 1 && notes[0].contains(note), "{body}: {}", run.stderr);
        assert!(notes[0].chars().count() < 320, "{body}: {}", run.stderr);
        assert!(run.findings().contains(&"spill spiller sm_90".to_owned()), "{body}");
    }
}

#[test]
fn what_a_lying_ptxas_said_is_not_kept() {
    let project = small();
    let nvcc = with_ptxas(&project, "\"$real\" \"$@\" 2>&1 | sed 's/Used 32/Used 48/' >&2");
    let args = ["--message-format", "json"];
    let lied = project.run(&args, &[("NVCC", &nvcc)]).exits(0);
    assert!(lied.kernel("spiller(", "sm_90")["frontier"].is_null());
    let honest = project.occlint(&args).exits(0);
    assert!(!honest.kernel("spiller(", "sm_90")["frontier"].is_null(), "{}", honest.stderr);
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

#[test]
fn what_the_limit_leaves_out_is_said() {
    let project = small();
    let archs = "archs = [\"sm_80\", \"sm_90\"]";
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &manifest.replace("archs = [\"sm_90\"]", archs));
    let args = ["--message-format", "json", "--max-experiments", "5"];
    let run = project.occlint(&args).exits(0);
    let has = |arch: &str| !run.kernel("spiller(", arch)["frontier"].is_null();
    assert!(has("sm_80") != has("sm_90"), "{}", run.stderr);
    assert!(run.stderr.contains("1 more kernel could be assembled"), "{}", run.stderr);
    let none = project.occlint(&["--message-format", "json", "--max-experiments", "0"]).exits(0);
    assert!(none.lines("kernel").iter().all(|line| line["frontier"].is_null()));
}
