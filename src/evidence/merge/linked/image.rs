//! The linked cubin: final figures, and the spills of everything that a kernel can call.

use crate::evidence::SourceLookup;
#[cfg(feature = "cubin")]
use crate::evidence::cubin::Cubin;
use crate::evidence::merge::CubinProblem;
#[cfg(feature = "cubin")]
use crate::evidence::merge::assembled;
use crate::evidence::ptx::PtxFunction;
use crate::kernel::{Kernel, Usage};

use super::Linkage;

/// A linked cubin.
#[cfg(feature = "cubin")]
pub(super) struct Image(Cubin);

#[cfg(feature = "cubin")]
impl Image {
    /// Reads it, where there is one.
    pub(super) fn read(link: &Linkage<'_>) -> (Option<Self>, Option<CubinProblem>) {
        match link.cubin.map(|bytes| assembled::read(bytes, link.arch)) {
            None => (None, None),
            Some(Ok(cubin)) => (Some(Self(cubin)), None),
            Some(Err(problem)) => (None, Some(problem)),
        }
    }

    /// Gives a kernel its figures and spills; `said` are the log's figures, `below` what it can call.
    pub(super) fn apply(
        &self,
        kernel: &mut Kernel,
        said: &Usage,
        below: &[&PtxFunction],
        lookup: SourceLookup<'_>,
    ) -> Vec<CubinProblem> {
        let problems = assembled::give(&self.0, kernel, Some(said), lookup);
        if let Some(spills) = &mut kernel.spills {
            spills.unread.through_pointer |= below.iter().any(|function| function.indirect_call);
        }
        problems
    }
}

/// Without the feature `cubin` the log says all.
#[cfg(not(feature = "cubin"))]
pub(super) enum Image {}

#[cfg(not(feature = "cubin"))]
impl Image {
    pub(super) fn read(_: &Linkage<'_>) -> (Option<Self>, Option<CubinProblem>) {
        (None, None)
    }

    pub(super) fn apply(
        &self,
        _: &mut Kernel,
        _: &Usage,
        _: &[&PtxFunction],
        _: SourceLookup<'_>,
    ) -> Vec<CubinProblem> {
        match *self {}
    }
}
