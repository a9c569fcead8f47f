__global__ void blur_reference(float *y, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
__global__ void blur(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) * (1 / 3.0f);
}
