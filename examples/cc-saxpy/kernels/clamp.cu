#include "clamped.cuh"

__device__ float clamped(float value, float limit) { return fminf(fmaxf(value, -limit), limit); }

__global__ void __launch_bounds__(256) clamp(float* x, float limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = clamped(x[i], limit);
}

extern "C" int launch_clamp(float* x, float limit, int n) {
    clamp<<<(n + 255) / 256, 256>>>(x, limit, n);
    return cudaGetLastError();
}
