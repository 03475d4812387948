use proptest::prelude::*;

use super::*;
use crate::kernel::{RemarkKind, Severity};

fn one(text: &str) -> LogFunction {
    let log = parse(text);
    assert_eq!(log.functions.len(), 1, "{log:?}");
    log.functions[0].clone()
}

#[test]
fn fields_in_any_order() {
    let f = one("ptxas info : Used 3+1 bytes smem, 5 textures, 12 registers, 7 bytes lmem, used 2 barriers");
    assert_eq!((f.usage.registers, f.usage.barriers), (Some(12), Some(2)));
    assert_eq!((f.usage.static_shared_bytes, f.usage.local_bytes), (Some(4), Some(7)));
}

#[test]
fn numbers_that_do_not_fit_are_unknown() {
    let f = one("ptxas info : Used 99999999999 registers, 4294967295+1 bytes smem");
    assert_eq!((f.usage.registers, f.usage.static_shared_bytes), (None, None));
}

#[test]
fn a_line_cut_off_leaves_shared_memory_unknown() {
    let whole = "ptxas info : Used 32 registers, used 0 barriers, 9216 bytes smem";
    assert_eq!(one(whole).usage.static_shared_bytes, Some(9216));
    for end in whole.find(", 9216").unwrap() + 1..whole.len() {
        assert_eq!(one(&whole[..end]).usage.static_shared_bytes, None, "{}", &whole[..end]);
    }
}

#[test]
fn prefixes_of_all_kinds() {
    for prefix in ["1>  ", "[3/9] ", "12:03:04.5 DEBUG ", "\u{1b}[1m", "  = note: ", "cargo:warning="] {
        let text = format!(
            "{prefix}ptxas info\t: Compiling entry function 'k' for 'sm_90a'\r\n\
             {prefix}ptxas info    : Function properties for k\r\n\
             {prefix}    8 bytes stack frame, 4 bytes spill stores, 2 bytes spill loads\r\n\
             {prefix}ptxas info    : Used 24 registers, used 1 barriers\r\n"
        );
        let f = one(&text);
        assert_eq!(f.name.as_deref(), Some("k"), "{prefix:?}");
        assert_eq!(f.arch, "sm_90a".parse().ok());
        assert_eq!((f.usage.stack_frame_bytes, f.usage.spill_store_bytes), (Some(8), Some(4)));
        assert_eq!((f.usage.spill_load_bytes, f.usage.registers), (Some(2), Some(24)));
    }
}

#[test]
fn the_tools_word_may_be_missing() {
    let text = "Compiling entry function 'k' for 'sm_90'\nFunction properties for k\n\
                ptxas .         0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                info    : Used 24 registers, 16 bytes smem\n\
                warning : Value of threads per SM for entry k is out of range. .minnctapersm will be ignored\n";
    let log = parse(text);
    assert_eq!(log.functions.len(), 1);
    assert_eq!(log.functions[0].usage.static_shared_bytes, Some(16));
    assert_eq!(log.remarks[0].remark.kind, RemarkKind::MinBlocksIgnored { with_threads: false });
    assert_eq!(log.remarks[0].function.as_deref(), Some("k"));
}

#[test]
fn callees_before_the_used_line() {
    let text = "ptxas info : Compiling entry function 'k' for 'sm_20'\nptxas info : Function properties for k\n\
                8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                ptxas info : Function properties for f\n\
                16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n\
                ptxas info : Used 10 registers\n";
    let log = parse(text);
    assert_eq!(log.functions.len(), 2);
    assert_eq!(log.functions[0].usage.registers, Some(10));
    assert_eq!((log.functions[1].entry, log.functions[1].after), (false, Some(0)));
    assert_eq!(log.functions[1].usage.stack_frame_bytes, Some(16));
}

#[test]
fn headers_without_compiling_lines_are_kernels_if_they_have_registers() {
    let block = |name: &str, registers: u32| {
        format!(
            "ptxas info : Function properties for {name}\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes \
             spill loads\nptxas info : Used {registers} registers\n"
        )
    };
    let log = parse(&(block("a", 5) + &block("b", 6)));
    let seen: Vec<_> =
        log.functions.iter().map(|f| (f.name.as_deref(), f.entry, f.usage.registers)).collect();
    assert_eq!(seen, [(Some("a"), true, Some(5)), (Some("b"), true, Some(6))]);
}

#[test]
fn nvlink_adds_a_reserve_and_a_barrier() {
    let text = "ptxas info    : Compiling entry function '_Z3rk1Pfi' for 'sm_90'\n\
                ptxas info    : Used 24 registers, used 1 barriers, 400 bytes smem\n\
                nvlink warning : Stack size for entry function '_Z3rk1Pfi' cannot be statically determined\n\
                nvlink info    : 0 bytes gmem\n\
                nvlink info    : Function properties for '_Z3rk1Pfi':\n\
                nvlink info    : used 30 registers, used 1 barriers, 264 stack, 1424 bytes smem, 540 bytes cmem[0], \
                0 bytes lmem\n";
    let log = parse(text);
    assert_eq!(log.functions.len(), 2);
    let linked = &log.functions[1];
    assert!(linked.linked && linked.entry);
    assert_eq!(linked.arch, "sm_90".parse().ok());
    assert_eq!((linked.usage.registers, linked.usage.barriers), (Some(30), None));
    assert_eq!(
        (linked.usage.static_shared_bytes, linked.usage.cumulative_stack_bytes),
        (Some(400), Some(264))
    );
    assert_eq!(log.remarks[0].run, linked.run);
}

