//! Kernels as PTX. With cudarc: `context.load_module(Ptx::from_src(ptx_include::KERNELS))`, then
//! `module.load_function(ptx_include::SCALE)`.

/// The PTX, made and checked by the build script.
pub const KERNELS: &str = include_str!(concat!(env!("OUT_DIR"), "/k.ptx"));

/// `scale(float* x, float a, int n)`: `x *= a`; launch it with 256 threads per block.
pub const SCALE: &str = "scale";

#[cfg(test)]
mod tests {
    #[test]
    fn the_kernel_is_in_the_ptx() {
        assert!(super::KERNELS.contains(&format!(".entry {}(", super::SCALE)));
        assert!(!super::KERNELS.contains(".file"), "no paths of the machine that built it");
    }
}
