use proptest::prelude::*;

use super::super::parse;
use super::*;

/// The objects of a function whose depot is of 64 bytes, with this code.
fn objects(code: &str) -> Vec<LocalObject> {
    let text = format!(
        ".target sm_90\n.visible .entry k(.param .b64 p)\n{{\n\t.local .align 16 .b8 \t__local_depot3[64];\n\
         \tmov.b64 \t%SPL, __local_depot3;\n\tcvta.local.u64 \t%SP, %SPL;\n\t.loc\t1 7 0\n{code}\tret;\n}}\n"
    );
    parse(&text).functions.remove(0).locals.objects
}

/// The only object.
fn object(code: &str) -> LocalObject {
    let mut all = objects(code);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn an_index_of_the_run_is_dynamic_and_a_constant_is_not() {
    let code =
        "\tadd.u64 \t%rd1, %SPL, 0;\n\t.loc\t1 9 3\n\tst.local.v4.f32 \t[%rd1+16], {%f1, %f2, %f3, %f4};\n";
    let constant = object(code);
    assert_eq!((constant.dynamic, constant.bytes), (false, 64));
    assert_eq!(constant.lines, [(1, 9)].into());
    let indexed = "\tadd.s64 \t%rd4, %rd1, %rd3;\n$L__BB0_3:\n\t.loc\t2 4 1, function_name $L__info0, inlined_at 1 11 5\n\
                   \t@%p1 ld.local.f32 \t%f5, [%rd4+-4];\n";
    let dynamic = object(&format!("{code}{indexed}"));
    assert!(dynamic.dynamic);
    assert_eq!(dynamic.lines, [(1, 9), (1, 11), (2, 4)].into());
}

#[test]
fn a_pointer_that_walks_is_dynamic() {
    let walks = "\tadd.u64 \t%rd1, %SPL, 0;\n\tmov.b64 \t%rd2, %rd1;\n$L__BB0_1:\n\tld.local.b32 \t%r1, [%rd2];\n\
                 \tadd.s64 \t%rd2, %rd2, 16;\n\t@%p1 bra \t$L__BB0_1;\n";
    assert!(object(walks).dynamic);
}

#[test]
fn the_depot_is_cut_where_addresses_begin() {
    let code = "\tadd.u64 \t%rd1, %SPL, 0;\n\tadd.u64 \t%rd2, %SPL, 40;\n\tadd.u64 \t%rd3, %SP, 40;\n\
                \tadd.s64 \t%rd4, %rd2, %rd9;\n\tst.local.b32 \t[%rd4], %r1;\n\tst.local.b32 \t[%SPL+4], %r1;\n";
    let all = objects(code);
    let cuts: Vec<_> = all.iter().map(|object| (object.offset, object.bytes, object.dynamic)).collect();
    assert_eq!(cuts, [(0, 40, false), (40, 24, true)]);
    assert_eq!(all[0].lines, [(1, 7)].into(), "an address relative to the depot");
}

const PRINTF_13_0: &str = "\tadd.u64 \t%rd40, %SP, 0;\n\tadd.u64 \t%rd41, %SPL, 0;\n\tst.local.f64 \t[%rd41], %fd1;\n\
    \t{ // callseq 7, 0\n\t.reg .b32 temp_param_reg;\n\t.param .b64 param0;\n\tst.param.b64 \t[param0+0], %rd43;\n\
    \t.param .b64 param1;\n\tst.param.b64 \t[param1+0], %rd40;\n\t.param .b32 retval0;\n\tcall.uni (retval0), \n\
    \tvprintf, \n\t(\n\tparam0, \n\tparam1\n\t);\n\tld.param.b32 \t%r37, [retval0+0];\n\t} // callseq 7\n";

#[test]
fn calls_get_addresses() {
    let printf = object(PRINTF_13_0);
    assert!(printf.printf && printf.passed_to.is_empty() && !printf.dynamic);

    let by_reference = "\tadd.u64 \t%rd3, %SP, 0;\n\t{ // callseq 5, 0\n\t.param .b64 param0;\n\
        \tst.param.b64 \t[param0], %rd3;\n\tcall.uni _Z5byrefPfi, (param0, param1);\n\t} // callseq 5\n\
        \tcall.uni (retval0), _Z5otherv, ();\n";
    let passed = object(by_reference);
    assert_eq!(passed.passed_to, ["_Z5byrefPfi".to_owned()].into());
    assert!(!passed.printf && !passed.address_kept);

    let pointer = object(&by_reference.replace("_Z5byrefPfi", "%rd9").replace("param1)", "param1), proto"));
    assert_eq!(pointer.passed_to, [String::new()].into());
}

#[test]
fn an_address_in_memory_is_kept() {
    assert!(object("\tadd.u64 \t%rd3, %SP, 0;\n\tst.global.u64 \t[%rd2], %rd3;\n").address_kept);
    assert!(!object("\tadd.u64 \t%rd3, %SPL, 0;\n\tst.local.u64 \t[%rd3], %rd2;\n").address_kept);
}

#[test]
fn a_choice_between_objects_is_no_index() {
    let code = "\tadd.u64 \t%rd3, %SP, 0;\n\tadd.u64 \t%rd5, %SP, 32;\n\tselp.b64 \t%rd7, %rd3, %rd5, %p1;\n\
                \tcvta.to.local.u64 \t%rd8, %rd7;\n\tst.local.f32 \t[%rd8], %f4;\n";
    let all = objects(code);
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|object| object.address_kept && !object.dynamic), "{all:?}");
}

