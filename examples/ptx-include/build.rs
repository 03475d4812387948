fn main() {
    occlint::Build::new().flag("-arch=compute_80").file("kernels/k.cu").compile_ptx();
}
