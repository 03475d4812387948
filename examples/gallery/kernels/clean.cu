// Nothing to find here.

namespace clean {

__global__ void __launch_bounds__(256, 2) axpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

}  // namespace clean
