use super::*;

fn found(text: &str, lines: &[u32], bytes: u32) -> Option<(String, u32)> {
    let source = SourceText::new("a.cu", text);
    array(&source, &lines.iter().copied().collect(), bytes).map(|found| (found.name, found.line))
}

fn some(name: &str, line: u32) -> Option<(String, u32)> {
    Some((name.to_owned(), line))
}

const TWO: &str = "#include <x>
__device__ float second[8];
__global__ void k(float* o, int k) {
  float first[16];
  int second[8];
  #pragma unroll
  for (int i = 0; i < 16; i++) first[i] = o[i * 32];
  for (int i = 0; i < 8; i++) { second[i] = i * k; }
  for (int i = 0; i < k; i++) {
    first[(i * k) & 15] += first[second[(i + k) & 7] & 15]; // third[
  }
  o[0] = first[k & 15] + second[k & 7];
}
";

#[test]
fn the_size_decides_between_two() {
    assert_eq!(found(TWO, &[7, 10, 12], 64), some("first", 4));
    assert_eq!(found(TWO, &[8, 10, 12], 32), some("second", 5));
    assert_eq!(found(TWO, &[10, 12], 24), None, "neither has this size");
}

#[test]
fn lines_decide_where_sizes_do_not() {
    let text =
        "__global__ void k(float* o, int k) {\n  float a[N];\n  T b[N];\n  a[k] = 1;\n  b[k] = a[3];\n}\n";
    assert_eq!(found(text, &[4, 5], 64), some("a", 2));
    assert_eq!(found(text, &[5], 64), None, "the line names both");
    let text = "__global__ void k(float* o, int k) {\n  float a[16], b[16];\n  o[0] = a[k] + b[k];\n}\n";
    assert_eq!(found(text, &[3], 64), None);
}

#[test]
fn a_whole_kernel_on_one_line() {
    let text =
        "__global__ void k(float*o,int k){ float s[16]; for(int i=0;i<16;i++) s[i]=o[i]; o[0]=s[k&15]; }\n";
    assert_eq!(found(text, &[1], 64), some("s", 1));
}

#[test]
fn scopes_that_are_closed_do_not_count() {
    let text = "__global__ void k(float* o, int k) {\n  { float a[16]; a[k] = 1; }\n  if (k) { int b[16];\n    \
                auto f = [&](int i) {\n      return a[i] + b[i];\n    };\n  }\n}\n";
    assert_eq!(found(text, &[5], 64), some("b", 3));
}

#[test]
fn what_lies_elsewhere_is_no_local_array() {
    let shared = "__global__ void k(float* o, int k) {\n  __shared__ float a[16];\n  o[0] = a[k];\n}\n";
    assert_eq!(found(shared, &[3], 64), None);
    let parameter = "__device__ float f(float a[16], int k) {\n  return a[k];\n}\n";
    assert_eq!(found(parameter, &[2], 64), None);
    let global = "__device__ float a[16];\n__global__ void k(float* o, int k) {\n  o[0] = a[k];\n}\n";
    assert_eq!(found(global, &[3], 64), None);
    let member = "struct S {\n  float a[16];\n  __device__ float at(int k) { return a[k]; }\n};\n";
    assert_eq!(found(member, &[3], 64), None);
    let other =
        "__device__ void f() {\n  float a[16];\n}\n__global__ void k(float* o, int k) {\n  o[0] = a[k];\n}\n";
    assert_eq!(found(other, &[5], 64), None);
}

#[test]
fn types_and_dimensions() {
    let size = |declaration: &str| {
        let text = declaration.as_bytes();
        let found = arrays_in(text, 0..text.len());
        found
            .first()
            .map(|array| (String::from_utf8_lossy(&text[array.name.clone()]).into_owned(), array.bytes))
    };
    let is = |name: &str, bytes| Some((name.to_owned(), bytes));
    assert_eq!(size("const unsigned long long a[0x10u] = "), is("a", Some(128)));
    assert_eq!(size("alignas(16) float4 v[2][3]"), is("v", Some(96)));
    assert_eq!(size("cuda::std::pair<int, T[3]> p[4]"), is("p", None));
    assert_eq!(size("float *rows[4]"), is("rows", Some(32)));
    assert_eq!(size("double h[N]"), is("h", None));
    assert_eq!(size("int x = y[3], z[2]"), is("z", Some(8)));
    for other in
        ["x = y[3]", "y[3] = 1", "return y[3]", "static int y[3]", "f(y[3])", "int f(int y[3])", "", "["]
    {
        assert_eq!(size(other), None, "{other}");
    }
}

#[test]
fn one_word_of_several() {
    let source = SourceText::new("a.cu", "o[0] = sinf(x);\no[1] = sin(x) + sinf(x); // cos\n");
    let of = |lines: &[u32]| word(&source, &lines.iter().copied().collect(), &["sin", "sinf", "cos"]);
    assert_eq!(of(&[1]), Some(Found { name: "sinf".to_owned(), line: 1 }));
    assert_eq!(of(&[1, 2]), None);
    assert_eq!(of(&[9]), None);
}

proptest::proptest! {
    #[test]
    fn any_source_is_read(text in "([ü\n\"'/*(){};k1<>,=#]|float |a\\[4\\]|\\[|\\]){0,40}", line in 0..9_u32) {
        let source = SourceText::new("a.cu", text);
        array(&source, &[line, line + 1].into(), 16);
    }
}