#[test]
fn nvlink_adds_the_reserve_on_9_x_alone() {
    let linked = |arch: &str, bytes: u32| {
        let text = format!(
            "nvlink info    : Function properties for 'k': (target: {arch})\nnvlink info    : used 10 registers, 0 stack, \
             {bytes} bytes smem, 0 bytes lmem (target: {arch})\n"
        );
        parse(&text).functions[0].usage.static_shared_bytes
    };
    for (arch, printed) in [
        ("sm_75", 2048),
        ("sm_80", 2048),
        ("sm_90", 3072),
        ("sm_90a", 3072),
        ("sm_100", 2048),
        ("sm_120", 2048),
    ] {
        assert_eq!(linked(arch, printed), Some(2048), "{arch}");
    }
    assert_eq!(linked("sm_90", 0), Some(0));
}

#[test]
fn nvlink_names_its_target_in_ptxas_lines_too() {
    let text = "ptxas warning : Value of threads per SM for entry k is out of range. .minnctapersm will be ignored (target: sm_90)\n\
                ptxas info    : Compiling entry function 'k' for 'sm_90' (target: sm_90)\n\
                ptxas info    : Function properties for k (target: sm_90)\n    \
                64 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads (target: sm_90)\n\
                ptxas info    : Used 32 registers, used 0 barriers, 64 bytes cumulative stack size (target: sm_90)\n\
                ptxas info    : Function properties for f (target: sm_90)\n    \
                0 bytes stack frame, 120 bytes spill stores, 124 bytes spill loads (target: sm_90)\n";
    let log = parse(text);
    let names: Vec<_> = log.functions.iter().map(|f| f.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["k", "f"]);
    let spills =
        |at: usize| (log.functions[at].usage.spill_store_bytes, log.functions[at].usage.spill_load_bytes);
    assert_eq!((spills(0), spills(1)), ((Some(4), Some(8)), (Some(120), Some(124))));
    assert_eq!(log.functions[0].usage.cumulative_stack_bytes, Some(64));
    assert_eq!(log.remarks[0].remark.kind, RemarkKind::MinBlocksIgnored { with_threads: false });
    assert!(!log.remarks[0].remark.text.contains("target"));
}

#[test]
fn advisories_of_other_toolkits() {
    let said = |text: &str| {
        let log = parse(text);
        (log.remarks[0].remark.kind.clone(), log.remarks[0].function.clone())
    };
    let name = || Some("_Z2wgPfmmi".to_owned());
    assert_eq!(
        said(
            "ptxas info    : (C7519) warpgroup.arrive is injected in around line 80 by compiler to allow use of \
             registers in GMMA in function '_Z2wgPfmmi'"
        ),
        (RemarkKind::Advisory { code: 7519, ptx_line: Some(80) }, name())
    );
    assert_eq!(
        said(
            "ptxas info    : Potential Performance Loss: wgmma.mma_async instructions are serialized due to \
             insufficient register resources for the function '_Z2wgPfmmi'"
        )
        .0,
        RemarkKind::Advisory { code: 0, ptx_line: None }
    );
    assert_eq!(
        said("ptxas info : Potential Performance Loss: 'setmaxnreg' ignored to allow debugging.").0,
        RemarkKind::SetmaxnregIgnored { code: None }
    );
}

#[test]
fn other_tools_words_are_no_remarks() {
    let log = parse(
        "foo.c:3:4: warning: unused variable 'Used 5 things'\nerror: could not compile `x`\n\
         ptxas info    : something new\nnvccfoo warning : no\nnote: 12 registers were seen\n",
    );
    assert_eq!(log, Log::default());
}

#[test]
fn drivers_errors_are_remarks() {
    let log =
        parse("nvcc fatal   : Unsupported gpu architecture 'compute_70'\nnvcc error   : 'ptxas' died\n");
    let said: Vec<_> = log.remarks.iter().map(|r| (r.remark.severity, r.remark.text.as_str())).collect();
    assert_eq!(
        said,
        [(Severity::Error, "Unsupported gpu architecture 'compute_70'"), (Severity::Error, "'ptxas' died")]
    );
}

#[test]
fn a_large_log_is_read_in_linear_time() {
    let mut text = String::new();
    for i in 0..10_000 {
        text += &format!(
            "ptxas warning : Local memory used for function '_Z5k{i}Pf', size of stack frame: 8 bytes\n\
             ptxas info    : Compiling entry function '_Z5k{i}Pf' for 'sm_90'\n\
             ptxas info    : Function properties for _Z5k{i}Pf\n    8 bytes stack frame, 0 bytes spill stores, 0 bytes \
             spill loads\nptxas info    : Used {} registers, used 0 barriers\nptxas info    : Compile time = 1 ms\n",
            i % 255
        );
    }
    let log = parse(&text);
    assert_eq!((log.functions.len(), log.remarks.len()), (10_000, 10_000));
    assert_eq!(log.functions[9_999].usage.registers, Some(54));
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        parse(&text);
    }

    #[test]
    fn any_mixture_of_words_is_read(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..40)) {
        parse(&words.concat());
    }
}

const WORDS: [&str; 38] = [
    "ptxas",
    "nvlink",
    "nvcc",
    " ",
    "\n",
    "info",
    "warning",
    "error",
    "fatal",
    " : ",
    "'",
    "k",
    "ü",
    "Used ",
    "used ",
    "12",
    "99999999999",
    " registers",
    ", ",
    " bytes stack frame",
    " bytes spill stores",
    " bytes gmem",
    "Compiling entry function ",
    " for 'sm_90'",
    "Function properties for ",
    ", line ",
    ";",
    "(C7508)",
    "Value of ",
    " for entry ",
    " is out of range",
    "' with ",
    " of ",
    "in function '",
    "+",
    "0x",
    "(target: sm_80)",
    "\u{1b}[",
];
