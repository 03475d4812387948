//! `--partition K/N` and `merge`: the parts of a run say together what one run says.

use crate::project::{Project, Run};

const BASE: [&str; 4] = ["--experiments", "off", "--message-format", "json"];

/// The part of `suite.cu` with `spiller`.
fn spiller() -> String {
    let suite = std::fs::read_to_string(crate::project::root().join("tests/kernels/suite.cu")).unwrap();
    let (start, end) =
        (suite.find("template<typename T,int N>").unwrap(), suite.find("// 4 printf").unwrap());
    suite[start..end].to_owned()
}

/// Five units, two of which share a header with a kernel and comments; rules that hold in some part, in all, in none; kernels
/// of one name in two files.
fn many() -> Project {
    let project = Project::new(
        "archs = [\"sm_90\", \"sm_120\"]\n\
         [[package.metadata.occlint.kernel]]\nname = \"one\"\nblock = 256\nmin-blocks = 1\n\
         [[package.metadata.occlint.kernel]]\nname = \"onee\"\nblock = 256\n\
         [[package.metadata.occlint.kernel]]\nname = \"t*\"\nallow = [\"spill\", \"perf-advisory\"]\n\
         [[package.metadata.occlint.kernel]]\nname = \"spiller\"\nallow = [\"spill\"]\nexpect = [\"bounds-dropped\", \"partial-warp\"]",
    );
    project.write("kernels/suite.cu", &spiller());
    project.write("kernels/one.cu", "__global__ void one(int* a) { *a = 1; }\n");
    project.write(
        "kernels/two.cu",
        "#include \"shared.cuh\"\n__global__ void two(int* a) { *a = 1; }\nstatic __global__ void same(int* a) { *a = 2; }\n\
         int use_two() { same<<<1, 1>>>(0); shared<int><<<1, 1>>>(0); return 0; }\n",
    );
    project.write(
        "kernels/three.cu",
        "#include \"shared.cuh\"\n__global__ void three(int* a) { *a = 1; }\nstatic __global__ void same(int* a) { *a = 3; }\n\
         int use_three() { same<<<1, 1>>>(0); shared<int><<<1, 1>>>(0); return 0; }\n",
    );
    project.write("kernels/four.cu", "__global__ void __launch_bounds__(100) four(int* a) { *a = 1; }\n");
    project.write(
        "kernels/shared.cuh",
        "// occlint: block = 128, allow(spill, reason = \"never\"), expect(partial-warp)\n\
         template <typename T> __global__ void shared(T* a) { *a = 1; }\n",
    );
    project
}

fn parts(project: &Project, of: usize) -> Vec<String> {
    (1..=of)
        .map(|part| {
            let (partition, file) = (format!("{part}/{of}"), format!("part{part}of{of}.json"));
            let json = format!("json={file}");
            let run = project.occlint(&[&BASE[..], &["--partition", &partition, "--output", &json]].concat());
            assert!(matches!(run.status, 0 | 100), "{}", run.stderr);
            file
        })
        .collect()
}

fn merge(project: &Project, files: &[String], more: &[&str]) -> Run {
    let mut args = vec!["merge"];
    args.extend(files.iter().map(String::as_str));
    args.extend(more);
    project.run(&args, &[])
}

#[test]
fn parts_say_together_what_one_run_says() {
    let project = many();
    let whole = project.occlint(&BASE).exits(100);
    let found = whole.findings();
    for line in ["unmatched-target - -", "unused-allow - -", "unfulfilled-expect - -"] {
        assert!(found.contains(&line.to_owned()), "{found:?}");
    }
    assert!(
        whole
            .lines("kernel")
            .iter()
            .any(|line| line["key"].as_str().unwrap().contains("same(int*) [kernels/"))
    );
    for of in [1, 3, 5] {
        let files = parts(&project, of);
        let merged = merge(&project, &files, &["--message-format", "json"]).exits(100);
        let (a, b): (Vec<&str>, Vec<&str>) =
            (merged.stdout.lines().collect(), whole.stdout.lines().collect());
        for (a, b) in a.iter().zip(&b) {
            assert_eq!(a, b, "{of} parts");
        }
        assert_eq!(a.len(), b.len(), "{of} parts");
        let mut turned = files.clone();
        turned.reverse();
        assert_eq!(merge(&project, &turned, &["--message-format", "json"]).stdout, whole.stdout);
    }
}

#[test]
fn every_format_of_a_merge_is_that_of_the_run() {
    let project = many();
    const FORMATS: [&str; 8] = ["human", "short", "json", "github", "gitlab", "junit", "markdown", "sarif"];
    let outputs = |to: &str| -> Vec<String> {
        FORMATS.iter().map(|format| format!("{format}={to}.{format}")).collect()
    };
    let args = |outputs: &[String]| -> Vec<String> {
        outputs.iter().flat_map(|output| ["--output".to_owned(), output.clone()]).collect()
    };
    let (whole, merged) = (args(&outputs("whole")), args(&outputs("merged")));
    let strs = |args: &[String]| -> Vec<String> { args.to_vec() };
    let whole: Vec<String> = strs(&whole);
    let run = project
        .occlint(
            &[
                &["--experiments", "off", "--kernels"][..],
                &whole.iter().map(String::as_str).collect::<Vec<_>>(),
            ]
            .concat(),
        )
        .exits(100);
    let files = parts(&project, 3);
    let mut more = vec!["--kernels"];
    more.extend(merged.iter().map(String::as_str));
    let joined = merge(&project, &files, &more).exits(100);
    assert_eq!(joined.stdout, run.stdout);
    for format in FORMATS {
        let text =
            |name: &str| std::fs::read_to_string(project.path().join(format!("{name}.{format}"))).unwrap();
        assert_eq!(text("merged"), text("whole"), "{format}");
    }
    // Without its sources the findings are the same, and nothing is drawn.
    let elsewhere = Project::new("");
    for file in &files {
        std::fs::copy(project.path().join(file), elsewhere.path().join(file)).unwrap();
    }
    let short = merge(&elsewhere, &files, &["--message-format", "short"]).exits(100).stdout;
    let right = std::fs::read_to_string(project.path().join("whole.short")).unwrap();
    assert_eq!(short.lines().count(), right.lines().count());
    assert!(merge(&elsewhere, &files, &[]).exits(100).stdout.contains("error[occlint::"));
}