#[test]
fn an_address_of_very_many_objects_is_one_of_any() {
    let taken = |n: u32| format!("\tadd.u64 \t%rd{n}, %SPL, {n};\n\tadd.u64 \t%rd900, %SPL, {n};\n");
    let code: String = (0..65).map(taken).collect::<String>() + "\tst.local.b8 \t[%rd900], %r1;\n";
    let text = format!(
        ".entry k()\n{{\n.local .align 8 .b8 __local_depot0[99];\nmov.b64 %SPL, __local_depot0;\n{code}}}\n"
    );
    let all = parse(&text).functions.remove(0).locals.objects;
    assert_eq!((all.len(), all[64].offset, all[64].bytes), (65, 64, 35));
    assert!(all.iter().all(|object| object.address_kept && !object.dynamic && object.lines.is_empty()));
}

#[test]
fn range_reduction_is_known_by_the_digits_of_two_over_pi() {
    let unrolled = "\tadd.u64 \t%rd7, %SPL, 0;\n\tmov.u32 \t%r20, 1011060801;\n\tmad.wide.u32 \t%rd9, %r20, %r18, %rd8;\n\
                    \tshr.u64 \t%rd10, %rd9, 32;\n\tst.local.u32 \t[%rd7], %rd10;\n";
    assert!(object(unrolled).range_reduction);
    let looped = "\tadd.u64 \t%rd1, %SPL, 0;\n\tmov.u64 \t%rd24, __cudart_i2opi_f;\n\tmov.u64 \t%rd23, %rd1;\n\
                  $L__BB0_3:\n\tld.global.nc.u32 \t%r24, [%rd24];\n\tmad.wide.u32 \t%rd15, %r24, %r4, %rd25;\n\
                  \tst.local.u32 \t[%rd23], %rd15;\n\tadd.s64 \t%rd24, %rd24, 4;\n\tadd.s64 \t%rd23, %rd23, 4;\n";
    assert!(object(looped).range_reduction);
    // the sine's result, stored in an array: it came out of local memory
    let result = "\tadd.u64 \t%rd1, %SPL, 0;\n\tadd.u64 \t%rd2, %SPL, 32;\n\tmov.u32 \t%r20, 1011060801;\n\
                  \tst.local.u32 \t[%rd1], %r20;\n\tld.local.u32 \t%r5, [%rd1];\n\tst.local.u32 \t[%rd2], %r5;\n";
    let found: Vec<bool> = objects(result).iter().map(|object| object.range_reduction).collect();
    assert_eq!(found, [true, false]);
}

#[test]
fn slow_path_calls_are_found_without_a_depot() {
    let text = ".visible .entry k()\n{\n.loc 1 3 0\n.loc 1 5 7\ncall.uni (r), \n__internal_trig_reduction_slowpathd, \n(p);\n}\n";
    let locals = parse(text).functions.remove(0).locals;
    assert_eq!(locals.slow_path_calls, [(1, 5)].into());
    assert!(locals.objects.is_empty());
}

#[test]
fn code_cut_off_anywhere_is_read() {
    for (end, _) in PRINTF_13_0.match_indices('\n') {
        read(&PRINTF_13_0[..end], 64);
    }
}

proptest! {
    #[test]
    fn any_mixture_of_words_is_read(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..60)) {
        read(&words.concat(), 64);
    }
}

const WORDS: [&str; 28] = [
    "mov.b64 ",
    "add.s64 ",
    "or.b64 ",
    "sub.s64 ",
    "mad.lo.s64 ",
    "selp.b64 ",
    "ld.local.v2.f32 ",
    "st.local.b32 ",
    "st.param.b64 ",
    "cvta.local.u64 ",
    "call.uni ",
    "call (",
    "%rd1",
    "%rd2",
    "%SPL",
    "__local_depot0",
    "-9223372036854775808",
    "9223372036854775807",
    ", ",
    ";",
    "\n",
    "[",
    "]",
    "+",
    "{",
    "}",
    ".loc\t1 2 3",
    "@%p1 ",
];
