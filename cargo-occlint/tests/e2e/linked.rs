//! Relocatable device code: what the compiler says of a unit, and what the device link makes of it.

use crate::gallery::compare;
use crate::project::{Project, Run};

pub(crate) const ARCHS: &str = "archs = [\"sm_80\", \"sm_90\", \"sm_120\"]";

/// Two units: kernels, and the device function that they call.
pub(crate) fn program(flags: &str) -> Project {
    Project::new(&format!("{ARCHS}\nflags = [{flags}]"))
        .with_case("link_caller.cu")
        .with_case("link_callee.cu")
}

pub(crate) fn finding(run: &Run, lint: &str, arch: &str) -> serde_json::Value {
    let lines = run.lines("finding");
    let found = lines.into_iter().find(|line| line["lint"] == lint && line["arch"] == arch);
    found.unwrap_or_else(|| panic!("no {lint} on {arch}:\n{}{}", run.stdout, run.stderr))
}

#[test]
fn a_cap_that_a_callee_exceeds_is_a_finding_with_both_counts() {
    let project = Project::new(&format!("{ARCHS}\nflags = [\"-rdc=true\"]")).with_case("rdc.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    for (arch, needs) in [("sm_80", 132), ("sm_90", 133)] {
        let found = finding(&run, "unlaunchable", arch);
        let message = format!(
            "`rk(float*, int)` cannot be built for {arch}: its cap is 32 registers, and `ext(float, int)`, which it \
             calls, needs {needs}"
        );
        assert_eq!(found["message"], message);
        assert_eq!(found["labels"][0]["line"], 8);
        assert!(found["help"].as_str().unwrap().contains("measure"), "{found}");
        assert_eq!(run.kernel("rk(", arch)["linked"], false);
    }
    let linked = run.kernel("rk(", "sm_120");
    assert_eq!((&linked["registers"], &linked["compiled_registers"]), (&131.into(), &24.into()));
    assert_eq!((&linked["linked"], &linked["residency"]), (&true.into(), &1.into()));
}

#[test]
fn a_cap_that_a_callee_exceeds_is_no_pass_where_nothing_denies_it() {
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-rdc=true\"]").with_case("rdc.cu");
    let run = project.occlint(&["-A", "unlaunchable"]).exits(101);
    assert!(run.stderr.contains("with max regcount of 32 calls function"), "{}", run.stderr);
    project.occlint(&["-W", "unlaunchable"]).exits(101);
}

#[test]
fn the_human_report_says_both_counts() {
    let project = Project::new("archs = [\"sm_120\"]\nflags = [\"-rdc=true\"]").with_case("rdc.cu");
    let run = project.occlint(&["--kernels"]).exits(100);
    for words in ["24 registers at compile time, 131 linked", "131 registers (24 at compile time) → 1 block"]
    {
        assert!(run.stdout.contains(words), "{words:?} is missing in\n{}", run.stdout);
    }
}

