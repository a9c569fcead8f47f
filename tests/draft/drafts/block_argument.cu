__global__ void k(float *y, const float *x, int n, int block_size, int num_threads)
{
    int i = blockIdx.x * block_size + threadIdx.x;
    for (int j = i; j < n; j += num_threads) y[j] = x[j];
}
