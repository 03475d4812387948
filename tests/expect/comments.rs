use occlint::expect::{WaiverKind, comments};
use proptest::prelude::*;

use crate::{place, text};

/// The line of the kernel that the only comment of a text is about.
fn kernel_line(source: &str) -> u32 {
    let (rules, errors) = comments(&text("k.cu", source));
    assert_eq!(errors, [], "{source}");
    let [rule] = rules.as_slice() else { panic!("one rule for {source}") };
    let (file, line) = rule.selector.place.clone().expect("a place");
    assert_eq!(file, "k.cu");
    line
}

fn mistakes(source: &str) -> String {
    let (_, errors) = comments(&text("k.cu", source));
    let line = |e: &occlint::expect::CommentError| {
        format!("{} | {} | {}", place(&e.span), e.message, e.help.as_deref().unwrap_or("-"))
    };
    errors.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Mistakes of one comment before a kernel.
fn in_comment(items: &str) -> String {
    mistakes(&format!("// occlint: {items}\n__global__ void k() {{}}\n"))
}

#[test]
fn a_comment_at_a_declaration_is_about_the_definition() {
    assert_eq!(
        kernel_line(
            "// occlint: block = 64\n__global__ void k(int*);\n\n__global__ void k2() {}\n__global__ void k(int*) {}\n"
        ),
        5
    );
    // no definition here: it may be in a unit that includes this
    assert_eq!(
        kernel_line("// occlint: block = 64\n__global__ void k(int*);\n__global__ void other() {}\n"),
        2
    );
    // an overload that is defined is meant itself
    assert_eq!(
        kernel_line("// occlint: block = 64\n__global__ void k(int*) {}\n__global__ void k(float*) {}\n"),
        2
    );
}

#[test]
fn everything_a_comment_can_say() {
    let source = text(
        "k.cu",
        "// occlint: block = 256, dynamic-smem = 48 KiB, min-blocks = 4, max-registers = 64, \
         allow(spill, max = 24, until = 2027-03-01, reason = \"cold path, (measured) neutral\"), expect(local-memory, unbounded-stack),\r\n\
         __global__ void softmax(float* x) {}\r\n",
    );
    let (rules, errors) = comments(&source);
    assert_eq!(errors, []);
    let rule = &rules[0];
    let target = rule.target;
    assert_eq!((target.block, target.dynamic_shared_bytes), (Some(256), Some(49_152)));
    assert_eq!((target.min_blocks, target.max_registers), (Some(4), Some(64)));
    let spans: Vec<_> =
        rule.target_spans.iter().map(|(key, span)| format!("{key} {}", place(span))).collect();
    assert_eq!(
        spans,
        [
            "block 1:21 \"256\"",
            "dynamic-smem 1:41 \"48 KiB\"",
            "min-blocks 1:62 \"4\"",
            "max-registers 1:81 \"64\""
        ]
    );
    let waivers: Vec<_> = rule.waivers.iter().map(|w| (w.kind, w.lint, w.max, w.reason.as_deref())).collect();
    assert_eq!(
        waivers,
        [
            (WaiverKind::Allow, "spill", Some(24), Some("cold path, (measured) neutral")),
            (WaiverKind::Expect, "local-memory", None, None),
            (WaiverKind::Expect, "unbounded-stack", None, None),
        ]
    );
    assert!(source.text()[rule.span.range.clone()].ends_with("unbounded-stack),"));
}

#[test]
fn the_line_of_the_name() {
    for (below, line) in [
        ("__global__ void k(int* x) {}", 2),
        ("__global__ void __launch_bounds__(128, (4 + 4) * 2) k(int* x) {}", 2),
        ("__global__ void\n__launch_bounds__(MAX(128, 64),\n  8)\nk(int* x)\n{}", 5),
        ("template <int N, typename T = std::array<int, (N > 4)>>\n__global__\nvoid\nk(T x) {}", 5),
        ("template <>\n__global__ void\nk<4, float>(float* x);", 4),
        ("extern \"C\" __global__ void __cluster_dims__(2) __maxnreg__(64)\nk() {}", 3),
        ("__global__ __attribute__((annotate(\"x\"))) void\nk() {}", 3),
        ("__global__ std::enable_if_t<(N > 4), void>\nk(int x) noexcept {}", 3),
        ("__global__ std::enable_if_t<N < 4, void>\nk(int x) {}", 3),
        ("template <class T>\n__global__ void\nk(T x)\nrequires (sizeof(T) == 4) {}", 4),
        ("__global__ auto\nk(int x) -> decltype(f()) {}", 3),
        ("[[maybe_unused]] static __global__ void /* the name(k) */ // k2(\nk(int x = sizeof(int)) {}", 3),
        ("[[deprecated(\"__global__ void no(\")]]\n__global__ void [[deprecated(\"k\")]] k() {}", 3),
        ("template <int N = 1'000'000, char C = '\\''>\n__global__ void k() {}", 3),
        ("[[deprecated(R\"x(__global__ void a() )\" )x\")]]\n__global__ void k() {}", 3),
        ("#define K __global__ void \\\n  no()\n__global__ void k() {}", 4),
        ("// __global__ void no() {}\n/* __global__\nvoid no() {} */\n__global__ void k() {}", 5),
        ("namespace a {\n__global__ void b::ядро(int) {}\n}", 3),
    ] {
        for ending in ["\n", "\r\n"] {
            let source = format!("// occlint: block = 64\n{below}\n").replace('\n', ending);
            assert_eq!(kernel_line(&source), line, "{source}");
        }
    }
}

#[test]
fn macros_between_and_around() {
    let defined = "#define DEF(n) __global__ \\\n  void n(int* x) { *x = 1; }\n#define KERNEL extern \"C\" __global__\n\
                   #define SIZED(n) KERNEL __launch_bounds__(n)\n#define BODY(n) { f(n); }\n#define ALL DEF(a) DEF(b)\n\
                   #define ATTR(n) __maxnreg__(n)\n#define MORE(n) OTHER_FILES(n)\n";
    let first = u32::try_from(defined.lines().count()).unwrap() + 2;
    for (below, line) in [
        ("DEF(k)\n__global__ void other() {}", 0),
        ("static DEF(\n  k);\n__global__ void other() {}", 0),
        ("ALL\n__global__ void other() {}", 0),
        ("MORE(k)\n__global__ void other() {}", 0),
        ("UNKNOWN(k)\n__global__ void other() {}", 0),
        ("UNKNOWN(k) {\n}\n__global__ void other() {}", 0),
        ("\n#if X\n\nDEF(k)\n#endif", 3),
        ("KERNEL void\nk() {}", 1),
        ("SIZED(64)\nvoid k() {}", 1),
        ("ATTR(64)\n__global__\nvoid k() {}", 2),
        ("UNKNOWN(64) __global__ void\nk() {}", 1),
        ("template <int N = size(4), class = if_t<(N > 3)>>\n__global__ void\nk() {}", 2),
        ("extern \"C\" {\nnamespace a::b {\n__global__ void k() {}", 2),
        ("__global__ void k(int* x)\nBODY(4)\n__global__ void other() {}", 0),
        ("__global__ void k(int* x)\nUNKNOWN(4)\nint x = f(1);", 0),
        ("__global__ void UNKNOWN(4)\nk(int* x)\nint x = f(1);", 1),
        ("__global__ UNKNOWN(4) void bounds(5) void\nk(int* x) UNKNOWN(4) int x = f(1);", 1),
        ("OTHER_FILES_KERNEL void\nk(int* x) {}", 1),
    ] {
        let source = format!("{defined}__global__ void before(P) BODY(1)\n// occlint: block = 64\n{below}\n");
        assert_eq!(kernel_line(&source), first + 1 + line, "{source}");
    }
}

#[test]
fn what_follows_instead() {
    for (below, what) in [
        ("__device__ float helper(float x) { return x; }", "__device__ float helper(float x)"),
        ("__device__ float helper(float x) BODY(1)", "__device__ float helper(float x)"),
        ("void host();", "void host()"),
        ("struct S { int x; };", "struct S"),
        ("extern __shared__ float s[];", "extern __shared__ float s[]"),
        ("}", "}"),
        ("static_assert(N > 4);", "static_assert(N > 4)"),
        (
            "constexpr int a_name_that_is_longer_than_anybody_would_ever_read_in_a_message = 3;",
            "constexpr int a_name_that_is_longer_than_anybody_would_ever_…",
        ),
    ] {
        let said = mistakes(&format!("// occlint: block = 64\n{below}\n__global__ void k() {{}}\n"));
        let expected = format!("no `__global__` follows this comment, but `{what}` |");
        assert!(said.contains(&expected), "{said}");
    }
}

#[test]
fn ten_lines_and_no_more() {
    let after = |lines: usize| format!("// occlint: block = 64\n{}__global__ void k();", "\n".repeat(lines));
    assert_eq!(kernel_line(&after(9)), 11);
    insta::assert_snapshot!(mistakes(&after(10)), @r##"1:1 "// occlint: block = 64" | no `__global__` follows this comment within 10 lines | move it to the line above the kernel, or use `[[package.metadata.occlint.kernel]]` in Cargo.toml"##);
}

#[test]
fn several_comments_add_up() {
    let lines: String = (0..12).map(|_| "// occlint: block = 64\n").collect();
    let (rules, errors) = comments(&text("k.cu", &format!("{lines}__global__ void k();\n")));
    assert_eq!(errors, []);
    assert_eq!(rules.len(), 12);
    assert!(rules.iter().all(|rule| rule.selector.place == Some(("k.cu".to_owned(), 13))));
}

#[test]
fn what_is_not_meant_for_occlint() {
    for source in [
        "// see occlint: block = 1\n",
        "// occlint checks this kernel\n",
        "const char* s = \"// occlint: block = 1\";\n",
        "/* a\n // occlint: block = 1\n*/\n",
        "auto s = R\"(\n// occlint: block = 1\n)\";\n",
        "// occlinter: x\n",
    ] {
        assert_eq!(comments(&text("k.cu", source)), (vec![], vec![]), "{source}");
    }
}

#[test]
fn comments_in_the_wrong_place() {
    insta::assert_snapshot!(mistakes("  // occlint: block = 64\nint foo;\n"), @r##"1:3 "// occlint: block = 64" | no `__global__` follows this comment, but `int foo` | move it to the line above the kernel, or use `[[package.metadata.occlint.kernel]]` in Cargo.toml"##);
    insta::assert_snapshot!(mistakes("__global__ void\nk(int x) { // occlint: block = 64\n}\n__global__ void other();\n"), @r##"2:12 "// occlint: block = 64" | this comment stands behind the `__global__` beside it | move it to a line of its own above the `__global__`"##);
    insta::assert_snapshot!(mistakes("/* occlint: block = 64\n*/\n__global__ void k();\n"), @r##"1:1 "/* occlint: block = 64" | `occlint:` is read in `//` comments only | write it like `// occlint: block = 256`"##);
    insta::assert_snapshot!(mistakes("// occlint block = 64\n__global__ void k();\n"), @r##"1:1 "// occlint block = 64" | a colon is missing behind `occlint` | write it like `// occlint: block = 256`"##);
    insta::assert_snapshot!(mistakes("// occlint: block = 64\n__global__ void;\n"), @r##"1:1 "// occlint: block = 64" | the `__global__` on line 2 has no name that occlint can read | use `[[package.metadata.occlint.kernel]]` in Cargo.toml"##);
}

#[test]
fn mistakes_within_a_comment() {
    insta::assert_snapshot!(in_comment(""), @r##"1:1 "// occlint: " | this comment asks for nothing | add one of `block`, `dynamic-smem`, `min-blocks`, `max-registers`, `allow`, `expect`"##);
    insta::assert_snapshot!(in_comment("blok = 256, block = 0, min-blocks, max-registers = many, block = 1, block = 2"), @r##"
    1:13 "blok" | unknown key `blok` | did you mean `block`?
    1:33 "0" | `block` must be at least 1 (threads per block), not 0 | write a number in that range
    1:36 "min-blocks" | `min-blocks` has no value | write it like `min-blocks = 4`
    1:64 "many" | `many` is no number of registers per thread | write it like `max-registers = 64`
    1:81 "block" | `block` stands twice in one comment | leave one of them out
    "##);
    insta::assert_snapshot!(in_comment("dynamic-smem = 48kb, dynamic-smem =, = 4, name = \"x\", see the docs"), @r##"
    1:28 "48kb" | `48kb` is no size: its unit could be decimal or binary | write bytes, or a number with `B`, `KiB` or `MiB`: `49152`, `48 KiB`
    1:34 "dynamic-smem" | `dynamic-smem` has no value | write it like `dynamic-smem = 48 KiB`
    1:50 "= 4" | `= 4` is no key | known here: `block`, `dynamic-smem`, `min-blocks`, `max-registers`, `allow`, `expect`
    1:55 "name" | `name` cannot be used in a comment | a comment is about the kernel below it; write this in Cargo.toml
    1:67 "see" | unknown key `see` | known here: `block`, `dynamic-smem`, `min-blocks`, `max-registers`, `allow`, `expect`
    "##);
    insta::assert_snapshot!(in_comment("allow(spil), allow, allow(), allow(max = 3), expect(spill, until = 2027-3-1, max = x, resaon = \"y\", reason = z)"), @r##"
    1:19 "spil" | unknown lint `spil` | did you mean `spill`?
    1:26 "allow" | `allow` needs a lint in parentheses | write it like `allow(spill)`
    1:33 "allow()" | no lint is named here | write it like `allow(spill, max = 24)`
    1:42 "allow(max = 3)" | no lint is named here | write it like `allow(spill, max = 24)`
    1:72 "until = 2027-3-1" | `2027-3-1` is no day: it must be year, month and day, like `2027-03-01` | write the last day like `until = "2027-03-01"`
    1:96 "x" | `x` is no amount | write it like `max = 24`
    1:99 "resaon" | unknown key `resaon` | did you mean `reason`?
    1:113 "reason = z" | `reason` must be words in quotes | write it like `reason = "cold path"`
    "##);
    insta::assert_snapshot!(in_comment("block = 4, allow(spill, reason = \"open), expect(spill"), @r##"1:24 "allow(spill, reason = \"open), expect(spill" | a quote of `allow` is not closed | write it like `allow(spill)`"##);
    insta::assert_snapshot!(in_comment("expect(stale-baseline), block = 64 \\"), @r##"
    1:1 "// occlint: expect(stale-baseline), block = 64 \\" | no `__global__` follows this comment within 10 lines | move it to the line above the kernel, or use `[[package.metadata.occlint.kernel]]` in Cargo.toml
    1:45 "64 \\" | `64 \` is no number of threads per block | write it like `block = 256`
    "##);
}

const WORDS: [&str; 24] = [
    "\n#define K(x)",
    "K(",
    "template",
    "namespace",
    "// occlint:",
    "block = 1",
    "allow(",
    ")",
    "\"",
    "'",
    "__global__",
    "void k",
    "(",
    "<",
    ">",
    "{",
    ";",
    "\n",
    "/*",
    "*/",
    "R\"x(",
    "#",
    "\\",
    "é",
];

proptest! {
    #[test]
    fn arbitrary_text_never_panics(source in "\\PC{0,200}") {
        let _ = comments(&text("k.cu", &source));
        let _ = comments(&text("k.cu", &format!("// occlint: {source}\n__global__ void k();")));
    }

    #[test]
    fn scrambled_sources_never_panic(picks in prop::collection::vec(0..WORDS.len(), 0..80)) {
        let pieces: Vec<&str> = picks.iter().map(|&pick| WORDS[pick]).collect();
        let source = text("k.cu", &pieces.join(" "));
        let (rules, errors) = comments(&source);
        for span in rules.iter().map(|rule| &rule.span).chain(errors.iter().map(|error| &error.span)) {
            prop_assert!(source.text().get(span.range.clone()).is_some());
        }
    }
}
