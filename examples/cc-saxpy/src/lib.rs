//! A Rust wrapper of kernels that the build script compiles.

unsafe extern "C" {
    fn launch_saxpy(y: *mut f32, x: *const f32, a: f32, n: i32) -> i32;
    fn launch_saxpy_clamped(y: *mut f32, x: *const f32, a: f32, limit: f32, n: i32) -> i32;
    fn launch_clamp(x: *mut f32, limit: f32, n: i32) -> i32;
}

/// An error of the CUDA runtime, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CudaError(pub i32);

fn checked(status: i32) -> Result<(), CudaError> {
    if status == 0 { Ok(()) } else { Err(CudaError(status)) }
}

/// `y += a * x`, on the default stream.
///
/// # Errors
/// The launch failed: `n` is 0, or there is no GPU that the kernels were compiled for.
///
/// # Safety
/// `y` and `x` are device pointers to at least `n` numbers.
pub unsafe fn saxpy(y: *mut f32, x: *const f32, a: f32, n: i32) -> Result<(), CudaError> {
    // SAFETY: the caller's promise.
    checked(unsafe { launch_saxpy(y, x, a, n) })
}

/// As [`saxpy`], with the results kept within `±limit`.
///
/// # Errors
/// As of [`saxpy`].
///
/// # Safety
/// As of [`saxpy`].
pub unsafe fn saxpy_clamped(y: *mut f32, x: *const f32, a: f32, limit: f32, n: i32) -> Result<(), CudaError> {
    // SAFETY: the caller's promise.
    checked(unsafe { launch_saxpy_clamped(y, x, a, limit, n) })
}

/// Keeps `x` within `±limit`.
///
/// # Errors
/// As of [`saxpy`].
///
/// # Safety
/// `x` is a device pointer to at least `n` numbers.
pub unsafe fn clamp(x: *mut f32, limit: f32, n: i32) -> Result<(), CudaError> {
    // SAFETY: the caller's promise.
    checked(unsafe { launch_clamp(x, limit, n) })
}

#[cfg(test)]
mod tests {
    #[test]
    fn launches_are_linked_and_fail_in_words_without_a_grid_or_a_gpu() {
        // SAFETY: a launch without a grid is refused.
        let status = unsafe { super::saxpy(std::ptr::null_mut(), std::ptr::null(), 1.0, 0) };
        assert!(status.is_err());
    }
}
