use proptest::prelude::*;

use super::*;

const MODULE: &str = r#"
.version 9.5
.target sm_90a, debug
.address_size 64
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0
)
;
.global .align 1 .b8 $str[13] = {104, 101};
.extern .shared .align 16 .b8 dsm[];
/* a comment with .entry nothing( {
*/
.func  (.param .b32 func_retval0) _Z6calleefi(
	.param .b32 _Z6calleefi_param_0
)
{
	.local .align 4 .b8 	__local_depot0[28];
	.loc	1 0 0, function_name $L__info_string0, inlined_at 1 9 3
	.loc	1 30 0
	.loc	1 31 5
	call.uni (retval0),
	_Z6calleefi,
	(
	param0
	);
}
	// .globl	_Z1kPf
.visible .entry _Z1kPf(
	.param .align 8 .b8 _Z1kPf_param_0[16]
)
.maxntid 256
.minnctapersm 4 .explicitcluster .maxclusterrank 0x8
.reqnctapercluster 2, 1
{
	.loc	2 7 0
	{ // callseq 1, 0 }
	@%p1 call.uni vprintf, (param0);
	prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
	call (retval0),
	%rd5,
	(
	param0
	)
	, prototype_0;
	} // callseq 1
	mov.b32 {%r1, %r2}, %rd1;
	mov.u32 	%r3, dsm;
}
.weak .entry plain .reqntid 64, 2, 1 .maxnreg 40 { { setmaxnreg.inc.sync.aligned.u32 240; } call _Z6calleefi; ret; }
.visible .entry last(.param .u64 p) .maxntid 99999999999, 1, 1 { ld.shared.f32 %f1, [dsm+4]; }
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,0
	}
	.file	1 "/w/dir \303\274'x/a\\b \"q\".cu", 1700000, 12
	.file	2 "/w/{b};.cuh"
"#;

#[test]
fn a_module() {
    let ptx = parse(MODULE);
    assert_eq!(ptx.target, "sm_90a".parse().ok());
    assert_eq!(ptx.file(1), Some("/w/dir ü'x/a\\b \"q\".cu"));
    assert_eq!(ptx.file(2), Some("/w/{b};.cuh"));
    let names: Vec<_> = ptx.functions.iter().map(|f| (f.name.as_str(), f.entry)).collect();
    assert_eq!(names, [("_Z6calleefi", false), ("_Z1kPf", true), ("plain", true), ("last", true)]);

    let callee = &ptx.functions[0];
    assert_eq!((callee.local_depot_bytes, callee.location), (28, Some((1, 30))));
    assert_eq!((callee.calls.as_slice(), callee.indirect_call), (&["_Z6calleefi".to_owned()][..], false));

    let kernel = &ptx.functions[1];
    assert_eq!(kernel.bounds.max_threads, Some([256, 1, 1]));
    assert_eq!((kernel.bounds.min_blocks, kernel.bounds.max_cluster_rank), (Some(4), Some(8)));
    assert_eq!(kernel.bounds.required_cluster, Some([2, 1, 1]));
    assert_eq!((kernel.location, kernel.indirect_call, kernel.dynamic_shared), (Some((2, 7)), true, true));
    assert_eq!(kernel.calls, ["vprintf"]);
    assert!(!kernel.setmaxnreg);

    let plain = &ptx.functions[2];
    assert_eq!(plain.bounds.required_threads, Some([64, 2, 1]));
    assert_eq!((plain.bounds.max_registers, plain.setmaxnreg), (Some(40), true));
    assert_eq!((plain.calls.as_slice(), plain.dynamic_shared), (&["_Z6calleefi".to_owned()][..], false));

    let last = &ptx.functions[3];
    assert_eq!((last.bounds.max_threads, last.dynamic_shared), (None, true));
}

#[test]
fn declared_shared_memory_is_counted() {
    let text = ".shared .align 4 .b8 tile[132];\n.shared .v2 .f64 pair;\n.extern .shared .b8 dsm[];\n\
                .func help()\n{\n.shared .align 4 .b8 inner[50][4];\n}\n\
                .entry k()\n{\n.shared .align 8 .f64 d;\nld.shared.u32 %r1, [tile+12];\nst.shared.u32 [tile], %r1;\n\
                mov.u32 %r2, dsm;\ncall help, ();\n}\n.entry other()\n{\nmov.u32 %r2, pair;\n}\n";
    let ptx = parse(text);
    let declared = |functions: &[usize]| ptx.shared_bytes(&functions.iter().copied().collect());
    assert_eq!(declared(&[0]), 200);
    assert_eq!(declared(&[1]), 8 + 132);
    assert_eq!(declared(&[0, 1]), 200 + 8 + 132);
    assert_eq!(declared(&[2]), 16);
    assert!(ptx.functions[1].dynamic_shared && !ptx.functions[2].dynamic_shared);
}

#[test]
fn line_endings_change_nothing() {
    assert_eq!(parse(&MODULE.replace('\n', "\r\n")), parse(MODULE));
}

#[test]
fn a_module_cut_off_anywhere_is_read() {
    for end in (0..=MODULE.len()).filter(|&end| MODULE.is_char_boundary(end)) {
        parse(&MODULE[..end]);
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        parse(&text);
    }

    #[test]
    fn any_mixture_of_words_is_read(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..60)) {
        parse(&words.concat());
    }
}

const WORDS: [&str; 30] = [
    ".entry ",
    ".func ",
    ".visible ",
    "k",
    "(",
    ")",
    "{",
    "}",
    ";",
    "\n",
    " ",
    ",",
    "call.uni ",
    "%rd1",
    "@%p ",
    ".loc ",
    "1 ",
    "99999999999",
    ".maxntid ",
    ".extern .shared .b8 ",
    "[",
    "]",
    "\"",
    "\\",
    "//",
    "/*",
    "*/",
    ".file ",
    "__local_depot0[",
    "ü",
];
