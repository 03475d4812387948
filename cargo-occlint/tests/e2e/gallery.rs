//! The example crate of the README.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::project::{Run, root, run_in, toolkit};

fn gallery(args: &[&str]) -> Run {
    let manifest = root().join("examples/gallery/Cargo.toml");
    let target = tempfile::tempdir().unwrap();
    let target = target.path().to_str().unwrap();
    let base = ["--manifest-path", manifest.to_str().unwrap(), "--target-dir", target];
    toolkit();
    run_in(&root(), &[&base, args].concat(), &[], "")
}

#[test]
fn each_kernel_shows_its_lint_and_the_clean_one_none() {
    let run = gallery(&["--message-format", "json"]).exits(100);
    let findings = run.findings();
    let all =
        |lint: &str, kernel: &str| ["sm_120", "sm_80", "sm_90"].map(|arch| format!("{lint} {kernel} {arch}"));
    for (lint, kernel) in [
        ("residency-below-bounds", "shared_limits"),
        ("residency-below-target", "tiled_transpose"),
        ("unlaunchable", "too_wide_launch"),
        ("register-budget", "over_budget"),
        ("spill", "spill_template"),
        ("spill", "callee_spills"),
        ("unbounded-stack", "recursive"),
        ("unknown-dynamic-smem", "dynamic_shared"),
        ("partial-warp", "ragged"),
        ("missing-bounds", "boundless"),
        ("local-memory", "table_lookup"),
    ] {
        for line in all(lint, kernel) {
            assert!(findings.contains(&line), "{line} is missing in {findings:#?}");
        }
    }
    for (line, there) in [
        ("bounds-dropped spiller sm_120", true),
        ("bounds-dropped spiller sm_90", false),
        ("spill spiller sm_90", true),
        ("spill spiller sm_120", false),
        ("residency-below-bounds barriers_limit sm_90", true),
        ("residency-below-bounds barriers_limit sm_80", false),
        ("unmatched-target - -", true),
        ("spill allowed_spill sm_90", false),
    ] {
        assert_eq!(findings.contains(&line.to_owned()), there, "{line} in {findings:#?}");
    }
    let quiet = ["clean::axpy", "local-memory slow_path", "local-memory printer"];
    assert!(!findings.iter().any(|line| quiet.iter().any(|quiet| line.contains(quiet))), "{findings:#?}");
    assert_eq!(run.lines("kernel").len(), 3 * 19);
    assert_eq!(run.lines("summary").len(), 1);

    let guide = std::fs::read_to_string(root().join("docs/json.md")).unwrap();
    let mut fields = BTreeSet::new();
    for reason in ["kernel", "finding", "summary"] {
        run.lines(reason).iter().for_each(|line| fields_of(line, &mut fields));
    }
    fields.retain(|field| !guide.contains(&format!("`{field}`")));
    assert_eq!(fields, BTreeSet::new(), "docs/json.md does not name these fields");
}

fn fields_of(value: &Value, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(field, value)| {
            fields.insert(field.clone());
            fields_of(value, fields);
        }),
        Value::Array(values) => values.iter().for_each(|value| fields_of(value, fields)),
        _ => {}
    }
}

#[test]
fn the_killer_case_is_denied_although_nothing_spills() {
    let run = gallery(&["--message-format", "json", "--arch", "sm_90,sm_120"]).exits(100);
    let (hopper, blackwell) = (run.kernel("spiller(", "sm_90"), run.kernel("spiller(", "sm_120"));
    assert_eq!((&hopper["spill_stores"], &hopper["spill_loads"]), (&552.into(), &584.into()));
    assert_eq!((&hopper["residency"], &hopper["bounds"]["min_blocks"]), (&16.into(), &16.into()));
    assert_eq!((&blackwell["registers"], &blackwell["spill_stores"]), (&72.into(), &0.into()));
    assert_eq!(blackwell["residency"], 7);
    assert_eq!((&hopper["spill_instructions"], &blackwell["spill_instructions"]), (&278.into(), &0.into()));
    assert_eq!(blackwell["line"], 17);
    assert_eq!(blackwell["source"], "kernels/spills.cu");
}

#[test]
fn the_human_report_points_at_the_bounds() {
    let run = gallery(&[]).exits(100);
    for words in [
        "error[occlint::bounds-dropped]",
        "`spiller` loses its 16 min blocks",
        "16 × 128 threads is more than the 1536 that sm_120 holds",
        "kernels/spills.cu:17:17",
        "(worst of 3",
        "measure",
    ] {
        assert!(run.stdout.contains(words), "{words:?} is missing in\n{}", run.stdout);
    }
    assert!(run.stdout.lines().count() <= 100);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{}", run.stdout);
    assert!(run.stderr.contains("19 kernels on sm_80, sm_90, sm_120"), "{}", run.stderr);
}

#[test]
fn registers_and_shared_memory_are_what_the_cubins_say() {
    let archs = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];
    let target = tempfile::tempdir().unwrap();
    let manifest = root().join("examples/gallery/Cargo.toml");
    let (manifest, target) = (manifest.to_str().unwrap(), target.path().to_str().unwrap());
    toolkit();
    let list = archs.join(",");
    let args =
        ["--manifest-path", manifest, "--target-dir", target, "--arch", &list, "--message-format", "json"];
    let run = run_in(&root(), &args, &[], "").exits(100);
    let mut compared = 0;
    for unit in std::fs::read_dir(format!("{target}/occlint/gallery")).unwrap() {
        let unit = unit.unwrap().path();
        for arch in archs {
            let Ok(files) = std::fs::read_dir(unit.join(arch)) else { continue };
            for cubin in
                files.map(|file| file.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "cubin"))
            {
                compared += compare(&run, &cubin, arch);
            }
        }
    }
    assert_eq!(compared, 19 * archs.len());
}

/// Compares the kernels of a cubin with `cuobjdump -res-usage`; how many there were.
#[expect(clippy::disallowed_methods, reason = "the oracle is run by hand")]
pub(crate) fn compare(run: &Run, cubin: &std::path::Path, arch: &str) -> usize {
    let oracle = toolkit().cuobjdump.as_ref().unwrap();
    let output = std::process::Command::new(oracle).arg("-res-usage").arg(cubin).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let kernels = run.lines("kernel");
    let mut compared = 0;
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        let Some(name) = pair[0].trim().strip_prefix("Function ").map(|name| name.trim_end_matches(':'))
        else {
            continue;
        };
        let figure = |key: &str| -> u64 {
            let at = pair[1]
                .split_whitespace()
                .find_map(|word| word.strip_prefix(&format!("{key}:")).map(str::to_owned));
            at.unwrap().parse().unwrap()
        };
        let Some(kernel) = kernels.iter().find(|kernel| kernel["mangled"] == name && kernel["arch"] == arch)
        else {
            continue;
        };
        assert_eq!(kernel["registers"], figure("REG"), "{name} on {arch}");
        // From sm_90 on the cubin counts the driver's reserve.
        let reserve = if arch.trim_start_matches("sm_").parse::<u32>().unwrap() >= 90 { 1024 } else { 0 };
        assert_eq!(
            kernel["static_smem"].as_u64().unwrap(),
            figure("SHARED").saturating_sub(reserve),
            "{name} on {arch}"
        );
        compared += 1;
    }
    compared
}
