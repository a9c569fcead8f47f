__global__ void k(float *y, const float *x, int n)
{
    int i = (blockIdx.x << 8) + threadIdx.x;
    int j = i << 1;
    if (j + 1 < n) { y[j] = x[j]; y[j + 1] = x[j + 1]; }
}
