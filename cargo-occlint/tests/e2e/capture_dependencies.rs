//! Kernels that the build scripts of dependencies compile.

use crate::capture::{KERNEL, crate_with, said, script, units};
use crate::project::Project;

/// A package that depends on one whose kernels spill on purpose.
fn depends(build: Option<&str>) -> Project {
    let project = build.map_or_else(|| Project::new(""), crate_with);
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    project.write(
        "Cargo.toml",
        &format!("{manifest}[dependencies]\ngpu = {{ path = \"vendor/gpu\" }}\n")
            .replace("[workspace]\n", "[workspace]\nexclude = [\"vendor\"]\n"),
    );
    project.write(
        "vendor/gpu/Cargo.toml",
        "[package]\nname = \"gpu\"\nversion = \"1.2.3\"\nedition = \"2024\"\n[[package.metadata.occlint.kernel]]\n\
         name = \"theirs\"\nmin-blocks = 99\nblock = 128\n",
    );
    project.write("vendor/gpu/src/lib.rs", "");
    project.write(
        "vendor/gpu/build.rs",
        &script("nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/t.o\", \"cuda/theirs.cu\"]);"),
    );
    project.write("vendor/gpu/cuda/theirs.cu", &KERNEL.replace(" k(", " theirs("));
    project
}

const JSON: [&str; 4] = ["--message-format", "json", "--experiments", "off"];
const OWN: &str = "nvcc(&[\"-c\", \"-arch=sm_80\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);";

#[test]
fn they_are_checked_on_demand_with_their_own_configuration() {
    let project = depends(Some(OWN));
    let run = project.occlint(&JSON).exits(0);
    assert_eq!(units(&run), ["kernels/k.cu sm_80"]);
    assert_eq!(said(&run, "Note"), ["dependencies compile CUDA too: gpu; `--deps` checks them"]);

    let args = [&JSON[..], &["--deps"]].concat();
    for fresh in [false, true] {
        let run = project.occlint(&args).exits(100);
        assert_eq!(units(&run), ["kernels/k.cu sm_80", "vendor/gpu/cuda/theirs.cu sm_90"], "{fresh}");
        let keys: Vec<String> = run.lines("kernel").iter().map(|line| line["key"].to_string()).collect();
        assert!(keys.contains(&"\"gpu/theirs(float*)\"".to_owned()), "{keys:?}");
        assert_eq!(run.findings(), ["residency-below-target theirs sm_90"], "{}", run.stdout);
        assert!(
            said(&run, "Compiling").contains(&"gpu (a dependency): 1 unit of 1 call of nvcc for sm_90"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_package_without_cuda_of_its_own_can_have_its_dependencies_checked() {
    let project = depends(None);
    project.occlint(&JSON).exits(101);
    let run = project.occlint(&[&JSON[..], &["--deps", "--arch", "sm_80"]].concat()).exits(100);
    assert_eq!(units(&run), ["vendor/gpu/cuda/theirs.cu sm_80"]);
}
