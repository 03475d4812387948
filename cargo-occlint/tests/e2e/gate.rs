//! Baselines: a gate that says only what got worse.

use serde_json::Value;

use crate::project::{Project, Run};

const JSON: [&str; 4] = ["--message-format", "json", "--experiments", "off"];
const ARCHS: &str = "archs = [\"sm_90\", \"sm_120\"]";

fn kernel(bounds: &str) -> String {
    // 72 registers without a bound on blocks: 16 blocks of 128 threads ask for 32 and spill, 12 of them for 40
    std::fs::read_to_string(crate::project::root().join("tests/kernels/suite.cu"))
        .unwrap()
        .replace("(128, 16) spiller", &format!("({bounds}) spiller"))
}

fn summary(run: &Run, field: &str) -> u64 {
    run.lines("summary")[0][field].as_u64().unwrap()
}

fn blessed(project: &Project) -> String {
    std::fs::read_to_string(project.path().join("occlint.baseline.json")).unwrap()
}

#[test]
fn a_bound_that_a_change_loses_is_found_although_its_spills_went() {
    let project = Project::new(ARCHS);
    project.write("kernels/suite.cu", &kernel("128, 12"));
    project.occlint(&[&JSON[..], &["--bless"]].concat()).exits(0);
    let same = project.occlint(&JSON).exits(0);
    assert_eq!(same.findings(), [""; 0], "what is known is not told again");
    assert!(summary(&same, "known") > 0);

    project.write("kernels/suite.cu", &kernel("128, 16"));
    let worse = project.occlint(&JSON).exits(100);
    let found = worse.findings();
    assert!(found.contains(&"bounds-dropped spiller sm_120".to_owned()), "{found:?}");
    assert!(found.contains(&"spill-regression spiller sm_90".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.starts_with("spill ")), "{found:?}");
    let now = worse.kernel("spiller(", "sm_120");
    assert_eq!((&now["spill_stores"], &now["spill_loads"]), (&0.into(), &0.into()));

    project.occlint(&[&JSON[..], &["--bless"]].concat()).exits(0);
    project.occlint(&JSON).exits(0);
}

#[test]
fn a_kernel_is_the_same_in_another_file_and_folder() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("anon_old_k.cu");
    project.occlint(&["--bless"]).exits(0);
    std::fs::remove_file(project.path().join("kernels/anon_old_k.cu")).unwrap();
    let text = std::fs::read_to_string(crate::project::root().join("tests/kernels/anon_new_k.cu")).unwrap();
    project.write("elsewhere/deep/anon_new_k.cu", &text);
    let run = project.occlint(&JSON).exits(100);
    let found: Vec<Value> = run.lines("finding");
    let lints: Vec<&str> = found.iter().map(|line| line["lint"].as_str().unwrap()).collect();
    assert_eq!(lints, ["limiter-regression", "spill-regression"]);
    assert!(found[1]["kernel"].as_str().unwrap().contains("::anon("), "{}", run.stdout);
}

#[test]
fn the_file_has_a_line_for_each_kernel_and_architecture_and_does_not_change_by_itself() {
    let project = Project::new(ARCHS);
    project.write("kernels/suite.cu", &kernel("128, 12"));
    project.occlint(&["--bless"]).exits(0);
    let first = blessed(&project);
    let kernels = project.occlint(&JSON).lines("kernel").len();
    let lines: Vec<&str> = first.lines().filter(|line| line.starts_with("{\"key\":")).collect();
    assert_eq!(lines.len(), kernels);
    let mut sorted = lines.clone();
    sorted.sort_by_key(|line| line.split("\",\"arch\"").next());
    assert_eq!(sorted, lines);
    assert!(!first.contains(project.path().to_str().unwrap()), "{first}");
    let again = project.occlint(&["--bless"]).exits(0);
    assert_eq!(blessed(&project), first);
    assert!(again.stderr.contains(", 0 changed"), "{}", again.stderr);
    // Of a part, the rest is kept.
    project.occlint(&["--bless", "--arch", "sm_90"]).exits(0);
    assert_eq!(blessed(&project), first);
}

#[test]
fn what_cannot_be_compared_is_no_pass() {
    let project = Project::new("archs = [\"sm_90\"]\nbaseline = \"gate/base.json\"");
    project.write("kernels/suite.cu", &kernel("128, 12"));
    let missing = project.occlint(&JSON).exits(101);
    assert!(
        missing.stderr.contains("there is no baseline") && missing.stderr.contains("--bless"),
        "{}",
        missing.stderr
    );
    project.write("gate/base.json", "{\n<<<<<<< ours\n");
    let broken = project.occlint(&JSON).exits(101);
    assert!(broken.stderr.contains("conflict of a merge in line 2"), "{}", broken.stderr);
    project.occlint(&[&JSON[..], &["--bless"]].concat()).exits(101);
    std::fs::remove_dir_all(project.path().join("gate")).unwrap();
    project.occlint(&[&JSON[..], &["--bless"]].concat()).exits(0);
    project.occlint(&JSON).exits(0);
    // What does not compile is not blessed.
    let good = std::fs::read_to_string(project.path().join("gate/base.json")).unwrap();
    project.write("kernels/suite.cu", "no kernel\n");
    project.occlint(&["--bless"]).exits(101);
    assert_eq!(std::fs::read_to_string(project.path().join("gate/base.json")).unwrap(), good);
}

