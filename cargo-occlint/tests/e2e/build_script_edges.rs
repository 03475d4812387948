//! Build scripts where something is missing, in the way, or twice.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::build_script::Crate;

const KERNEL: &str =
    "extern \"C\" __global__ void __launch_bounds__(128) fill(float* a) { a[threadIdx.x] = 1.0f; }\n";
const INCLUDE: &str = "pub const PTX: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/fill.ptx\"));\n";

fn kernel(build: &str) -> Crate {
    Crate::new(build, "").with("fill.cu", KERNEL)
}

/// A `PATH` with cargo and no nvcc.
fn path() -> String {
    format!("{}:/usr/bin:/bin", Path::new(env!("CARGO")).parent().unwrap().display())
}

/// A program `nvcc` in a folder of its own, which does this for calls that compile and is the real one for others.
fn stand_in(demo: &Crate, compiling: &str) -> PathBuf {
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' --keep '*) {compiling};; esac\nexec '{}' \"$@\"\n",
        Crate::nvcc()
    );
    demo.project.write("tools/nvcc", &script);
    let nvcc = demo.project.path().join("tools/nvcc");
    std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).unwrap();
    nvcc
}

#[test]
fn a_path_with_a_line_break_becomes_no_directive() {
    let name = "k\ncargo:warning=injected\n.cu";
    for call in [
        format!(".file({name:?}).compile(\"k\")"),
        ".file(\"fill.cu\").include(\"a\\ncargo:warning=injected\").compile(\"k\")".to_owned(),
        ".file(\"fill.cu\").compile(\"k\\ncargo:warning=injected\")".to_owned(),
        format!(".check_ptx([{name:?}])"),
    ] {
        let demo = kernel(&format!("occlint::Build::new().arch(\"sm_90\"){call};")).with(name, KERNEL);
        let run = demo.build().exits(101);
        assert!(run.said("warning").is_empty(), "{}", run.stderr);
        assert!(run.said("error")[0].contains("control character '\\n'"), "{}", run.stderr);
    }
}

#[test]
fn each_check_of_a_build_script_has_its_own_report() {
    let demo = kernel(
        "let mut build = occlint::Build::new();\nbuild.flag(\"-arch=compute_90\").file(\"fill.cu\");\n\
         let made = build.compile_ptx();\nbuild.check_ptx(&made.outputs);\nbuild.compile_ptx();\n\
         occlint::Build::new().arch(\"sm_80\").file(\"fill.cu\").check();\n\
         occlint::Build::new().arch(\"sm_90\").file(\"fill.cu\").check();",
    );
    demo.build().exits(0);
    for (name, arch) in
        [("ptx", "sm_90"), ("ptx-2", "sm_90"), ("ptx-3", "sm_90"), ("check", "sm_80"), ("check-2", "sm_90")]
    {
        let lines = demo.report(name);
        let archs: Vec<_> =
            lines.iter().filter(|line| line["reason"] == "kernel").map(|line| &line["arch"]).collect();
        assert_eq!(archs, [arch], "{name}");
        let text = std::fs::read_to_string(demo.out().join("occlint").join(format!("{name}.txt"))).unwrap();
        assert_eq!(text, format!("1 kernel on {arch}: no errors, no warnings\n"), "{name}");
    }
    let units = |name: &str| demo.report(name)[0]["units"][0].as_str().unwrap().to_owned();
    assert_eq!(units("ptx"), "fill.cu");
    assert!(units("ptx-2").ends_with("fill.ptx"), "{}", units("ptx-2"));
}

#[test]
fn a_compiler_that_makes_nothing_is_an_error_and_no_old_object_is_taken() {
    let demo = kernel("occlint::Build::new().arch(\"sm_90\").file(\"fill.cu\").compile(\"k\");");
    let nvcc = stand_in(&demo, "[ -e lazy ] && exit 0");
    let vars = [("NVCC", nvcc.to_str().unwrap())];
    demo.cargo(&["build"], &vars).exits(0);
    demo.project.write("lazy", "");
    demo.project.write("fill.cu", &format!("{KERNEL}\n"));
    let run = demo.cargo(&["build"], &vars).exits(101);
    assert!(run.said("error")[0].contains("ended well but left no `.o` file"), "{}", run.stderr);
    stand_in(&demo, "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && : > \"$2\"; shift; done; exit 0");
    let run = demo.cargo(&["build"], &vars).exits(101);
    assert!(run.said("error")[0].contains("ended well but left no report"), "{}", run.stderr);
    assert!(!run.stderr.contains("no kernels"), "{}", run.stderr);
}

