__global__ void histogram(unsigned int *bins, const unsigned char *data, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
}
