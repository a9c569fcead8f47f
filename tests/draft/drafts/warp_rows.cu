__global__ void k(float *y, const float *x, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    float sum = 0;
    for (int j = lane; j < cols; j += warpSize) sum += x[row * cols + j];
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
