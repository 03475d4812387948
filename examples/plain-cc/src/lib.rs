//! A Rust wrapper of a kernel, as crates have it that compile CUDA in their build script.

unsafe extern "C" {
    fn launch_axpy(y: *mut f32, x: *const f32, a: f32, n: i32);
}

/// `y += a * x`, on the GPU's default stream.
///
/// # Safety
/// `y` and `x` are device pointers to at least `n` numbers.
pub unsafe fn axpy(y: *mut f32, x: *const f32, a: f32, n: i32) {
    // SAFETY: the caller's promise.
    unsafe { launch_axpy(y, x, a, n) }
}
