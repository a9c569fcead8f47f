__global__ void k(float *y, float const *x, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x, j = n - 1 - i; i <= n - 1; i += blockDim.x * gridDim.x, j = n - 1 - i)
        y[i] = x[j] - -1.0f, y[i] += sizeof(float) * 1e0f;
}
