//! Sources that were compiled before: cubins, and what embeds them.

use std::path::Path;

use occlint::sys::process::{self, Call, Cancel};
use serde_json::Value;

use crate::project::{Project, Run, root, toolkit};

const JSON: [&str; 4] = ["--message-format", "json", "--experiments", "off"];
/// Machine code for two architectures.
const BOTH: [&str; 4] =
    ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"];

/// A package with these sources and `demo.cu`, not among them.
fn project(config: &str) -> Project {
    let project = Project::new(config);
    project.write("k.cu", &case("demo.cu"));
    project
}

fn case(name: &str) -> String {
    std::fs::read_to_string(root().join("tests/kernels").join(name)).unwrap()
}

fn call(folder: &Path, program: &Path, args: &[&str]) {
    let keep = tempfile::tempdir().unwrap();
    let mut call = Call::new(program).args(args);
    call.folder = Some(folder.to_owned());
    let output = process::run(&call, keep.path(), &Cancel::new()).unwrap();
    assert!(output.status.success(), "{args:?}\n{}{}", output.stdout, output.stderr);
}

/// Builds with the pinned nvcc in the package's folder.
fn nvcc(project: &Project, args: &[&str]) {
    let all: Vec<&str> = ["-lineinfo"].iter().chain(args).copied().collect();
    call(project.path(), &toolkit().nvcc, &all);
}

/// What the same source says when it is compiled.
fn compiled(archs: &str) -> Run {
    project(&format!("archs = [{archs}]\nsources = [\"k.cu\"]")).occlint(&JSON).exits(0)
}

/// Kernel lines of one architecture by name.
fn kernels(run: &Run, arch: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = run.lines("kernel").into_iter().filter(|line| line["arch"] == arch).collect();
    lines.sort_by_key(|line| line["key"].as_str().unwrap().to_owned());
    lines
}

/// What a cubin says is what the compiler, its PTX and its log say.
fn agree(run: &Run, source: &Run, arch: &str) {
    let (ours, theirs) = (kernels(run, arch), kernels(source, arch));
    assert_eq!((ours.len(), theirs.len()), (7, 7), "{arch}");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        for field in [
            "key",
            "registers",
            "barriers",
            "static_smem",
            "stack",
            "block",
            "residency",
            "source",
            "line",
            "spill_instructions",
            "spill_lines",
            "shared_spills",
            "linked",
        ] {
            assert_eq!(ours[field], theirs[field], "{field} of {} on {arch}", ours["name"]);
        }
        assert_eq!(ours["bounds"]["max_threads"], theirs["bounds"]["max_threads"], "{}", ours["name"]);
        // unknown, not 0
        for field in ["spill_stores", "spill_loads"] {
            assert!(ours[field].is_null() && theirs[field].is_u64(), "{field} of {}", ours["name"]);
        }
        assert!(ours["bounds"]["min_blocks"].is_null());
    }
}

/// Changes the only source.
fn sources(project: &Project, file: &str) {
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    let (head, _) = manifest.split_once("sources").unwrap();
    project.write("Cargo.toml", &format!("{head}sources = [\"{file}\"]\n"));
}

fn says(run: Run, status: i32, words: &[&str]) -> Run {
    let run = run.exits(status);
    for words in words {
        assert!(run.stderr.contains(words), "{words:?} is missing in\n{}", run.stderr);
    }
    run
}

