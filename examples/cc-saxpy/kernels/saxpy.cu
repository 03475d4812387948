#include "clamped.cuh"

__global__ void saxpy(float* y, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

// occlint: block = 256, min-blocks = 4
__global__ void saxpy_clamped(float* y, const float* x, float a, float limit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = clamped(y[i] + a * x[i], limit);
}

extern "C" int launch_saxpy(float* y, const float* x, float a, int n) {
    saxpy<<<(n + 255) / 256, 256>>>(y, x, a, n);
    return cudaGetLastError();
}

extern "C" int launch_saxpy_clamped(float* y, const float* x, float a, float limit, int n) {
    saxpy_clamped<<<(n + 255) / 256, 256>>>(y, x, a, limit, n);
    return cudaGetLastError();
}
