__global__ void gemv(float *y, const float *A, const float *x, int rows, int cols)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += A[(size_t)warp * cols + c] * x[c];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, s, o);
    if (lane == 0) y[warp] = s;
}