#[test]
fn what_is_gone_and_what_got_better_is_said() {
    let case = |name: &str| {
        std::fs::read_to_string(crate::project::root().join("tests/kernels").join(name)).unwrap()
    };
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("kernels/k.cu", &case("anon_new_k.cu"));
    project.write(
        "kernels/gone.cu",
        "__global__ void gone(int* a) { *a = 1; }\n__global__ void before(int* a) { *a = 2; }\n",
    );
    project.occlint(&["--bless"]).exits(0);
    project.write("kernels/k.cu", &case("anon_old_k.cu"));
    project.write("kernels/gone.cu", "\n__global__ void now(int* a) { *a = 2; }\n");
    let run = project.occlint(&JSON).exits(0);
    assert_eq!(run.findings(), ["stale-baseline - -"]);
    let note = run.lines("finding")[0]["notes"][0].as_str().unwrap().to_owned();
    assert!(
        note.contains("demo/gone(int*)") && !note.contains("before"),
        "of equal code, only the name changed: {note}"
    );
    assert!(run.stderr.contains("1 kernel with another name in the baseline"), "{}", run.stderr);
    assert!(summary(&run, "improved") == 1 && run.stderr.contains("1 kernel got better"), "{}", run.stderr);
}

#[test]
fn a_log_is_compared_with_the_baseline_that_is_named() {
    let project = Project::new("");
    let log = |bytes: u32| {
        format!(
            "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\nptxas info    : Function properties for _Z1kPf\n\
             \x20   {bytes} bytes stack frame, {bytes} bytes spill stores, {bytes} bytes spill loads\n\
             ptxas info    : Used 32 registers, used 0 barriers, 8 bytes cumulative stack size\n"
        )
    };
    project.write("a.log", &log(8));
    let bless = ["--from-log", "a.log", "--baseline", "b.json", "--bless"];
    project.run(&bless, &[]).exits(0);
    assert!(
        project.run(&["--from-log", "a.log", "--bless"], &[]).exits(101).stderr.contains("--baseline PATH")
    );
    let compare = ["--from-log", "a.log", "--baseline", "b.json", "--message-format", "json"];
    assert_eq!(project.run(&compare, &[]).exits(0).findings(), [""; 0]);
    project.write("a.log", &log(12));
    assert_eq!(project.run(&compare, &[]).exits(100).findings(), ["spill-regression k sm_90"]);
}

#[test]
fn other_flags_are_said_and_nothing_is_compared() {
    let case = "__global__ void k(float* a) { a[0] = a[1] / a[2]; }\n";
    let config = |flags: &str| {
        format!(
            "[package]\nname = \"demo\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
             [package.metadata.occlint]\narchs = [\"sm_90\"]\nflags = [{flags}]\n"
        )
    };
    let project = Project::new("");
    project.write("kernels/k.cu", case);
    project.write("Cargo.toml", &config("\"-O3\""));
    project.occlint(&["--bless"]).exits(0);
    assert!(blessed(&project).contains(":\"-O3\""), "{}", blessed(&project));
    project.write("Cargo.toml", &config("\"-O3\", \"-use_fast_math\""));
    let run = project.occlint(&JSON).exits(100);
    assert!(run.findings().contains(&"incomparable-baseline - -".to_owned()), "{:?}", run.findings());
    assert!(!run.findings().iter().any(|line| line.contains("regression")), "{:?}", run.findings());
    let all = project.occlint(&[&JSON[..], &["-A", "incomparable-baseline"]].concat()).exits(0);
    assert!(!all.findings().iter().any(|line| line.starts_with("incomparable")), "{:?}", all.findings());
    // A define that no code depends on is no other setting: the code is the same.
    project.write("Cargo.toml", &config("\"-O3\", \"-DNOBODY_READS_THIS\""));
    project.occlint(&JSON).exits(0);
    // Folders are the machine's: they are no other settings.
    project.write("Cargo.toml", &config("\"-O3\", \"-I/usr/include\", \"-I\", \"/tmp\""));
    project.occlint(&JSON).exits(0);
}

#[test]
fn kernels_of_a_name_are_judged_and_blessed_alone() {
    let project = Project::new("archs = [\"sm_90\"]");
    project.write(
        "kernels/k.cu",
        "__global__ void one(int* a) { *a = 1; }\n__global__ void two(int* a) { *a = 2; }\n",
    );
    project.occlint(&["--bless"]).exits(0);
    let first = blessed(&project);
    let run = project.occlint(&[&JSON[..], &["--kernel", "tw*"]].concat()).exits(0);
    assert_eq!(run.lines("kernel").len(), 1);
    project.write("kernels/k.cu", "__global__ void two(int* a) { *a = 3; }\n");
    project.occlint(&["--bless", "--kernel", "two"]).exits(0);
    let second = blessed(&project);
    assert!(second.contains("demo/one(int*)") && second.contains("demo/two(int*)"), "{second}");
    assert_ne!(first, second, "its code is another");
    let none = project.occlint(&["--kernel", "three"]).exits(101);
    assert!(none.stderr.contains("no kernel is called `three`"), "{}", none.stderr);
}

#[test]
fn a_waiver_says_what_it_takes_away_until_it_ends() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("anon_new_k.cu");
    let text = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    let rule = "[[package.metadata.occlint.kernel]]\nname = \"*anon*\"\n\
                allow = [{ lint = \"spill\", until = \"2027-03-01\", reason = \"the rewrite\" }]\n";
    project.write("Cargo.toml", &format!("{text}{rule}"));
    let nvcc = crate::project::toolkit().nvcc.to_str().unwrap().to_owned();
    let on = |seconds: &str| project.run(&JSON, &[("NVCC", &nvcc), ("SOURCE_DATE_EPOCH", seconds)]);
    // 2027-03-01 and the day after, in UTC
    let run = on("1803945599").exits(0);
    let said =
        "Waived 1 finding of `spill` in 1 kernel that Cargo.toml:10 matches, until 2027-03-01: the rewrite";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let run = on("1803945600");
    assert_eq!(run.findings(), ["spill  sm_90"]);
}
