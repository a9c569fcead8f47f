#define NUM_BINS 256
typedef unsigned char u8;

__global__ void bins(const u8 *in, size_t n, unsigned int *out)
{
    extern __shared__ unsigned int local[];
    for (int i = threadIdx.x; i < NUM_BINS; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < NUM_BINS; i += blockDim.x)
        atomicAdd(&out[i], local[i]);
}
