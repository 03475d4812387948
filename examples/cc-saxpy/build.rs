fn main() {
    occlint::Build::new()
        .arch("sm_80")
        .arch("sm_90")
        .include("kernels")
        .files(["kernels/saxpy.cu", "kernels/clamp.cu"])
        .kernel("clamp")
        .block(256)
        .max_registers(32)
        .compile("kernels");
}
