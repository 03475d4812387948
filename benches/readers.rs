//! The readers of untrusted text on its worst shapes: time must grow with the text, whatever stands in it.
//!
//!     cargo bench -p occlint --all-features --bench readers

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench that cannot do its work must fail")]

mod support;

use std::hint::black_box;
use std::sync::Arc;

use occlint::arch::Arch;
use occlint::evidence::{self, Artefacts, ptx, ptxas_log};
use occlint::expect;
use occlint::source::SourceText;
use support::once;

/// The smaller text, bytes; the larger one is four times as long.
const SIZE: usize = 1 << 20;

/// Makes a text of about so many bytes.
type Make = fn(usize) -> String;

fn main() {
    println!("{:<52} {:>9} {:>9}  growth", "1 MiB, 4 MiB (a growth of 4 is linear)", "MB/s", "MB/s");
    for (what, make) in LOGS {
        measure("log", what, make, |text| drop(black_box(ptxas_log::parse(text))));
        measure("log merged", what, make, |text| drop(black_box(evidence::from_log("a.log", text))));
    }
    for (what, make) in MODULES {
        measure("ptx", what, make, |text| drop(black_box(ptx::parse(text))));
        measure("ptx merged", what, make, merged);
    }
    for (what, part) in LINES {
        measure("place", what, |n| repeated(n, part), placed);
    }
    for (what, make) in SOURCES {
        measure("source", what, make, |text| {
            drop(black_box(expect::comments(&SourceText::new("k.cu", text))));
        });
    }
}

/// Places for all kernels of a module, in a source that has one of the worst lines for each.
fn placed(line: &str) {
    let modules = numbered(line.len() / 128, ".entry k#()\n{\n.loc 1 2 0\nret;\n}\n") + ".file 1 \"k.cu\"\n";
    let arch = Arch::from_cc_tenths(90);
    let artefacts = Artefacts { unit: "k.cu", arch, log: "", ptx: &modules, cubin: None, debug: false };
    let source = SourceText::new("k.cu", format!("\n{}\n", &line[..line.len().min(60_000)]));
    let lookup = |_: &str| ("k.cu".to_owned(), false, Some(Arc::clone(&source)));
    drop(black_box(evidence::from_artefacts(&artefacts, &lookup)));
}

fn merged(ptx: &str) {
    let arch = Arch::from_cc_tenths(90);
    let artefacts = Artefacts { unit: "k.cu", arch, log: "", ptx, cubin: None, debug: false };
    let source = SourceText::new("k.cu", "int x;\n".repeat(1000));
    let lookup = |_: &str| ("k.cu".to_owned(), false, Some(Arc::clone(&source)));
    drop(black_box(evidence::from_artefacts(&artefacts, &lookup)));
}

fn measure(reader: &str, what: &str, make: impl Fn(usize) -> String, read: impl Fn(&str)) {
    let time = |size: usize| {
        let text = make(size);
        (once(|| read(&text)).as_secs_f64(), text.len() as f64 / 1e6)
    };
    let ((short, mb), (long, more)) = (time(SIZE), time(SIZE * 4));
    println!(
        "{:<52} {:>9.1} {:>9.1} {:>7.1}",
        format!("{reader}: {what}"),
        mb / short,
        more / long,
        long / short
    );
}

/// `part` with `#` numbered, until the text is long enough.
fn numbered(size: usize, part: &str) -> String {
    let mut out = String::with_capacity(size + part.len());
    for n in 0.. {
        if out.len() >= size {
            break;
        }
        out.push_str(&part.replace('#', &n.to_string()));
    }
    out
}

fn repeated(size: usize, part: &str) -> String {
    part.repeat(size / part.len() + 1)
}

const LOGS: [(&str, Make); 16] = [
    ("lines of other tools", |n| repeated(n, "make[2]: Entering directory '/work/build: a'\n")),
    ("one line of colons", |n| repeated(n, ": ")),
    ("one line of grades without a tool", |n| repeated(n, " info : ")),
    ("one line of `, line 1; info :`", |n| repeated(n, "x, line 1; info : ")),
    ("one line of `ptxas` glued, `, line 1; info :`", |n| repeated(n, "xptxas, line 1; info : ")),
    ("one line of tools' words", |n| repeated(n, "ptxas info : ")),
    ("one line of words", |n| repeated(n, "word ")),
    ("one line of white space", |n| repeated(n, " ")),
    ("`Function properties` without entries", |n| {
        numbered(n, "ptxas info    : Function properties for _Z1f#v\n")
    }),
    ("frames without anything", |n| {
        repeated(n, "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n")
    }),
    ("entries, each for another architecture", |n| {
        numbered(n, "ptxas info : Compiling entry function '_Z1k#v' for 'sm_9#'\n")
    }),
    ("warnings about one function", |n| {
        repeated(n, "ptxas warning : Local memory used for function '_Z1kv', size of stack frame: 8 bytes\n")
    }),
    ("nvlink's reports of one kernel", |n| {
        repeated(
            n,
            "nvlink info    : Function properties for '_Z1kv':\nnvlink info : used 8 registers, 0 stack\n",
        )
    }),
    ("one name", |n| {
        format!("ptxas info : Compiling entry function '{}' for 'sm_90'\n", repeated(n, "_Z1k"))
    }),
    ("escapes of HTML", |n| repeated(n, "&amp;#39; &lt;")),
    ("colours", |n| repeated(n, "\u{1b}[31mx\u{1b}[")),
];

