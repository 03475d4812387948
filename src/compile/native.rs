//! `archs = ["native"]`: the GPUs of this machine.

use std::path::Path;

use crate::arch::Arch;
use crate::order;
use crate::sys::env::Env;
use crate::sys::process::{self, Call, Cancel};

/// The architectures of this machine's GPUs as `nvidia-smi` names them, ascending and each once; empty without a GPU.
///
/// nvcc's own `-arch=native` takes sm_75 where it finds none, with a warning: a check would then answer for a part
/// that nobody asked about.
pub fn native_archs(env: &Env, scratch: &Path, cancel: &Cancel) -> Vec<Arch> {
    let Some(program) = env.find_program("nvidia-smi") else { return Vec::new() };
    let call = Call::new(program).args(["--query-gpu=compute_cap", "--format=csv,noheader"]);
    let call = call.timeout(Some(std::time::Duration::from_secs(20)));
    match process::run(&call, scratch, cancel) {
        Ok(output) if output.status.success() => parse(&output.stdout),
        _ => Vec::new(),
    }
}

fn parse(output: &str) -> Vec<Arch> {
    let cc = |line: &str| {
        let (major, minor) = line.trim().split_once('.')?;
        format!("sm_{major}{minor}").parse().ok()
    };
    let mut archs: Vec<Arch> = output.lines().filter_map(cc).collect();
    order::sort(&mut archs);
    archs.dedup();
    archs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compute_capabilities_become_architectures() {
        let archs: Vec<String> = parse("9.0\n8.6\n9.0\n").iter().map(ToString::to_string).collect();
        assert_eq!(archs, ["sm_86", "sm_90"]);
        assert!(parse("No devices were found\n[N/A]\n").is_empty());
    }
}
