// A device function that kernels in link_caller.cu call: with a cap of 40 registers it spills.
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
