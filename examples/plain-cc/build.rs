fn main() {
    println!("cargo::rerun-if-changed=kernels");
    cc::Build::new()
        .cuda(true)
        .cudart("static")
        .flag("-gencode=arch=compute_80,code=sm_80")
        .flag("-gencode=arch=compute_90,code=[sm_90,compute_90]")
        .include("kernels")
        .files(["kernels/axpy.cu", "kernels/norm.cu"])
        .compile("kernels");
}
