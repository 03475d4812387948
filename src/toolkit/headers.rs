//! Toolkit headers that the pinned toolkit's wheels leave out.

/// The `cuda-extra` name whose wheel has this header (a file name without folders); `None` for any other header.
pub fn wheel_of_header(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next()?;
    let starts = |prefix: &str| stem.starts_with(prefix);
    Some(match stem {
        _ if starts("curand") => "curand",
        _ if starts("cublas") => "cublas",
        _ if starts("cufft") => "cufft",
        _ if starts("cusparse") => "cusparse",
        _ if starts("cusolver") => "cusolver",
        _ if starts("npp") => "npp",
        "nvrtc" => "nvrtc",
        "nvJitLink" => "nvjitlink",
        "nvjpeg" => "nvjpeg",
        "cuda_profiler_api" | "cudaProfiler" => "profiler-api",
        "cupti" => "cupti",
        "cufile" => "cufile",
        _ if starts("nvToolsExt") => "nvtx",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_libraries_name_their_wheel() {
        assert_eq!(wheel_of_header("curand_kernel.h"), Some("curand"));
        assert_eq!(wheel_of_header("cublas_v2.h"), Some("cublas"));
        assert_eq!(wheel_of_header("cuda_profiler_api.h"), Some("profiler-api"));
        assert_eq!(wheel_of_header("my_header.h"), None);
    }
}
