//! Which package has a header of the toolkit: for the error that a missing one gets.

/// Where a header comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderHome {
    /// This wheel, which every pinned toolkit has.
    Base(&'static str),
    /// What to add to `cuda-extra`.
    Extra(&'static str),
    /// A library of its own, which no toolkit has: its name.
    Separate(&'static str),
}

use HeaderHome::{Base, Extra, Separate};

/// Beginnings of header names, the longer before the shorter.
static HEADERS: &[(&str, HeaderHome)] = &[
    ("cub/", Base("nvidia-cuda-cccl")),
    ("cublas", Extra("cublas")),
    ("cudaProfiler.h", Extra("profiler-api")),
    ("cuda_profiler_api.h", Extra("profiler-api")),
    ("cuda/", Base("nvidia-cuda-cccl")),
    ("cuda_runtime", Base("nvidia-cuda-runtime")),
    ("cudnn", Separate("cuDNN")),
    ("cufft", Extra("cufft")),
    ("cufile", Extra("cufile")),
    ("cupti", Extra("cupti")),
    ("curand", Extra("curand")),
    ("cusolver", Extra("cusolver")),
    ("cusparseLt", Separate("cuSPARSELt")),
    ("cusparse", Extra("cusparse")),
    ("cutensor", Separate("cuTENSOR")),
    ("cute/", Separate("CUTLASS")),
    ("cutlass/", Separate("CUTLASS")),
    ("nccl", Separate("NCCL")),
    ("npp", Extra("npp")),
    ("nvFatbin.h", Extra("nvfatbin")),
    ("nvJitLink.h", Extra("nvjitlink")),
    ("nvPTXCompiler.h", Extra("nvptxcompiler")),
    ("nvToolsExt", Extra("nvtx")),
    ("nvblas.h", Extra("cublas")),
    ("nvjpeg.h", Extra("nvjpeg")),
    ("nvml.h", Extra("nvml-dev")),
    ("nvrtc.h", Extra("nvrtc")),
    ("nvshmem", Separate("NVSHMEM")),
    ("nvtx3/", Extra("nvtx")),
    ("thrust/", Base("nvidia-cuda-cccl")),
];

/// Where the header that a source includes by this name comes from; `None` if it is none of NVIDIA's that we know.
pub fn header_home(name: &str) -> Option<HeaderHome> {
    HEADERS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, home)| *home)
}

/// What to add to `cuda-extra` for this header: `curand` for `curand_kernel.h`.
pub fn wheel_of_header(name: &str) -> Option<&'static str> {
    match header_home(name)? {
        Extra(wheel) => Some(wheel),
        Base(_) | Separate(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolkit::RELEASES;

    #[test]
    fn headers_name_their_wheels() {
        for (header, wheel) in [
            ("curand_kernel.h", "curand"),
            ("curand.h", "curand"),
            ("cublas_v2.h", "cublas"),
            ("cublasLt.h", "cublas"),
            ("cufft.h", "cufft"),
            ("cufftXt.h", "cufft"),
            ("cusparse.h", "cusparse"),
            ("cusolverDn.h", "cusolver"),
            ("nvrtc.h", "nvrtc"),
            ("nvToolsExt.h", "nvtx"),
            ("nvtx3/nvToolsExt.h", "nvtx"),
            ("cuda_profiler_api.h", "profiler-api"),
            ("nppi.h", "npp"),
            ("nvjpeg.h", "nvjpeg"),
        ] {
            assert_eq!(wheel_of_header(header), Some(wheel), "{header}");
        }
    }

    #[test]
    fn what_no_extra_has_is_said() {
        assert_eq!(header_home("cudnn.h"), Some(Separate("cuDNN")));
        assert_eq!(header_home("cusparseLt.h"), Some(Separate("cuSPARSELt")));
        assert_eq!(header_home("cub/cub.cuh"), Some(Base("nvidia-cuda-cccl")));
        assert_eq!(wheel_of_header("cudnn.h"), None);
        assert_eq!(header_home("my_kernels.h"), None);
    }

    #[test]
    fn every_wheel_named_here_is_in_every_release() {
        for release in RELEASES {
            for (header, home) in HEADERS {
                let known = match home {
                    Extra(name) => release.extra.iter().any(|wheel| wheel.short_name() == *name),
                    Base(name) => release.base.iter().any(|wheel| wheel.name == *name),
                    Separate(_) => true,
                };
                assert!(known, "{header}: {home:?} is not in {}", release.name);
            }
        }
    }
}
