// Findings that are not about spills or residency.
#include <cstdio>

// unbounded-stack: recursion
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void __launch_bounds__(64) recursive(int* out) { *out = fib(*out); }

// unknown-dynamic-smem: nothing says how much is launched with
extern __shared__ float dynamic[];
__global__ void __launch_bounds__(256) dynamic_shared(float* out) {
    dynamic[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[255 - threadIdx.x];
}

// partial-warp: 100 threads are three warps and an eighth of one
__global__ void __launch_bounds__(100) ragged(float* out) { out[threadIdx.x] += 1; }

// missing-bounds: neither bounds nor a target say the block
__global__ void boundless(float* out) { out[threadIdx.x] += 1; }

// local-memory: a dynamically indexed table, no spill
__global__ void __launch_bounds__(128) table_lookup(float* out, int k) {
    float s[16];
    for (int i = 0; i < 16; i++) s[i] = out[i * 32 + threadIdx.x];
    for (int i = 0; i < k; i++) s[(i * k) & 15] += s[(i + k) & 15];
    out[threadIdx.x] = s[k & 15];
}

// local memory of kinds that are allowed by default: the slow path of cos, and printf; no spill in either
__global__ void __launch_bounds__(128) slow_path(double* out) { out[threadIdx.x] = cos(out[threadIdx.x]); }
__global__ void __launch_bounds__(32) printer(int x) { printf("%d\n", x); }
