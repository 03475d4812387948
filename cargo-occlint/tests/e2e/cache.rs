//! Compilations of earlier runs: the same report, and never a stale one.

use std::fs;
use std::path::Path;

use crate::project::{Project, Run, files, run_in, toolkit};

const JSON: [&str; 2] = ["--message-format", "json"];

/// A crate whose nvcc counts its calls that compile.
struct Counted {
    project: Project,
    nvcc: String,
}

impl Counted {
    fn new() -> Self {
        let project = Project::new("archs = [\"sm_80\", \"sm_90\"]\ninclude = [\"include\"]");
        project.write("include/n.h", "#define N 1\n");
        project.write("kernels/a.cu", "#include <n.h>\n__global__ void a(int* o) { *o = N; }\n");
        project.write("kernels/b.cu", "__global__ void b(int* o) { *o = 2; }\n");
        let real = toolkit().nvcc.to_str().unwrap().to_owned();
        let count = project.path().join("count");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *-cubin*) echo x >> '{}';; esac\nexec '{real}' \"$@\"\n",
            count.display()
        );
        project.write("tools/bin/nvcc", &script);
        let nvcc = project.path().join("tools/bin/nvcc");
        fs::set_permissions(&nvcc, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let counted = Self { project, nvcc: nvcc.to_str().unwrap().to_owned() };
        counted.settle();
        counted
    }

    /// Files that were just written may be written again within the same tick: nothing is kept of them.
    fn settle(&self) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }

    /// Runs, and says how many compilations were done.
    fn run_with(&self, args: &[&str], vars: &[(&str, &str)]) -> (Run, usize) {
        let count = self.project.path().join("count");
        let _ = fs::remove_file(&count);
        let vars = [&[("NVCC", self.nvcc.as_str())], vars].concat();
        let run = self.project.run(&[&JSON[..], args].concat(), &vars);
        (run, fs::read_to_string(count).unwrap_or_default().lines().count())
    }

    fn run(&self, args: &[&str]) -> (Run, usize) {
        self.run_with(args, &[])
    }

    fn write(&self, name: &str, text: &str) {
        self.project.write(name, text);
        self.settle();
    }
}

#[test]
fn an_unchanged_unit_is_not_compiled_again_and_reports_the_same() {
    let crate_ = Counted::new();
    let (cold, calls) = crate_.run(&[]);
    assert_eq!((cold.status, calls), (0, 4), "{}", cold.stderr);
    let (warm, calls) = crate_.run(&[]);
    assert_eq!((warm.stdout.as_str(), calls), (cold.stdout.as_str(), 0));
    assert!(warm.stderr.contains("Reused 4 of 4 compilations, unchanged"), "{}", warm.stderr);
    // Levels and targets compile nothing.
    let (levels, calls) = crate_.run(&["-W", "missing-bounds", "-D", "register-step"]);
    assert_eq!(calls, 0);
    assert_eq!(levels.lines("finding").len(), 4, "{}", levels.stdout);
    let (_, calls) = crate_.run(&["--no-cache"]);
    assert_eq!(calls, 4);
}

#[test]
fn what_changed_is_compiled_and_what_changed_back_is_known() {
    let crate_ = Counted::new();
    let (first, _) = crate_.run(&[]);
    // A header, its size and place as before.
    crate_.write("include/n.h", "#define N 7\n");
    let (_, calls) = crate_.run(&[]);
    assert_eq!(calls, 2, "of the unit that includes it, for both architectures");
    crate_.write("include/n.h", "#define N 1\n");
    let (back, calls) = crate_.run(&[]);
    assert_eq!((back.stdout.as_str(), calls), (first.stdout.as_str(), 0), "as on another branch");
    // Only the time is another.
    let text = fs::read_to_string(crate_.project.path().join("kernels/b.cu")).unwrap();
    crate_.write("kernels/b.cu", &text);
    assert_eq!(crate_.run(&[]).1, 0);
    crate_.write("kernels/b.cu", "__global__ void b(int* o) { *o = 2 + o[1]; }\n");
    assert_eq!(crate_.run(&["--arch", "sm_90"]).1, 1);
    // Flags, defines, the compiler and its environment.
    assert_eq!(crate_.run(&["--arch", "sm_90"]).1, 0);
    assert_eq!(crate_.run_with(&["--arch", "sm_90"], &[("NVCC_APPEND_FLAGS", "-DX=1")]).1, 2);
    assert_eq!(crate_.run_with(&["--arch", "sm_90"], &[("CPATH", "/nowhere")]).1, 2);
    let script = fs::read_to_string(&crate_.nvcc).unwrap();
    fs::write(&crate_.nvcc, script + "# another\n").unwrap();
    assert_eq!(crate_.run(&["--arch", "sm_90"]).1, 2, "another nvcc at the same place");
}

