//! The kernels are what this crate is about: see `kernels/`.
