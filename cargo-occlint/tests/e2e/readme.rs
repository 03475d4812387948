//! What README.md shows is what the commands print.

use crate::project::{root, run_in};

#[test]
fn the_calculators_output_is_the_real_one() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let args = ["occupancy", "--arch", "sm_80", "--block", "256", "--regs", "64", "--smem", "48KiB"];
    assert!(readme.contains(&format!("cargo occlint {}", args.join(" "))), "the command itself is shown");
    let printed = run_in(&root(), &args, &[], "").exits(0).stdout;
    assert!(readme.contains(&format!("```text\n{printed}```")), "README.md must show:\n{printed}");
}