#[test]
fn a_cubin_says_what_the_source_says_and_needs_no_toolkit() {
    let project = project("sources = [\"build/k.cubin\"]");
    std::fs::create_dir(project.path().join("build")).unwrap();
    nvcc(&project, &["-cubin", "-arch=sm_90", "-o", "build/k.cubin", "k.cu"]);
    let run = project.run(&JSON, &[("PATH", "/nonexistent"), ("CARGO", env!("CARGO"))]).exits(0);
    agree(&run, &compiled("\"sm_90\""), "sm_90");
    assert_eq!(run.lines("kernel").len(), 7);
    assert_eq!(run.findings(), ["spill forced_spill sm_90"]);
    let spill = &run.lines("finding")[0];
    assert_eq!(
        spill["message"],
        "`forced_spill(float*, float const*, int)` has 520 spill instructions on sm_90"
    );
    assert_eq!((&spill["file"], &spill["line"]), (&"k.cu".into(), &28.into()));
    assert_eq!(run.kernel("axpy", "sm_90")["units"], serde_json::json!(["build/k.cubin"]));

    says(project.occlint(&["-D", "spill", "--kernels"]), 100, &["Reading demo: 1 source for what they were"]);
}

#[test]
fn what_embeds_cubins_has_them_for_each_architecture() {
    let source = compiled("\"sm_80\", \"sm_90\"");
    let project = project("sources = [\"k.fatbin\"]");
    let with = |args: &[&str]| nvcc(&project, &[&BOTH[..], args].concat());
    with(&["-fatbin", "-o", "k.fatbin", "k.cu"]);
    with(&["-c", "-Xcompiler", "-fPIC", "-o", "k.o", "k.cu"]);
    call(project.path(), Path::new("/usr/bin/ar"), &["rcs", "libk.a", "k.o"]);
    call(project.path(), Path::new("/usr/bin/g++"), &["-shared", "-o", "libk.so", "k.o"]);
    for file in ["k.fatbin", "k.o", "libk.a", "libk.so"] {
        sources(&project, file);
        let run = project.occlint(&JSON).exits(0);
        assert_eq!(run.lines("kernel").len(), 14, "{file}");
        agree(&run, &source, "sm_80");
        agree(&run, &source, "sm_90");
        assert_eq!(run.findings(), ["spill forced_spill sm_80", "spill forced_spill sm_90"]);
    }
    let one = project.occlint(&[&JSON[..], &["--arch", "sm_90"]].concat()).exits(0);
    assert_eq!((kernels(&one, "sm_90").len(), one.lines("kernel").len()), (7, 7));
    let run = project.occlint(&["--arch", "sm_80", "--arch", "sm_120"]);
    says(run, 101, &["`libk.so` for sm_120: it has machine code for sm_80, sm_90 only"]);
}

