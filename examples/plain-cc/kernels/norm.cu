#include "reduce.cuh"

__device__ float block_sum(float value) {
    __shared__ float partial[32];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x >= 32) return 0.0f;
    value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

// 64 registers for 1024 threads: the compiler must spill what does not fit.
__global__ void __launch_bounds__(1024, 2) norm(float* out, const float* x, int n) {
    float v[48];
    for (int k = 0; k < 48; ++k) v[k] = x[(threadIdx.x + k * blockDim.x) % n];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 48; ++k)
        for (int j = 0; j < 48; ++j) sum += v[k] * v[(k * 7 + j * 5) % 48];
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
