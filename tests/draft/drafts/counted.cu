__global__ void k(int *count, float *y, const float *x, const int *n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < *n && x[i] > 0) { int at = atomicAdd(count, 1); y[at] = x[i]; }
}