#[test]
fn sources_of_one_name_in_a_library_do_not_hide_each_other() {
    let project = Project::new("sources = [\"libk.a\"]");
    for (folder, name) in [("a", "demo.cu"), ("b", "nospill.cu")] {
        project.write(&format!("{folder}/k.cu"), &case(name));
        let object = format!("{folder}.o");
        nvcc(&project, &["-c", "-arch=sm_90", "-o", &object, &format!("{folder}/k.cu")]);
    }
    call(project.path(), Path::new("/usr/bin/ar"), &["rcs", "libk.a", "a.o", "b.o"]);
    let library = project.occlint(&JSON).exits(0);
    let names = |run: &Run| -> Vec<String> {
        let mut names: Vec<String> =
            run.lines("kernel").iter().map(|line| line["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    sources(&project, "?/k.cu");
    let compiled = project.occlint(&[&JSON[..], &["--arch", "sm_90"]].concat()).exits(0);
    assert_eq!(names(&library), names(&compiled));
    assert!(names(&library).len() > 7);
}

#[test]
fn relocatable_objects_are_preliminary_and_linked_code_comes_first() {
    let project = Project::new("sources = [\"r.o\"]").with_case("link_caller.cu").with_case("link_callee.cu");
    nvcc(&project, &["-dc", "-arch=sm_120", "-o", "r.o", "kernels/link_caller.cu"]);
    let run = project.occlint(&JSON).exits(0);
    assert_eq!(run.kernel("kplain(", "sm_120")["linked"], false);
    assert_eq!(run.findings(), ["preliminary-figures - sm_120"]);

    // without its min blocks the caller can be linked; the library has the relocatable parts too
    project.write("caller.cu", &case("link_caller.cu").replace("(256, 6)", "(256)"));
    let flags = ["-arch=sm_120", "-Xcompiler", "-fPIC", "-o"];
    nvcc(&project, &[&["-dc"], &flags[..], &["caller.o", "caller.cu"]].concat());
    nvcc(&project, &[&["-dc"], &flags[..], &["callee.o", "kernels/link_callee.cu"]].concat());
    let link = ["-dlink", "-cudadevrt=none"];
    nvcc(&project, &[&link, &flags[..], &["link.o", "caller.o", "callee.o"]].concat());
    let objects = ["-shared", "-o", "k.so", "caller.o", "callee.o", "link.o"];
    call(project.path(), Path::new("/usr/bin/g++"), &objects);
    sources(&project, "k.so");
    let linked = project.occlint(&JSON).exits(0);
    assert_eq!(linked.lines("kernel").len(), 2);
    let kernel = linked.kernel("kcall(", "sm_120");
    // relocatable, it would have 24 registers of its own
    assert!(kernel["registers"].as_u64().unwrap() > 40 && kernel["linked"].is_null(), "{kernel}");
    assert!(!linked.findings().iter().any(|line| line.starts_with("preliminary")), "{:?}", linked.findings());
}

#[test]
fn bounds_on_threads_are_in_a_cubin() {
    let project = Project::new("sources = [\"k.cubin\"]");
    let entry = |name: &str, bound: &str| format!(".visible .entry {name}() {bound} {{ ret; }}\n");
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n".to_owned();
    let entries = [
        entry("exact", ".reqntid 128, 2"),
        entry("most", ".maxntid 64, 2 .minnctapersm 3"),
        entry("none", ""),
    ];
    project.write("k.ptx", &(head + &entries.concat()));
    let args = ["-arch=sm_90", "-o", "k.cubin", "k.ptx"];
    call(project.path(), toolkit().ptxas.as_ref().unwrap(), &args);
    let run = project.occlint(&JSON).exits(0);
    let bounds = |name: &str| {
        let kernel = run.kernel(name, "sm_90");
        let bounds = &kernel["bounds"];
        (bounds["required_threads"].as_u64(), bounds["max_threads"].as_u64(), kernel["block"].as_u64())
    };
    assert_eq!(bounds("exact"), (Some(256), None, Some(256)));
    assert_eq!(bounds("most"), (None, Some(128), Some(128)));
    assert_eq!(bounds("none"), (None, None, None));
}

#[test]
fn an_architecture_that_is_not_asked_for_is_no_silent_pass() {
    let project = project("archs = [\"sm_90\"]\nsources = [\"*.cubin\"]");
    nvcc(&project, &["-cubin", "-arch=sm_80", "-o", "k80.cubin", "k.cu"]);
    nvcc(&project, &["-cubin", "-arch=sm_90a", "-o", "k90.cubin", "k.cu"]);
    let words =
        ["cannot check `k80.cubin`: it is for sm_80, which is not asked for", "add `sm_80` to `archs`"];
    says(project.occlint(&[]), 101, &words);
    let run = project.occlint(&["--arch", "sm_90", "--message-format", "json"]);
    let run = says(run, 0, &["`k80.cubin` is left out: it is for sm_80"]);
    assert_eq!(kernels(&run, "sm_90").len(), 7);
    let words = ["no kernel of the package `demo` is compiled for sm_100"];
    says(project.occlint(&["--arch", "sm_80", "--arch", "sm_100"]), 101, &words);
}

#[test]
fn binaries_are_taken_only_where_they_are_named() {
    let project = project("archs = [\"sm_90\"]\nsources = [\"*\"]");
    project.write("bad.cubin", "no cubin");
    let run = project.occlint(&JSON).exits(0);
    assert!(run.stderr.contains("Compiling demo: 1 source for"), "{}", run.stderr);
    let both = Project::new("archs = [\"sm_90\"]\nsources = [\"k.cu\", \"k.cubin\"]");
    both.write("k.cu", &case("demo.cu"));
    nvcc(&both, &["-cubin", "-arch=sm_90", "-o", "k.cubin", "k.cu"]);
    let run = both.occlint(&JSON).exits(0);
    let keys: Vec<Value> = kernels(&run, "sm_90").iter().map(|line| line["key"].clone()).collect();
    assert_eq!(keys.len(), 14);
    assert!(
        keys.iter().any(|key| key.as_str().unwrap().contains("forced_spill")
            && key.as_str().unwrap().ends_with("[k.cubin]"))
    );
}

#[test]
fn files_that_are_no_binaries_are_errors() {
    let project = project("sources = [\"x.cubin\"]");
    nvcc(&project, &["-cubin", "-arch=sm_90", "-o", "k.cubin", "k.cu"]);
    nvcc(&project, &["-c", "-arch=sm_90", "-o", "k.o", "k.cu"]);
    nvcc(&project, &["-fatbin", "-arch=compute_90", "-code=compute_90", "-o", "ptx.fatbin", "k.cu"]);
    project.write("empty.cc", "int x;");
    call(project.path(), Path::new("/usr/bin/g++"), &["-c", "-o", "empty.o", "empty.cc"]);
    let read = |name: &str| std::fs::read(project.path().join(name)).unwrap();
    let cubin = read("k.cubin");
    call(project.path(), Path::new("/usr/bin/ar"), &["rcs", "k.a", "k.o"]);
    let library = read("k.a");
    let cases: [(&str, Vec<u8>, &str); 10] = [
        ("x.cubin", b"no cubin".to_vec(), "it is no 64-bit ELF file"),
        ("x.cubin", Vec::new(), "it is no 64-bit ELF file"),
        ("x.cubin", cubin[..cubin.len() / 2].to_vec(), "it is truncated"),
        ("x.cubin", cubin[..40].to_vec(), "it is truncated: the header lies outside the file"),
        ("x.cubin", read("empty.o"), "it is an ELF file for machine"),
        ("x.o", read("empty.o"), "does not contain device code"),
        ("x.o", read("k.o")[..4000].to_vec(), "`cuobjdump` takes no machine code"),
        ("x.fatbin", read("ptx.fatbin"), "`cuobjdump` takes no machine code"),
        ("x.a", library[..library.len() / 2].to_vec(), "`cuobjdump`"),
        ("x.a", b"no library".to_vec(), "`cuobjdump` takes no machine code"),
    ];
    for (name, bytes, words) in cases {
        std::fs::write(project.path().join(name), bytes).unwrap();
        sources(&project, name);
        let cannot = format!("cannot check `{name}`: ");
        says(project.occlint(&[]), 101, &[&cannot, words]);
    }
}

#[test]
fn a_toolkit_without_cuobjdump_says_where_to_get_it() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new("sources = [\"k.fatbin\"]");
    project.write("k.fatbin", "");
    project.write(
        "fake/nvcc",
        "#!/bin/sh\ncase $1 in --version) echo 'Cuda compilation tools, release 13.0, V13.0.88';; *) echo sm_90;; esac\n",
    );
    let nvcc = project.path().join("fake/nvcc");
    std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = project.run(&[], &[("NVCC", nvcc.to_str().unwrap())]);
    says(run, 101, &["the toolkit has no `cuobjdump`", "the wheel `nvidia-cuda-cuobjdump`"]);
}

#[test]
fn what_an_old_cubin_does_not_tell_is_unknown() {
    let project = Project::new("sources = [\"k.cubin\"]");
    let old = root().join("tests/cubins/ptxas12.4_suite.sm_80.cubin");
    std::fs::copy(old, project.path().join("k.cubin")).unwrap();
    let run = says(project.occlint(&JSON), 0, &["`k.cubin` does not mark spills"]);
    assert!(run.kernel("spiller", "sm_80")["spill_instructions"].is_null());
    assert_eq!(run.kernel("bounded", "sm_80")["barriers"], 1);
}
