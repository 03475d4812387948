//! What is compared with a baseline, and what came of it.

use std::sync::Arc;

use crate::arch::Arch;

/// Whether a kernel's figures can be compared with the baseline's.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Comparison {
    /// There is no baseline, or it does not have the kernel.
    #[default]
    New,
    /// They are compared.
    Compared,
    /// They were compiled with other settings: those of the baseline, and those of now.
    OtherSettings(Arc<str>, Arc<str>),
    /// Another compiler made them, and only what is comparable was to be compared: the baseline's, and the one of now.
    OtherCompiler(Arc<str>, Arc<str>),
}

/// What is compared with a baseline.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CompareRules {
    /// Kernels that were compiled with other settings too.
    pub other_settings: bool,
    /// Not what another compiler made.
    pub same_compiler: bool,
}

/// Kernels of the baseline that are gone, as keys with their architectures.
pub(crate) type Removed = Vec<(String, Arch)>;
