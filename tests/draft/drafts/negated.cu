__global__ void k(double *y, const double *x, long n, bool twice)
{
    long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    if (!(i < n)) return;
    y[i] = twice ? 2 * x[i] : x[i];
}
