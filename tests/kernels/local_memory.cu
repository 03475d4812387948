// local memory without any spill, one kind or two a kernel
#include <cstdio>

__device__ float small[8];
__global__ void two_arrays(float* o, int k) {
    float first[16];
    int second[8];
    for (int i = 0; i < 16; i++) first[i] = o[i * 32 + threadIdx.x];
    for (int i = 0; i < 8; i++) second[i] = i * k;
    for (int i = 0; i < k; i++) {
        first[(i * k) & 15] += first[second[(i + k) & 7] & 15];
    }
    o[threadIdx.x] = first[k & 15] + second[k & 7];
}

__global__ void table_and_sine(float* o, int k) {
    float table[16];
    for (int i = 0; i < 16; i++)
        table[i] = sinf(o[i * 32 + threadIdx.x]);
    for (int i = 0; i < k; i++) {
        table[(i * k) & 15] += table[(i + k) & 15];
    }
    o[threadIdx.x] = table[k & 15];
}

__global__ void table_and_printf(float* o, int k) {
    // float other[16];
    float table[16];
    for (int i = 0; i < 16; i++) table[i] = o[i * 32 + threadIdx.x];
    for (int i = 0; i < k; i++) {
        table[(i * k) & 15] += table[(i + k) & 15];
    }
    o[threadIdx.x] = table[k & 15];
    printf("%f %d\n", o[1], k);
}

// the frame of a device function that has none of its own is the kernel's
__device__ __noinline__ float callee(const float* o, int k) {
    float r = 0;
    float lookup[16];
    for (int i = 0; i < 16; i++) lookup[i] = o[i * 32 + threadIdx.x];
    for (int i = 0; i < k; i++) {
        lookup[(i * k) & 15] += lookup[(i + k) & 15];
        r += lookup[i & 15];
    }
    return r + lookup[k & 15];
}
__global__ void of_a_callee(float* o, int k) { o[threadIdx.x] = callee(o, k); }

__device__ __forceinline__ float part(float* buf, int k) {
    for (int i = 0; i < k; i++) buf[(i * k) & 15] += buf[(i + k) & 15];
    return buf[k & 15];
}
__global__ void inlined(float* o, int k) {
    float buffer[16];
    for (int i = 0; i < 16; i++) {
        buffer[i] = o[i * 32 + threadIdx.x];
    }
    o[threadIdx.x] = part(buffer, k);
}

#define ROUNDS 4
template <int N>
__global__ void histogram(float* o, int k) {
    __shared__ int shared[N];
    shared[threadIdx.x % N] = k;
    double bins[N];
#pragma unroll
    for (int i = 0; i < N; i++) bins[i] = 0;
    for (int i = 0; i < k; i++) {
        bins[((int)o[i]) % N] += ROUNDS;
    }
    __syncthreads();
    for (int i = 0; i < N; i++) o[i] = bins[i] + shared[i];
}
template __global__ void histogram<10>(float*, int);

__global__ void kept(float** o, int n) {
    float values[4];
    for (int i = 0; i < 4; i++) values[i] = o[1][i];
    o[0] = values;
    __syncthreads();
    o[2][0] = o[0][n];
}

#define ARGUMENTS(X) \
    X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15), X(16), \
        X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29)
#define PARAMETER(N) float a##N
#define LOAD(N) o[N]
typedef float (*Function)(ARGUMENTS(PARAMETER));
__device__ float one(ARGUMENTS(PARAMETER)) { return a0 * a29 + a3 * a22; }
__device__ Function functions[2] = {one, one};
__global__ void indirect(float* o, int k) { o[threadIdx.x] = functions[k](ARGUMENTS(LOAD)); }

__global__ void resolved(float* o, int k) {
    const float weights[8] = {1, 2, 3, 5, 8, 13, 21, 34};
    o[threadIdx.x] = weights[k & 7];
}