#[test]
fn a_callee_of_another_unit_that_needs_more_than_the_cap_is_found_at_the_link() {
    let run = program("\"-rdc=true\"").occlint(&["--message-format", "json"]).exits(100);
    for arch in ["sm_80", "sm_90", "sm_120"] {
        let message = finding(&run, "unlaunchable", arch)["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("`kcall("), "{message}");
        assert!(message.contains("its cap is 40 registers, and `heavy("), "{message}");
        assert!(message.ends_with("needs 107"), "{message}");
        assert_eq!(run.kernel("kcall(", arch)["linked"], false);
        assert_eq!(run.kernel("kplain(", arch)["linked"], true);
    }
    let table = program("\"-rdc=true\"").occlint(&["--kernels", "--arch", "sm_90"]).exits(100).stdout;
    assert_eq!(table.matches("           unlaunchable; ").count(), 1, "{table}");
}

#[test]
fn spills_in_another_unit_count_for_the_kernel_that_calls_it() {
    let project = program("\"-rdc=true\", \"-maxrregcount=40\"");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    for (arch, stores, loads) in [("sm_80", 308, 312), ("sm_90", 308, 312), ("sm_120", 304, 308)] {
        let kernel = run.kernel("kcall(", arch);
        assert_eq!((&kernel["registers"], &kernel["compiled_registers"]), (&40.into(), &24.into()), "{arch}");
        assert_eq!(
            (&kernel["cumulative_stack"], &kernel["static_smem"]),
            (&192.into(), &2048.into()),
            "{arch}"
        );
        assert_eq!(kernel["spill_stores"], 0);
        let found = finding(&run, "spill", arch);
        let words = format!(
            "`heavy(float const*, int)`, which spills {stores} bytes of stores and {loads} bytes of loads"
        );
        assert!(found["message"].as_str().unwrap().contains(&words), "{found}");
        assert_eq!(found["labels"][0]["file"], "kernels/link_callee.cu");
        assert!(run.kernel("kplain(", arch)["functions"].as_array().unwrap().is_empty());
    }
    assert_eq!(compare_links(&project, &run), 6);
}

/// Compares registers and shared memory with what `cuobjdump` reads in the linked cubins; how many kernels there were.
fn compare_links(project: &Project, run: &Run) -> usize {
    let links = project.path().join("target/occlint/demo/device-link");
    let archs = ["sm_80", "sm_90", "sm_120"];
    archs.iter().map(|arch| compare(run, &links.join(arch).join("linked.cubin"), arch)).sum()
}

#[test]
fn with_link_time_optimisation_the_figures_are_the_links() {
    let project = program("\"-dlto\"");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    for (arch, stores, loads) in [("sm_80", 200, 204), ("sm_90", 196, 204), ("sm_120", 192, 200)] {
        let kernel = run.kernel("kcall(", arch);
        assert_eq!((&kernel["registers"], &kernel["linked"]), (&40.into(), &true.into()), "{arch}");
        assert_eq!(kernel["compiled_registers"], serde_json::Value::Null);
        assert_eq!(kernel["units"], serde_json::json!(["kernels/link_caller.cu"]));
        assert_eq!((&kernel["line"], &kernel["bounds"]["min_blocks"]), (&4.into(), &6.into()));
        let found = finding(&run, "spill", arch);
        let words = format!("spills {stores} bytes of stores and {loads} bytes of loads");
        assert!(found["message"].as_str().unwrap().contains(&words), "{found}");
        assert_eq!(found["labels"][0]["file"], "kernels/link_callee.cu");
    }
    assert_eq!(run.lines("kernel").len(), 6);
    assert_eq!(compare_links(&project, &run), 6);
}

#[test]
fn what_nothing_defines_leaves_figures_preliminary_and_says_so() {
    let project =
        Project::new(&format!("{ARCHS}\nflags = [\"-O3\", \"-rdc\", \"true\"]")).with_case("link_caller.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    assert_eq!(
        run.findings(),
        ["preliminary-figures - sm_120", "preliminary-figures - sm_80", "preliminary-figures - sm_90"]
    );
    for arch in ["sm_80", "sm_90", "sm_120"] {
        let kernel = run.kernel("kcall(", arch);
        assert_eq!((&kernel["registers"], &kernel["linked"]), (&24.into(), &false.into()), "{arch}");
        assert_eq!(run.kernel("kplain(", arch)["linked"], true);
    }
    let found = finding(&run, "preliminary-figures", "sm_90");
    assert_eq!((&found["unit"], &found["file"]), (&"kernels/link_caller.cu".into(), &"Cargo.toml".into()));
    assert!(
        found["message"]
            .as_str()
            .unwrap()
            .contains("nothing that was linked defines `heavy(float const*, int)`")
    );
    let human = project.occlint(&["--kernels"]).exits(0);
    for words in
        ["warning[occlint::preliminary-figures]", "  ~24 ", "~ is preliminary", "-O3\", \"-rdc\", \"true\""]
    {
        assert!(human.stdout.contains(words), "{words:?} is missing in\n{}", human.stdout);
    }
    project.occlint(&["-D", "warnings"]).exits(100);
}

#[test]
fn nothing_is_known_of_code_that_link_time_optimisation_could_not_link() {
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-dlto\"]").with_case("link_caller.cu");
    let run = project.occlint(&[]).exits(101);
    for words in ["the device link failed", "Unresolved extern function '_Z5heavyPKfi'", "link_caller.cu"] {
        assert!(run.stderr.contains(words), "{words:?} is missing in\n{}", run.stderr);
    }
}

#[test]
fn whole_program_code_has_no_link() {
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-rdc=false\"]").with_case("smem80.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    let kernel = run.kernel("tile8k(", "sm_90");
    assert_eq!(
        (&kernel["linked"], &kernel["compiled_registers"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert!(!project.path().join("target/occlint/demo/device-link").exists());
}

#[test]
fn units_that_define_the_same_kernel_are_programs_of_their_own() {
    let kernel = |factor: u32| {
        format!(
            "__device__ float heavy(const float* p, int n);\n\
             extern \"C\" __global__ void same(float* o, const float* p, int n) {{ *o = {factor} * heavy(p, n); }}\n"
        )
    };
    for (flag, registers) in [("-rdc=true", 107), ("-dlto", 56)] {
        let project = Project::new(&format!("archs = [\"sm_90\"]\nflags = [\"{flag}\"]"));
        project.write("a.cu", &kernel(2));
        project.write("b.cu", &kernel(3));
        let project = project.with_case("link_callee.cu");
        let run = project.occlint(&["--message-format", "json"]).exits(0);
        let mut seen = Vec::new();
        for line in run.lines("kernel") {
            seen.push((
                line["source"].as_str().unwrap().to_owned(),
                line["registers"].clone(),
                line["linked"].clone(),
            ));
        }
        let of = |source: &str| (source.to_owned(), registers.into(), true.into());
        assert_eq!(seen, [of("a.cu"), of("b.cu")], "{flag}");
    }
}

#[test]
fn kernels_that_launch_kernels_are_linked_with_the_device_runtime() {
    let text = "__global__ void child(float* o) { *o = 4; }\n\
                __global__ void parent(float* o) { child<<<1, 1>>>(o); }\n";
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-rdc=true\"]");
    project.write("k.cu", text);
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    assert_eq!(run.kernel("parent(", "sm_90")["linked"], true);
    assert_eq!(run.lines("kernel").len(), 2, "the runtime's own kernels are not the package's");
    assert!(run.findings().is_empty(), "{:?}", run.findings());
}

#[test]
fn a_program_that_link_time_optimisation_links_in_part_only_is_no_pass() {
    let project = program("\"-rdc=true\"");
    project.occlint(&["-q"]).exits(100);
    let objects = std::fs::read_dir(project.path().join("target/occlint/demo")).unwrap();
    let callee = objects.map(|entry| entry.unwrap().path().join("sm_90/link_callee.cubin"));
    let callee = callee.into_iter().find(|path| path.is_file()).unwrap();
    let mixed = Project::new("archs = [\"sm_90\"]\nflags = [\"-dlto\", \"-Xnvlink=callee.cubin\"]")
        .with_case("link_caller.cu");
    std::fs::copy(callee, mixed.path().join("callee.cubin")).unwrap();
    let run = mixed.occlint(&[]).exits(101);
    assert!(run.stderr.contains("doing partial LTO"), "{}", run.stderr);
}
