#pragma gputune pass(c : float[16] = value)
__global__ void k(GPUTUNE_PARAM(c) float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c(i % 16);
}