#[test]
fn a_damaged_entry_is_made_again() {
    let crate_ = Counted::new();
    let (first, _) = crate_.run(&[]);
    let cache = crate_.project.path().join("target/occlint/cache");
    for name in ["ptx", "log", "a.cubin", "entry.txt"] {
        for damage in [&|text: &[u8]| text[..text.len() / 2].to_vec(), &|text: &[u8]| {
            let mut other = text.to_vec();
            let middle = other.len() / 2;
            other[middle] ^= 1;
            other
        }] as [&dyn Fn(&[u8]) -> Vec<u8>; 2]
        {
            let mut damaged = 0;
            for file in files(&cache).iter().filter(|file| file.ends_with(name)) {
                let bytes = fs::read(file).unwrap();
                fs::write(file, damage(&bytes)).unwrap();
                damaged += 1;
            }
            assert!(damaged >= 2, "{name}");
            let (again, calls) = crate_.run(&[]);
            assert_eq!(again.stdout, first.stdout, "{name}");
            assert_eq!(calls, damaged, "{name}");
        }
    }
}

#[test]
fn what_fails_is_not_kept_and_a_shared_folder_serves_other_targets() {
    let crate_ = Counted::new();
    let shared = crate_.project.path().join("shared");
    let dir = ["--cache-dir", shared.to_str().unwrap()];
    crate_.run(&dir);
    let other = [&dir[..], &["--target-dir", "elsewhere"]].concat();
    let (run, calls) = crate_.run(&other);
    assert_eq!((run.status, calls), (0, 0), "{}", run.stderr);
    crate_.write("kernels/b.cu", "no kernel\n");
    for _ in 0..2 {
        let (broken, calls) = crate_.run(&[]);
        assert_eq!((broken.status, calls > 0), (101, true));
    }
}

#[test]
fn without_the_preprocessed_text_headers_are_not_known_and_nothing_is_kept() {
    let crate_ = Counted::new();
    let script = fs::read_to_string(&crate_.nvcc).unwrap();
    let forgets =
        script.replace("exec '", "'") + "status=$?\nfind . -name '*.cpp1.ii' -delete\nexit $status\n";
    // One at a time: each takes away what it finds.
    fs::write(&crate_.nvcc, forgets).unwrap();
    crate_.settle();
    for _ in 0..2 {
        let (run, calls) = crate_.run(&["--jobs", "1"]);
        assert_eq!((run.status, calls), (0, 4), "{}", run.stderr);
    }
}

#[test]
fn what_is_not_used_is_cleaned_away() {
    let crate_ = Counted::new();
    crate_.run(&[]);
    let cache = crate_.project.path().join("target/occlint/cache");
    crate_.project.write("target/occlint/cache/mine.txt", "not the cache's");
    let entries = || files(&cache).iter().filter(|file| file.ends_with("entry.txt")).count();
    let clean = |args: &[&str]| crate_.project.run(&[&["clean"], args].concat(), &[]).exits(0).stderr;
    assert!(clean(&["--older-than", "1"]).contains("Removed 0 compilations"));
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3 * 24 * 60 * 60);
    for file in files(&cache).iter().filter(|file| file.ends_with("entry.txt")).take(2) {
        fs::File::options().append(true).open(file).unwrap().set_modified(old).unwrap();
    }
    assert!(clean(&["--older-than", "2"]).contains("Removed 2 compilations"));
    assert_eq!((entries(), crate_.run(&[]).1), (2, 2));
    // What is used is young again.
    for file in files(&cache).iter().filter(|file| file.ends_with("entry.txt")) {
        fs::File::options().append(true).open(file).unwrap().set_modified(old).unwrap();
    }
    assert_eq!(crate_.run(&[]).1, 0);
    assert!(clean(&["--older-than", "2"]).contains("Removed 0 compilations"));
    assert!(clean(&["--max-size", "1 GB"]).contains("Removed 0 compilations"));
    assert!(clean(&["--max-size", "0 MB"]).contains("Removed 4 compilations"));
    crate_.run(&[]);
    assert!(clean(&[]).contains("Removed 4 compilations"));
    assert_eq!((entries(), crate_.run(&[]).1), (0, 4));
    assert!(cache.join("mine.txt").exists());
}

