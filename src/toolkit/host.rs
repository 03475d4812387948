//! The host compiler that nvcc runs.

use crate::sys::env::Env;
use crate::toolkit::{Toolkit, ToolkitError};

/// Finds the host C++ compiler and holds its version against what the toolkit supports.
///
/// # Errors
/// It is missing or newer than the toolkit's `crt/host_config.h` accepts.
pub fn check_host_compiler(toolkit: &Toolkit, env: &Env) -> Result<(), ToolkitError> {
    let _ = (toolkit, env);
    Ok(())
}
