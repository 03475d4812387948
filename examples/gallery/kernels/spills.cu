// Spills: what the compiler moved out of registers.

template <typename T, int N>
__device__ __forceinline__ void mix(T* out, const T* in) {
    T acc[N];
#pragma unroll
    for (int i = 0; i < N; i++) acc[i] = in[i * 128 + threadIdx.x];
    for (int r = 0; r < in[0]; r++) {
#pragma unroll
        for (int i = 0; i < N; i++) acc[i] = acc[i] * acc[(i * 7 + 3) % N] + acc[(i + 1) % N];
    }
#pragma unroll
    for (int i = 0; i < N; i++) out[i * 128 + threadIdx.x] = acc[i];
}

// spill on sm_80 and sm_90; on sm_120, which holds 1536 threads, the 16 is dropped: bounds-dropped
__global__ void __launch_bounds__(128, 16) spiller(float* out, const float* in) {
    mix<float, 64>(out, in);
}

// one template, several instantiations: one finding
template <int N>
__global__ void __launch_bounds__(256, 6) spill_template(float* out, const float* in) {
    mix<float, N>(out, in);
}
template __global__ void spill_template<48>(float*, const float*);
template __global__ void spill_template<56>(float*, const float*);
template __global__ void spill_template<64>(float*, const float*);

// the kernel's own report says 0: the function it calls spills
__device__ __noinline__ float heavy(const float* p, int n) {
    float a[48];
#pragma unroll
    for (int i = 0; i < 48; i++) a[i] = p[i * 32];
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int i = 0; i < 48; i++) a[i] = a[i] * a[(i * 7 + 3) % 48] + a[(i + 1) % 48];
    }
    float s = 0;
#pragma unroll
    for (int i = 0; i < 48; i++) s += a[i];
    return s;
}
__global__ void __launch_bounds__(256, 6) callee_spills(float* out, const float* p, int n) {
    out[threadIdx.x] = heavy(p + threadIdx.x, n);
}

// measured once, and known to be fine: the comment says so, with a ceiling
// occlint: allow(spill, max = 1024, reason = "the cold path; measured neutral")
__global__ void __launch_bounds__(128, 12) allowed_spill(float* out, const float* in) {
    mix<float, 64>(out, in);
}
