// occlint: min-blocks = 8
extern "C" __global__ void __launch_bounds__(256) scale(float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}
