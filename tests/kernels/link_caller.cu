// The kernels of a program whose device function is in link_callee.cu.
__device__ float heavy(const float* p, int n);

__global__ void __launch_bounds__(256, 6) kcall(float* o, const float* p, int n) {
  __shared__ float s[512];
  s[threadIdx.x] = o[0];
  __syncthreads();
  o[threadIdx.x] = heavy(p + threadIdx.x, n) + s[n & 31];
}

__global__ void __launch_bounds__(256) kplain(float* o) { o[threadIdx.x] = 5; }
