//! Kernels whose right answers are known.

use crate::project::{Project, Run};

#[test]
fn named_barriers_limit_from_sm_90_on() {
    let project = Project::new("archs = [\"sm_80\", \"sm_90\", \"sm_120\"]").with_case("suite.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    let residency = |kernel: &str, arch: &str| run.kernel(kernel, arch)["residency"].clone();
    assert_eq!(run.kernel("barriers8(", "sm_90")["barriers"], 8);
    assert_eq!(run.kernel("barriers_dyn(", "sm_90")["barriers"], 16);
    assert_eq!((residency("barriers8(", "sm_90"), residency("barriers8(", "sm_120")), (8.into(), 3.into()));
    assert_eq!(
        (residency("barriers_dyn(", "sm_90"), residency("barriers_dyn(", "sm_120")),
        (4.into(), 1.into())
    );
    assert!(residency("barriers8(", "sm_80").as_u64() > Some(8));
}

#[test]
fn the_suite_tells_spills_from_everything_else() {
    let project = Project::new("archs = [\"sm_90\", \"sm_120\"]").with_case("suite.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    let findings = run.findings();
    assert!(findings.contains(&"bounds-dropped spiller sm_120".to_owned()), "{findings:#?}");
    assert!(
        findings.contains(&"unbounded-stack recursive sm_90".to_owned()),
        "13.0 is silent: {findings:#?}"
    );
    assert!(findings.contains(&"unknown-dynamic-smem dynsmem sm_90".to_owned()), "{findings:#?}");
    assert!(!findings.iter().any(|line| line.contains("local_array")), "{findings:#?}");
    assert_eq!(run.kernel("local_array(", "sm_90")["stack"], 0);
    assert_eq!(
        run.kernel("(anonymous namespace)::anon(", "sm_90")["key"],
        "demo/(anonymous namespace)::anon(float*)"
    );
}

/// `kind bytes name line` of each part of a kernel's local memory.
fn local_memory(run: &Run, kernel: &str, arch: &str) -> Vec<String> {
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => "-".to_owned(),
        other => other.to_string(),
    };
    let line = run.kernel(kernel, arch);
    let parts = line["local_memory"].as_array().unwrap().iter();
    parts.map(|part| ["kind", "bytes", "name", "line"].map(|key| text(&part[key])).join(" ")).collect()
}

#[test]
fn local_memory_is_no_spill() {
    let project = Project::new("archs = [\"sm_75\", \"sm_90\", \"sm_120\"]").with_case("nospill.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    let findings = run.findings();
    assert!(!findings.iter().any(|line| line.starts_with("spill ")), "{findings:#?}");
    for arch in ["sm_75", "sm_90", "sm_120"] {
        for (kernel, kind) in [
            ("k_cos(", "slow-path 40 cos 3"),
            ("k_printf(", "printf 8 - 5"),
            ("k_lut(", "array 64 s 6"),
            ("k_byref(", "address-taken 16 byref(float*, int) 8"),
        ] {
            assert_eq!(local_memory(&run, kernel, arch), [kind], "{kernel} on {arch}");
        }
        for (kernel, warns) in [("k_lut", true), ("k_byref", true), ("k_cos", false), ("k_printf", false)] {
            let line = format!("local-memory {kernel} {arch}");
            assert_eq!(findings.contains(&line), warns, "{line} in {findings:#?}");
        }
    }
}

#[test]
fn local_memory_is_named_by_what_is_in_the_frame() {
    let project = Project::new("archs = [\"sm_90\", \"sm_120\"]").with_case("local_memory.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    for arch in ["sm_90", "sm_120"] {
        let held = |kernel: &str| local_memory(&run, kernel, arch);
        assert_eq!(held("two_arrays("), ["array 64 first 6", "array 32 second 7"]);
        assert_eq!(held("table_and_sine("), ["array 64 table 17", "slow-path 32 sinf 19"]);
        assert_eq!(held("table_and_printf("), ["array 64 table 28", "printf 16 - 34"]);
        assert_eq!(held("of_a_callee("), ["array 64 lookup 40"]);
        assert_eq!(held("inlined("), ["array 64 buffer 55"]);
        assert_eq!(held("void histogram<10>("), ["array 80 bins 67"]);
        assert_eq!(held("kept("), ["address-taken 16 - 79"]);
        assert_eq!(held("indirect("), ["call-frame 72 - -"]);
        assert!(held("resolved(").is_empty(), "ptxas keeps it in registers");
    }
}

#[test]
fn a_callees_spills_belong_to_the_kernel() {
    for (arch, stores, loads) in [("sm_90", 196, 204), ("sm_80", 200, 204), ("sm_120", 192, 200)] {
        let project = Project::new(&format!("archs = [\"{arch}\"]")).with_case("callee_spill.cu");
        let run = project.occlint(&["--message-format", "json"]);
        assert_eq!(run.kernel("kcall(", arch)["spill_stores"], 0);
        let finding = run.lines("finding").into_iter().find(|line| line["lint"] == "spill").unwrap();
        let message = finding["message"].as_str().unwrap();
        for words in ["kcall", "heavy", &format!("{stores} bytes of stores and {loads} bytes of loads")] {
            assert!(message.contains(words), "{message}");
        }
    }
}

/// `file:line text` of each label of the kernel's `spill`.
fn spill_labels(run: &Run, kernel: &str) -> Vec<String> {
    let findings = run.lines("finding").into_iter();
    let mut spills = findings.filter(|line| {
        line["lint"] == "spill" && line["kernel"].as_str().is_some_and(|name| name.starts_with(kernel))
    });
    let labels = spills.next().unwrap()["labels"].as_array().unwrap().clone();
    let text = |label: &serde_json::Value| {
        format!("{}:{} {}", label["file"].as_str().unwrap(), label["line"], label["text"].as_str().unwrap())
    };
    labels.iter().map(text).collect()
}

#[test]
fn the_lines_with_the_most_spills_are_shown() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("demo.cu").with_case("callee_spill.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    let demo = spill_labels(&run, "forced_spill(");
    assert!(demo[0].starts_with("kernels/demo.cu:28 leaves 64 registers per thread"), "{demo:#?}");
    for (label, (line, count)) in demo[1..].iter().zip([(18, 252), (21, 169), (25, 63)]) {
        assert!(
            label.starts_with(&format!("kernels/demo.cu:{line} {count} of 520 spill instructions")),
            "{demo:#?}"
        );
        assert!(label.ends_with("inlined into `forced_spill` at line 28"), "{demo:#?}");
    }
    assert_eq!(demo.len(), 4);

    let callee = spill_labels(&run, "kcall(");
    assert_eq!(callee[0], "kernels/callee_spill.cu:1 the spills are in this function");
    assert!(
        callee[2..]
            .iter()
            .all(|label| label.contains("spill instructions") && label.ends_with(", in `heavy`")),
        "{callee:#?}"
    );
    assert_eq!(callee.len(), 5);
}

#[test]
fn spills_to_shared_memory_are_found_although_the_report_says_none() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("smemspill8.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    let kernel = run.kernel("spill_shared_only(", "sm_90");
    assert_eq!((&kernel["spill_stores"], &kernel["spill_loads"]), (&0.into(), &0.into()));
    let findings = run.lines("finding");
    let spill = findings.iter().find(|line| line["lint"] == "spill").unwrap();
    assert_eq!(
        spill["message"],
        "`spill_shared_only(float*, float const*)` spills to shared memory on sm_90"
    );
    assert_eq!(
        spill["notes"][0],
        "46 spill instructions go to shared memory and cost 5632 bytes of it per block"
    );
}

#[test]
fn the_reserve_of_shared_memory_counts() {
    let project = Project::new("archs = [\"sm_80\", \"sm_86\", \"sm_89\", \"sm_90\"]").with_case("smem80.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    for (arch, blocks) in [("sm_80", 18), ("sm_86", 11), ("sm_89", 11), ("sm_90", 25)] {
        assert_eq!(run.kernel("tile8k(", arch)["residency"], blocks, "{arch}");
    }
}

#[test]
fn advisories_are_findings_with_their_codes() {
    let project = Project::new("archs = [\"sm_90a\"]").with_case("wgmma.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    let text = run.stdout.clone();
    for code in ["C7508", "C7511", "C7517", "C7519"] {
        assert!(text.contains(code), "{code}: {text}");
    }
    assert!(run.findings().iter().any(|line| line.starts_with("bounds-dropped smn")), "{:?}", run.findings());
}

#[test]
fn too_much_shared_memory_fails_although_the_report_is_complete() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("bigsmem.cu");
    let run = project.occlint(&[]).exits(101);
    assert!(run.stderr.contains("uses too much shared data (0x13880 bytes, 0xc000 max)"), "{}", run.stderr);
    assert!(run.stderr.contains("exit status 255"), "{}", run.stderr);
}

#[test]
fn a_comment_travels_with_its_kernel() {
    let project = Project::new("archs = [\"sm_90\"]");
    let text = "extern __shared__ float s[];\r\n// occlint: block = 128, dynamic-smem = 48 KiB, min-blocks = 8\r\n\
                __global__ void k(float* o) { s[threadIdx.x] = *o; __syncthreads(); *o = s[1]; }\r\n";
    project.write("k.cu", text);
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    assert_eq!(run.findings(), ["residency-below-target k sm_90"]);
    let kernel = run.kernel("k(", "sm_90");
    assert_eq!(
        (&kernel["block"], &kernel["block_from"], &kernel["residency"]),
        (&128.into(), &"target".into(), &4.into())
    );
}

#[test]
fn a_comment_above_a_macro_is_about_its_kernels() {
    let project = Project::new("archs = [\"sm_90\"]");
    let text = "#define DEF(n, lb) __global__ void __launch_bounds__(256, lb) n(float* o) { o[threadIdx.x] = 1; }\n\
                // occlint: block = 64, dynamic-smem = 100 KiB, min-blocks = 3\nDEF(\n  z, 2)\n\
                __global__ void other(float* o) { o[0] = 1; }\n";
    project.write("k.cu", text);
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    assert_eq!(run.findings(), ["residency-below-target z sm_90"]);
    assert_eq!(run.kernel("z(", "sm_90")["block"], 64);
    assert!(run.kernel("other(", "sm_90")["block"].is_null());
}

#[test]
fn ptx_is_assembled_by_ptxas_alone() {
    let cuda = Project::new("archs = [\"sm_80\"]").with_case("smem80.cu");
    cuda.occlint(&["-q"]).exits(0);
    let unit =
        std::fs::read_dir(cuda.path().join("target/occlint/demo")).unwrap().next().unwrap().unwrap().path();
    let ptx = std::fs::read_to_string(unit.join("sm_80/smem80.ptx")).unwrap();
    let project = Project::new("archs = [\"sm_80\", \"sm_90\"]\nsources = [\"ptx/*.ptx\"]");
    project.write("ptx/tile.ptx", &ptx);
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    assert_eq!(run.kernel("tile8k(", "sm_80")["residency"], 18);
    assert_eq!(run.kernel("tile8k(", "sm_90")["residency"], 25);
}

#[test]
fn one_template_is_one_finding() {
    let project = Project::new("archs = [\"sm_90\"]");
    let mut text = String::from(
        "template <int N> __global__ void __launch_bounds__(128) lut(float* o, int k) {\n  float s[16];\n  \
         for (int i = 0; i < 16; i++) s[i] = o[i * N];\n  for (int i = 0; i < k; i++) s[(i * k) & 15] += s[(i + k) & 15];\n  \
         o[0] = s[k & 15];\n}\n",
    );
    (1..=40).for_each(|n| text.push_str(&format!("template __global__ void lut<{n}>(float*, int);\n")));
    project.write("k.cu", &text);
    let run = project.occlint(&["-W", "local-memory", "--message-format", "short"]).exits(0);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    assert!(run.stdout.contains("(one of 40 instantiations)"), "{}", run.stdout);
    let json = project.occlint(&["-W", "local-memory", "--message-format", "json"]).exits(0);
    assert_eq!(json.lines("finding").len(), 40);
}