const MODULES: [(&str, Make); 13] = [
    ("instructions on one line", |n| {
        format!(".entry k()\n{{\n{}\n}}\n", repeated(n, "add.s32 %r1, %r2, %r3; "))
    }),
    ("instructions", |n| format!(".entry k()\n{{\n{}}}\n", repeated(n, "\tadd.s32 \t%r1, %r2, %r3;\n"))),
    ("a header that does not end", |n| format!(".entry k(\n{}", repeated(n, "\t.param .u64 p,\n"))),
    ("a call that does not end", |n| format!(".entry k()\n{{\ncall f, (\n{}", repeated(n, "\tp,\n"))),
    ("calls of other functions", |n| {
        format!(
            ".entry k()\n{{\n{}}}\n",
            (0..n / 16).rev().map(|n| format!("call _Z{n:08}v;\n")).collect::<String>()
        )
    }),
    ("functions that call the next", |n| {
        let next = |n: usize| format!(".func f{n}()\n{{\ncall f{}, ();\n}}\n", n + 1);
        (0..n / 32).map(next).collect()
    }),
    ("strings and comments", |n| repeated(n, "\"/*\" /* \" */ // \"\n")),
    ("quotes on one line", |n| repeated(n, "\" ")),
    ("slashes on one line", |n| repeated(n, "/ ")),
    ("files", |n| numbered(n, ".file\t# \"/a/b#.cu\"\n")),
    ("a depot with an object an access", |n| {
        let use_of = |n: usize| format!("add.u64 %rd{n}, %SPL, {n};\nst.local.b8 [%rd{n}], %r1;\n");
        let code: String = (0..n / 50).map(use_of).collect();
        format!(
            ".entry k()\n{{\n.local .align 8 .b8 __local_depot0[9999999];\nmov.b64 %SPL, __local_depot0;\n{code}}}\n"
        )
    }),
    ("one register for all objects of a depot", |n| {
        let use_of = |n: usize| format!("add.u64 %rd1, %SPL, {n};\nst.local.b8 [%rd1], %r1;\n");
        let code: String = (0..n / 50).map(use_of).collect();
        format!(
            ".entry k()\n{{\n.local .align 8 .b8 __local_depot0[9999999];\nmov.b64 %SPL, __local_depot0;\n{code}}}\n"
        )
    }),
    ("copies of addresses, last first", |n| {
        let copy = |n: usize| format!("mov.b64 %rd{n}, %rd{};\nadd.u64 %rd{n}, %SPL, {n};\n", n + 1);
        let code: String = (0..n / 50).map(copy).collect();
        format!(
            ".entry k()\n{{\n.local .align 8 .b8 __local_depot0[9999999];\nmov.b64 %SPL, __local_depot0;\n{code}}}\n"
        )
    }),
];

/// Repeated on the one line of all kernels.
const LINES: [(&str, &str); 3] = [
    ("names of one line", "k1( "),
    ("bounds that do not close", "__launch_bounds__( "),
    ("kernels", "__global__ void k1() "),
];

const SOURCES: [(&str, Make); 18] = [
    ("kernels with comments", |n| {
        numbered(n, "// occlint: block = 256\n__global__ void k#(float* o) { *o = 1; }\n")
    }),
    ("declared kernels with comments", |n| {
        numbered(n, "// occlint: block = 256\n__global__ void k#(float*);\n")
    }),
    ("comments, then one kernel", |n| repeated(n, "// occlint: block = 256\n") + "__global__ void k() {}\n"),
    ("comments with mistakes", |n| repeated(n, "// occlint: blok = 256\n")),
    ("one comment with mistakes", |n| format!("// occlint: {}\n", repeated(n, "blok = 256, "))),
    ("one comment of parentheses", |n| format!("// occlint: {}\n", repeated(n, "allow("))),
    ("kernels on one line", |n| format!("// occlint: block = 1\n{}", numbered(n, "__global__ void k#();"))),
    ("`__global__` alone", |n| format!("// occlint: block = 1\n{}", repeated(n, "__global__ "))),
    ("parentheses that do not close", |n| {
        format!("// occlint: block = 1\n{}", repeated(n, &format!("__global__ {};", "f(".repeat(1990))))
    }),
    ("angles that do not close", |n| {
        format!("// occlint: block = 1\n{}", repeated(n, &format!("__global__ {};", "<".repeat(1990))))
    }),
    ("raw strings that do not end", |n| {
        format!("// occlint: block = 1\n{}", repeated(n, "R\"abcdefghijklm("))
    }),
    ("comments within one head", |n| repeated(n, "A(1) b // occlint: block = 1\n")),
    ("comments before one template", |n| repeated(n, "template < // occlint: block = 1\n")),
    ("macros that make kernels, with comments", |n| {
        numbered(n, "#define D#(n) __global__ void n() {}\n// occlint: block = 1\nD#(k#)\n")
    }),
    ("one long macro", |n| {
        format!("// occlint: block = 1\n#define D(n) {}\n", repeated(n, "__global__ f(D(["))
    }),
    ("attributes on one line", |n| format!("// occlint: block = 1\n{}", repeated(n, "A(1) "))),
    ("brackets that do not close", |n| {
        format!("// occlint: block = 1\n{}", repeated(n, &format!("__global__ {};", "[(".repeat(990))))
    }),
    ("comments that do not end", |n| format!("// occlint: block = 1\n{}", repeated(n, "/* "))),
];
