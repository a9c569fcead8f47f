__global__ void k(int *y, const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    while (i < n) {
        y[i]++;
        ++y[i];
        --*(y + i);
        y[i] |= x[i];
        y[i] <<= 1;
        i += stride;
    }
}
