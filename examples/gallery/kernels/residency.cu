// Residency: how many blocks fit on one SM.

// residency-below-bounds: 24 KiB of shared memory leave room for fewer blocks than the 12 declared
__global__ void __launch_bounds__(64, 12) shared_limits(float* out) {
    __shared__ float tile[6144];
    for (int i = threadIdx.x; i < 6144; i += 64) tile[i] = out[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 6144; i += 64) out[i] = tile[6143 - i];
}

// residency-below-target: Cargo.toml asks for 8 blocks
__global__ void __launch_bounds__(128) tiled_transpose(float* out) {
    __shared__ float tile[10240];
    for (int i = threadIdx.x; i < 10240; i += 128) tile[i] = out[i];
    __syncthreads();
    for (int i = threadIdx.x; i < 10240; i += 128) out[i] = tile[10239 - i];
}

// residency-below-bounds from sm_90 on, by named barriers: 8 of them, and 16 blocks wanted
__global__ void __launch_bounds__(64, 16) barriers_limit(float* out) {
    __shared__ float s[64];
    s[threadIdx.x] = out[threadIdx.x];
    asm volatile("bar.sync 1, 64;");
    out[threadIdx.x] = s[63 - threadIdx.x];
    asm volatile("bar.sync 7, 64;");
    s[threadIdx.x] = out[threadIdx.x] + 2;
    __syncthreads();
    out[threadIdx.x] += s[(threadIdx.x * 3) & 63];
}

// unlaunchable: Cargo.toml says that 512 threads are launched
__global__ void __launch_bounds__(256) too_wide_launch(float* out) {
    out[threadIdx.x] += 1;
}

// register-budget: Cargo.toml allows 32 registers
__global__ void __launch_bounds__(128) over_budget(float* out, const float* in) {
    float acc[40];
#pragma unroll
    for (int i = 0; i < 40; i++) acc[i] = in[i * 128 + threadIdx.x];
    for (int r = 0; r < in[0]; r++) {
#pragma unroll
        for (int i = 0; i < 40; i++) acc[i] = acc[i] * acc[(i * 7 + 3) % 40] + acc[(i + 1) % 40];
    }
#pragma unroll
    for (int i = 0; i < 40; i++) out[i * 128 + threadIdx.x] = acc[i];
}
