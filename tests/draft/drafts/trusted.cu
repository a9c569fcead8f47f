__global__ void k(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * x[i];
}
__global__ void k_reference(float *y, const float *x, int n) { if (threadIdx.x == 0) for (int i = 0; i < n; i++) y[i] = x[i] * x[i]; }
__global__ void k_naive(float *y, const float *x, int n) { int i = threadIdx.x; y[i] = x[i] * x[i]; }
