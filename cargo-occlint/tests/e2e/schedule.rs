//! Which compilation begins when, and how many run at a time.

use std::fs;
use std::path::Path;

use crate::project::{Project, Run, toolkit};

/// A crate whose nvcc writes down which source it compiles, before and after.
struct Watched {
    project: Project,
    nvcc: String,
}

impl Watched {
    fn new(sources: &[(&str, &str)]) -> Self {
        let project = Project::new("archs = [\"sm_90\"]");
        for (name, text) in sources {
            project.write(&format!("kernels/{name}.cu"), text);
        }
        let real = toolkit().nvcc.to_str().unwrap();
        let log = project.path().join("log");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *-cubin*) ;; *) exec '{real}' \"$@\";; esac\nfor source; do :; done\nname=$(basename \"$source\" .cu)\n\
             echo \"begin $name\" >> '{log}'\n'{real}' \"$@\"\nstatus=$?\ncase $name in slow) sleep 3;; slow*) sleep 0.7;; esac\necho \"end $name\" >> '{log}'\nexit $status\n",
            log = log.display()
        );
        project.write("tools/bin/nvcc", &script);
        let nvcc = project.path().join("tools/bin/nvcc");
        fs::set_permissions(&nvcc, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        Self { nvcc: nvcc.to_str().unwrap().to_owned(), project }
    }

    /// Runs, and gives what nvcc wrote down.
    fn run(&self, args: &[&str], vars: &[(&str, &str)]) -> (Run, Vec<String>) {
        let log = self.project.path().join("log");
        let _ = fs::remove_file(&log);
        let vars = [&[("NVCC", self.nvcc.as_str())], vars].concat();
        let run = self.project.run(args, &vars).exits(0);
        (run, fs::read_to_string(log).unwrap_or_default().lines().map(str::to_owned).collect())
    }
}

fn kernel(name: &str, filler: usize) -> String {
    format!("__global__ void {name}(int* o) {{ *o = 1; }}\n// {}\n", "x".repeat(filler))
}

fn begun(log: &[String]) -> Vec<&str> {
    log.iter().filter_map(|line| line.strip_prefix("begin ")).collect()
}

/// The most that ran at a time.
fn most(log: &[String]) -> usize {
    let mut running = 0;
    let count = |line: &String| {
        if line.starts_with("begin") {
            running += 1
        } else {
            running -= 1
        }
        running
    };
    log.iter().map(count).max().unwrap_or(0)
}

#[test]
fn what_took_longest_begins_first_and_the_report_is_in_its_own_order() {
    let (a, slow, z) = (kernel("a", 5), kernel("slow", 0), kernel("z", 900));
    let crate_ = Watched::new(&[("a", &a), ("slow", &slow), ("z", &z)]);
    let json = ["--message-format", "json"];
    let (first, log) = crate_.run(&[&json[..], &["--jobs", "1"]].concat(), &[]);
    assert_eq!(begun(&log), ["z", "a", "slow"], "by size: nothing else is known");
    crate_.run(&["clean"], &[]);
    let (again, log) = crate_.run(&[&json[..], &["--jobs", "1"]].concat(), &[]);
    assert_eq!(begun(&log)[0], "slow");
    let (wide, _) = crate_.run(&[&json[..], &["--no-cache", "--jobs", "3"]].concat(), &[]);
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(wide.stdout, first.stdout);
}

#[test]
fn a_job_server_says_how_many_run_and_jobs_overrule_it() {
    let sources: Vec<(String, String)> =
        (0..4).map(|n| (format!("slow{n}"), kernel(&format!("k{n}"), 0))).collect();
    let sources: Vec<(&str, &str)> =
        sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let crate_ = Watched::new(&sources);
    let server = Server::new(crate_.project.path(), 0);
    let vars = [("MAKEFLAGS", server.flags.as_str())];
    let (_, log) = crate_.run(&["--no-cache"], &vars);
    assert_eq!(most(&log), 1, "no token beside the one that each process has");
    let (_, log) = crate_.run(&["--no-cache", "--jobs", "2"], &vars);
    assert_eq!(most(&log), 2);
    if std::thread::available_parallelism().unwrap().get() > 1 {
        let server = Server::new(crate_.project.path(), 1);
        let (_, log) = crate_.run(&["--no-cache"], &[("CARGO_MAKEFLAGS", server.flags.as_str())]);
        assert_eq!(most(&log), 2);
        assert_eq!(server.tokens(), 1, "each token went back");
    }
    // What make closed is no job server.
    let (_, log) = crate_.run(&["--no-cache"], &[("MAKEFLAGS", "-j --jobserver-auth=98,99")]);
    assert_eq!(begun(&log).len(), 4);
}

/// A job server's pipe with so many tokens.
struct Server {
    pipe: fs::File,
    flags: String,
}

impl Server {
    fn new(folder: &Path, tokens: usize) -> Self {
        use std::io::Write;
        let path = folder.join(format!("tokens{tokens}"));
        let call = occlint::sys::process::Call::new("/usr/bin/mkfifo").arg(&path);
        occlint::sys::process::run(&call, folder, &Default::default()).unwrap();
        let mut pipe = fs::File::options().read(true).write(true).open(&path).unwrap();
        pipe.write_all(&b"+".repeat(tokens)).unwrap();
        Self { pipe, flags: format!("-j --jobserver-auth=fifo:{}", path.display()) }
    }

    /// How many lie in it; they are taken.
    fn tokens(mut self) -> usize {
        use std::io::{Read, Write};
        self.pipe.write_all(b"|").unwrap();
        let mut taken = 0;
        let mut byte = [0];
        while self.pipe.read_exact(&mut byte).is_ok() && byte != *b"|" {
            taken += 1;
        }
        taken
    }
}
