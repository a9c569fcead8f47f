__global__ void k(float *sums, const float *x, const int *bin, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sums + bin[i], x[i]);
}
