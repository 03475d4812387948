//! Compile-time checks for CUDA kernels in Rust crates.
//!
//! occlint reads what the CUDA compiler says about each kernel (registers, barriers, shared memory, spills) and
//! checks it against the bounds that the source declares and the residency that the configuration asks for. It needs
//! no GPU.
//!
//! Three convictions shape every message:
//!
//! - **Occupancy is a ceiling, not a score.** Nothing here says that an occupancy is low; a finding says that a
//!   *declared* bound or target is not met.
//! - **Bounds and caps are experiments, not fixes.** Advice shows what a choice costs and says "measure".
//! - **Nothing checked is not a pass.** No compiler, no kernels, an unknown architecture: each is an error.
//!
//! In a build script, `occlint::Build` (feature `build-script`) compiles as the `cc` crate does and checks that compile.
//!
//! Data flows one way:
//! [`compile`] → [`evidence`] → [`kernel`] → [`expect`] → [`lints`] → [`report`]. Everything but [`sys`], [`toolkit`],
//! [`compile`], the running half of [`experiment`] and [`session`], which joins them, is a pure function of its arguments.

pub mod arch;
pub mod baseline;
#[cfg(feature = "build-script")]
mod build_script;
#[cfg(feature = "capture")]
pub mod capture;
pub mod check;
pub mod compile;
pub mod digest;
pub mod evidence;
pub mod expect;
#[cfg(feature = "experiment")]
pub mod experiment;
pub mod finding;
pub mod kernel;
pub mod lints;
pub mod occupancy;
pub mod order;
pub mod parallel;
pub mod report;
#[cfg(any(feature = "package", feature = "build-script"))]
pub mod session;
pub mod source;
pub mod sys;
pub mod text;
pub mod toolkit;

#[cfg(feature = "build-script")]
pub use build_script::{Build, BuildError, Built, KernelTarget};