/// Copies a crate, without what runs made, to where another worktree would lie.
fn worktree(of: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files(of).iter().filter(|file| !file.starts_with(of.join("target"))) {
        let to = folder.path().join(file.strip_prefix(of).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(file, to).unwrap();
    }
    folder
}

#[test]
fn worktrees_share_a_folder_and_report_what_they_would_alone() {
    let project = Project::new("archs = [\"sm_90\"]\ninclude = [\"include\"]");
    project.write("include/sum.h", "__device__ float sum(const float* v) { float s = 0; for (int i = 0; i < 200; i++) s += v[i]; return s; }\n");
    let spills = "#include <sum.h>\n__global__ void __launch_bounds__(1024, 2) spills(float* o, const float* a) {\n  float v[200];\n  \
                  for (int i = 0; i < 200; i++) v[i] = a[i * 32 + threadIdx.x];\n  __syncthreads();\n  o[threadIdx.x] = sum(v);\n  \
                  for (int i = 0; i < 200; i++) o[i * 7] = v[i] * v[199 - i];\n}\n";
    project.write("kernels/spills.cu", spills);
    project.write(
        "kernels/static.cu",
        "namespace {\n__global__ void hidden(int* o) { *o = 1; }\n}\nvoid* p = (void*)hidden;\n",
    );
    project.write(
        "kernels/names.cu",
        "__device__ const char* f = __FILE__;\n__global__ void names(const char** o) { *o = f; }\n",
    );
    project.write(
        "kernels/where.cu",
        "struct Place { const char* file = __builtin_FILE(); };\n__global__ void where(const char** o) { *o = Place().file; }\n",
    );
    let shared = tempfile::tempdir().unwrap();
    let nvcc = toolkit().nvcc.to_str().unwrap();
    let folder = ["--cache-dir", shared.path().to_str().unwrap(), "--experiments", "off"];
    let vars = [("NVCC", nvcc)];
    std::thread::sleep(std::time::Duration::from_millis(50));
    let run = |at: &Path, args: &[&str]| run_in(at, &[&JSON[..], args].concat(), &vars, "");
    let first = run(project.path(), &folder).exits(0);
    assert_eq!(first.lines("finding").len(), 1, "{}", first.stdout);
    let other = worktree(project.path());
    std::thread::sleep(std::time::Duration::from_millis(50));
    let alone = run(other.path(), &["--no-cache", "--experiments", "off"]).exits(0);
    let again = run(other.path(), &folder).exits(0);
    // What nvcc names after the path, what holds the path and what may hold it is compiled where it is.
    assert!(again.stderr.contains("Reused 1 of 4 compilations"), "{}", again.stderr);
    assert_eq!(again.stdout, alone.stdout);
    let mut warm = run(other.path(), &folder);
    assert!(warm.stderr.contains("Reused 4 of 4"), "{}", warm.stderr);
    assert_eq!(warm.stdout, again.stdout);
    // The first one's are still its own, and it need not run in its own folder.
    let manifest = project.path().join("Cargo.toml");
    warm = run(other.path(), &[&folder[..], &["--manifest-path", manifest.to_str().unwrap()]].concat());
    assert!(warm.stderr.contains("Reused 4 of 4"), "{}", warm.stderr);
    assert_eq!(warm.stdout, first.stdout);
}

#[test]
fn a_header_that_is_found_earlier_than_the_one_that_was_read_is_seen() {
    let crate_ = Counted::new();
    let bounds = "#define BOUNDS __launch_bounds__(64)\n";
    crate_.write("include/deep/b.h", bounds);
    crate_.write("kernels/b.cu", "#include \"deep/b.h\"\n__global__ void BOUNDS b(int* o) { *o = 2; }\n");
    crate_.run(&[]);
    assert_eq!(crate_.run(&[]).1, 0);
    // Beside the source it goes first.
    crate_.write("kernels/deep/b.h", &bounds.replace("64", "128"));
    let (run, calls) = crate_.run(&[]);
    assert_eq!(run.kernel("b", "sm_80")["bounds"]["max_threads"], 128);
    assert_eq!(calls, 2, "the unit that reads it, for two architectures");
    fs::remove_file(crate_.project.path().join("kernels/deep/b.h")).unwrap();
    let (run, calls) = crate_.run(&[]);
    assert_eq!((&run.kernel("b", "sm_80")["bounds"]["max_threads"], calls), (&64.into(), 0));
}

#[test]
fn a_file_of_any_ending_and_in_any_named_folder_can_hide_another() {
    let outside = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| outside.path().join(name));
    let shared = |n: u32| format!("const int N = {n};\n__shared__ int s[{n}];\n");
    for folder in [&first, &second] {
        fs::create_dir(folder).unwrap();
    }
    fs::write(second.join("impl.h"), shared(16)).unwrap();
    let crate_ = Counted::new();
    let manifest = fs::read_to_string(crate_.project.path().join("Cargo.toml")).unwrap();
    let include = format!("include = [\"include\", {first:?}, {second:?}]");
    crate_.write("Cargo.toml", &manifest.replace("include = [\"include\"]", &include));
    let of = |header: &str| {
        format!(
            "__global__ void b(int* o) {{\n#include {header}\n s[threadIdx.x % N] = 1; __syncthreads(); *o = s[0]; }}\n"
        )
    };
    let smem = || {
        crate_.settle();
        let (run, calls) = crate_.run(&[]);
        let fresh = crate_.run(&["--no-cache"]).0;
        let [kept, fresh] = [run, fresh].map(|run| run.kernel("b", "sm_80")["static_smem"].as_u64().unwrap());
        assert_eq!(kept, fresh);
        (kept, calls)
    };
    crate_.write("kernels/b.cu", &of("\"impl.h\""));
    assert_eq!(smem(), (64, 4));
    fs::write(first.join("other.h"), "").unwrap();
    crate_.write("kernels/unused.h", "");
    assert_eq!(smem(), (64, 0), "nobody reads them");
    fs::write(first.join("impl.h"), shared(32)).unwrap();
    assert_eq!(smem(), (128, 2), "outside of the workspace");
    crate_.write("include/impl.txt", &shared(16));
    crate_.write("kernels/b.cu", &of("\"impl.txt\""));
    assert_eq!(smem(), (64, 2));
    crate_.write("kernels/impl.txt", &shared(32));
    assert_eq!(smem(), (128, 2), "no header by its name");
    crate_.write(
        "kernels/b.cu",
        &of("\"impl.txt\"\n#if __has_include(\"more.h\")\n#include \"more.h\"\n#endif"),
    );
    assert_eq!(smem(), (128, 2));
    crate_.write(
        "include/more.h",
        "__shared__ int t[16]; t[threadIdx.x % 16] = o[1]; __syncthreads(); o[2] = t[3];\n",
    );
    assert_eq!(smem(), (192, 2), "it was asked for");
}

