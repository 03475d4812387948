use super::*;
use crate::evidence::from_log;
use crate::kernel::Place;

fn kernel(unit: &str, name: &str, registers: u32, file: Option<&str>) -> Kernel {
    let text = format!(
        "ptxas info : Compiling entry function '{name}' for 'sm_90'\nptxas info : Used {registers} registers\n"
    );
    let mut kernel = from_log(unit, &text).kernels.remove(0);
    kernel.place = file.map(|file| Place {
        file: file.to_owned(),
        line: 3,
        foreign: false,
        text: None,
        declarator: None,
        bounds: None,
    });
    kernel
}

fn seen(kernels: Vec<Kernel>) -> Vec<(String, Vec<String>, Option<u32>)> {
    combine(kernels).into_iter().map(|k| (k.name.key, k.units, k.usage.registers)).collect()
}

fn row(key: &str, units: &[&str], registers: u32) -> (String, Vec<String>, Option<u32>) {
    (key.to_owned(), units.iter().map(|&unit| unit.to_owned()).collect(), Some(registers))
}

#[test]
fn one_kernel_in_several_units_has_the_worst_figures() {
    let kernels = vec![
        kernel("b.cu", "_Z1kv", 20, Some("h.cuh")),
        kernel("a.cu", "_Z1kv", 30, Some("h.cuh")),
        kernel("c.cu", "_Z1kv", 25, None),
    ];
    assert_eq!(seen(kernels), [row("k()", &["a.cu", "b.cu", "c.cu"], 30)]);
}

#[test]
fn different_kernels_of_one_name_get_their_file() {
    let kernels = vec![
        kernel("b.cu", "_ZN40_GLOBAL__N__69ba83fd_8_suite_cu_813960bc4anonEPf", 20, Some("b.cu")),
        kernel("a.cu", "_ZN40_GLOBAL__N__4c799105_8_suite_cu_813960bc4anonEPf", 30, Some("a.cu")),
        kernel("a.cu", "_Z1kv", 8, Some("a.cu")),
    ];
    let anon = "(anonymous namespace)::anon(float*)";
    assert_eq!(
        seen(kernels),
        [
            row(&format!("{anon} [a.cu]"), &["a.cu"], 30),
            row("k()", &["a.cu"], 8),
            row(&format!("{anon} [b.cu]"), &["b.cu"], 20)
        ]
    );
}

#[test]
fn architectures_stay_apart() {
    let mut other = kernel("a.cu", "_Z1kv", 30, None);
    other.arch = "sm_80".parse().ok();
    let seen = seen(vec![kernel("a.cu", "_Z1kv", 20, None), other]);
    assert_eq!(seen, [row("k()", &["a.cu"], 30), row("k()", &["a.cu"], 20)]);
}

#[test]
fn fragments_of_two_logs_stay_apart() {
    let fragment =
        |log: &str, registers| from_log(log, &format!("ptxas info : Used {registers} registers\n")).kernels;
    let kernels = [fragment("a.log", 5), fragment("b.log", 6)].concat();
    assert_eq!(
        seen(kernels),
        [
            row("<unnamed kernel at line 1> [a.log]", &["a.log"], 5),
            row("<unnamed kernel at line 1> [b.log]", &["b.log"], 6)
        ]
    );
}

#[test]
fn remarks_are_said_once() {
    let warned = |unit: &str| {
        let text = "ptxas warning : Value of threads per SM for entry k is out of range. .minnctapersm will be ignored";
        from_log(unit, text).kernels
    };
    let kernels = combine([warned("a.cu"), warned("b.cu")].concat());
    assert_eq!((kernels.len(), kernels[0].remarks.len()), (1, 1));
}