#[test]
fn a_part_without_a_unit_is_one_and_all_parts_without_a_kernel_are_no_check() {
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("kernels/one.cu", "__global__ void one(int* a) { *a = 1; }\n");
    let files = parts(&project, 3);
    let mut sizes: Vec<usize> = files
        .iter()
        .map(|file| {
            std::fs::read_to_string(project.path().join(file))
                .unwrap()
                .matches("\"reason\":\"kernel\"")
                .count()
        })
        .collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [0, 0, 1]);
    merge(&project, &files, &[]).exits(0);
    project.write("kernels/one.cu", "__device__ int one(int a) { return a; }\n");
    let files = parts(&project, 3);
    let run = merge(&project, &files, &[]).exits(101);
    assert!(run.stderr.contains("nothing was checked"), "{}", run.stderr);
    merge(&project, &files, &["--exit-zero"]).exits(101);
}

#[test]
fn a_baseline_is_compared_by_parts() {
    let project = many();
    project.occlint(&["--bless", "--experiments", "off"]).exits(0);
    project.write("kernels/four.cu", "__global__ void __launch_bounds__(100) fore(int* a) { *a = 77; }\n");
    project.write("kernels/one.cu", "__global__ void one(int* a) { __shared__ int s[30000 / 4]; s[threadIdx.x] = a[1]; __syncthreads(); *a = s[5]; }\n");
    let whole = project.occlint(&BASE);
    let found = whole.findings();
    assert!(found.contains(&"residency-regression one sm_90".to_owned()), "{found:?}");
    assert!(found.contains(&"stale-baseline - -".to_owned()), "{found:?}");
    let merged = merge(&project, &parts(&project, 3), &["--message-format", "json"]);
    assert_eq!(merged.status, whole.status);
    assert_eq!(merged.findings(), found);
    assert_eq!(merged.stdout, whole.stdout);
}

#[test]
fn what_is_not_one_run_is_not_joined() {
    let project = many();
    let files = parts(&project, 3);
    let refused = |files: &[String], words: &str| {
        let run = merge(&project, files, &["--message-format", "json"]).exits(101);
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    };
    refused(&files[..2], "part is missing: 3/3");
    refused(&files[2..], "parts are missing: 1/3, 2/3");
    refused(&[files.clone(), vec![files[0].clone()]].concat(), "part 1/3 is there twice");
    let text = std::fs::read_to_string(project.path().join(&files[1])).unwrap();
    project.write("cut.json", &text[..text.len() - 30]);
    refused(&[files[0].clone(), "cut.json".to_owned(), files[2].clone()], "it is cut off");
    project.write("failed.json", &text.replace("\"failures\":0", "\"failures\":2"));
    refused(
        &[files[0].clone(), "failed.json".to_owned(), files[2].clone()],
        "could not do all its work (2 not checked)",
    );
    project.occlint(&[&BASE[..], &["--output", "json=whole.json"]].concat());
    refused(&["whole.json".to_owned(), files[0].clone()], "is a part of a run");
    // Another commit, other settings.
    project.write("kernels/shared.cuh", "template <typename T> __global__ void shared(T* a) { *a = 2; }\n");
    project.occlint(&[&BASE[..], &["--partition", "2/3", "--output", "json=other.json"]].concat());
    refused(&[files[0].clone(), "other.json".to_owned(), files[2].clone()], "are parts of different runs");
    let vary = |more: &[&str]| {
        project.occlint(&[&BASE[..], &["--partition", "1/3", "--output", "json=first.json"]].concat());
        let args = [&BASE[..], &["--partition", "2/3", "--output", "json=second.json"], more].concat();
        project.occlint(&args);
        let run = merge(&project, &["first.json".to_owned(), "second.json".to_owned()], &[]).exits(101);
        assert!(run.stderr.contains("are parts of different runs"), "{more:?}: {}", run.stderr);
    };
    vary(&["--arch", "sm_90"]);
    vary(&["-D", "warnings"]);
}

#[test]
fn what_does_not_go_with_a_part_is_refused() {
    let project = Project::new("").with_case("demo.cu");
    for more in [&["--bless"][..], &["--from-log", "a.log"], &["--from-build"]] {
        let run = project.run(&[&["--partition", "1/2"], more].concat(), &[]).exits(2);
        assert!(run.stderr.contains("--partition") && run.stderr.contains(more[0]), "{}", run.stderr);
    }
    for bad in ["0/2", "3/2", "1", "a/b"] {
        project.run(&["--partition", bad], &[]).exits(2);
    }
}

#[test]
fn relocatable_code_stays_together() {
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-rdc=true\"]");
    project.write("kernels/a.cu", "__device__ int f(int);\n__global__ void a(int* o) { *o = f(*o); }\n");
    project.write("kernels/b.cu", "__device__ int f(int x) { return x * 3; }\n");
    project.write("kernels/c.cu", "__global__ void c(int* o) { *o = 1; }\n");
    let whole = project.occlint(&BASE);
    let merged = merge(&project, &parts(&project, 3), &["--message-format", "json"]);
    assert_eq!((merged.stdout, merged.status), (whole.stdout, whole.status));
}