#[test]
fn documentation_has_ptx_to_include_and_no_kernels() {
    let build = "occlint::Build::new().file(\"fill.cu\").compile_ptx();";
    let demo = kernel(build).with("src/lib.rs", INCLUDE);
    demo.cargo(&["check"], &[("PATH", &path()), ("DOCS_RS", "1")]).exits(0);
    let ptx = std::fs::read_to_string(demo.out().join("fill.ptx")).unwrap();
    assert!(ptx.contains("no kernels, since `DOCS_RS` is set") && !ptx.contains(".entry"), "{ptx}");
    let call = occlint::sys::process::Call::new(Path::new(&Crate::nvcc()).with_file_name("ptxas"));
    let call =
        call.args(["-arch=sm_75", "-o"]).arg(demo.out().join("fill.cubin")).arg(demo.out().join("fill.ptx"));
    assert!(occlint::sys::process::run(&call, &demo.out(), &Default::default()).unwrap().status.success());
    demo.build().exits(0);
    let made = std::fs::read_to_string(demo.out().join("fill.ptx")).unwrap();
    assert!(made.contains(".entry fill"), "{made}");
    demo.cargo(&["check"], &[("PATH", &path()), ("DOCS_RS", "1")]).exits(0);
    assert_eq!(std::fs::read_to_string(demo.out().join("fill.ptx")).unwrap(), made);
}

#[test]
fn a_build_that_went_on_without_nvcc_looks_for_it_each_time() {
    let demo = kernel("occlint::Build::new().file(\"fill.cu\").optional().compile_ptx();")
        .with("src/lib.rs", INCLUDE);
    let ptx = || std::fs::read_to_string(demo.out().join("fill.ptx")).unwrap();
    let without = || demo.cargo(&["check"], &[("PATH", &path())]).exits(0);
    let run = without();
    assert!(run.said("warning")[0].contains("left without kernels: `fill.ptx`)"), "{}", run.stderr);
    assert!(ptx().contains("no kernels, since no CUDA compiler (nvcc) was found"), "{}", ptx());
    let tools = stand_in(&demo, ":").parent().unwrap().display().to_string();
    let run = demo.cargo(&["check"], &[("PATH", &format!("{tools}:{}", path()))]).exits(0);
    assert!(run.said("warning").is_empty() && ptx().contains(".entry fill"), "{}", run.stderr);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    demo.project.write("fill.cu", &format!("{KERNEL}\n"));
    let run = without();
    assert!(run.said("warning")[0].contains("over what an earlier build made: `fill.ptx`"), "{}", run.stderr);
    assert!(!ptx().contains(".entry"), "{}", ptx());
}

#[test]
fn a_source_that_is_missing_or_forgotten_is_said_to_be() {
    let run =
        kernel("occlint::Build::new().arch(\"sm_90\").files([\"fill.cu\", \"gone.cu\"]).compile(\"k\");")
            .build()
            .exits(101);
    assert!(
        run.said("error")[0].contains("the source `gone.cu` does not exist: correct it"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("include"), "{}", run.stderr);
    for call in ["compile(\"k\")", "compile_ptx()", "check()"] {
        let run = kernel(&format!("occlint::Build::new().arch(\"sm_90\").{call};")).build().exits(101);
        assert!(run.said("error")[0].contains("no source file was given to compile"), "{}", run.stderr);
    }
    let name = "std::os::unix::ffi::OsStrExt::from_bytes(b\"k\\xff.cu\")";
    let call = format!(
        "let name: &std::ffi::OsStr = {name};\nocclint::Build::new().arch(\"sm_90\").file(name).compile(\"k\");"
    );
    let run = kernel(&call).build().exits(101);
    assert!(run.said("error")[0].contains("`k\u{fffd}.cu` is not UTF-8: rename it"), "{}", run.stderr);
}

#[test]
fn lints_about_a_baseline_may_be_configured_where_none_is_compared_with() {
    let levels =
        ["residency", "spill", "limiter", "register"].map(|what| format!("{what}-regression = \"deny\"\n"));
    let levels = levels.concat().replace(
        "spill-regression = \"deny\"",
        "spill-regression = { level = \"deny\", max-increase = \"5%\" }",
    );
    const BUILD: &str = "occlint::Build::new().arch(\"sm_90\").file(\"fill.cu\").compile(\"k\");";
    let head = "baseline = \"occlint.baseline.json\"\n[package.metadata.occlint.lints]\n";
    let config = format!("{head}{levels}stale-baseline = \"deny\"\nincomparable-baseline = \"allow\"\n");
    let comment = "// occlint: allow(spill-regression, max = 8, reason = \"cold\")\n";
    let run = Crate::new(BUILD, &config).with("fill.cu", &format!("{comment}{KERNEL}")).build().exits(0);
    assert!(!run.stderr.contains("unknown lint"), "{}", run.stderr);
    let unknown = "[package.metadata.occlint.lints]\nspil-regression = \"deny\"\n";
    let run = Crate::new(BUILD, unknown).with("fill.cu", KERNEL).build().exits(101);
    assert!(run.stderr.contains("did you mean `spill-regression`?"), "{}", run.stderr);
}