#[test]
fn what_changes_while_a_run_waits_for_another_is_seen() {
    let crate_ = Counted::new();
    crate_.run(&[]);
    // Old enough that their metadata are believed.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert_eq!(crate_.run(&[]).1, 0);
    let lock = crate_.project.path().join("target/occlint/.lock");
    let lock = fs::File::options().write(true).open(lock).unwrap();
    lock.lock().unwrap();
    let run = std::thread::scope(|scope| {
        let run = scope.spawn(|| crate_.run(&[]).0);
        std::thread::sleep(std::time::Duration::from_millis(1500));
        crate_.write("kernels/b.cu", "\n\n__global__ void b(int* o) { *o = 3; }\n");
        lock.unlock().unwrap();
        run.join().unwrap()
    });
    assert!(run.stderr.contains("Blocking"), "{}", run.stderr);
    assert_eq!(run.kernel("b", "sm_80")["line"], 3);
}

#[test]
fn a_file_that_only_a_line_directive_names_counts_once_it_is_there() {
    let crate_ = Counted::new();
    crate_.write("kernels/b.cu", "#line 2 \"kernels/b.y\"\n__global__ void b(int* o) { *o = 2; }\n");
    crate_.run(&[]);
    assert_eq!(crate_.run(&[]).1, 0);
    crate_.write("kernels/b.y", "// occlint: block = 96\n__global__ void b(int* o) { *o = 2; }\n");
    let kept = crate_.run(&[]).0;
    assert_eq!(kept.stdout, crate_.run(&["--no-cache"]).0.stdout);
    assert_eq!(kept.kernel("b", "sm_80")["block"], 96);
}

#[test]
fn from_another_folder_units_with_include_folders_are_kept_too() {
    let crate_ = Counted::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let manifest = crate_.project.path().join("Cargo.toml");
    let args = [&JSON[..], &["--manifest-path", manifest.to_str().unwrap()]].concat();
    let run = || crate::project::run_in(elsewhere.path(), &args, &[("NVCC", &crate_.nvcc)], "").exits(0);
    run();
    let count = crate_.project.path().join("count");
    let _ = fs::remove_file(&count);
    assert!(run().stderr.contains("Reused 4 of 4 compilations"), "all are kept");
    assert!(!count.exists());
}
