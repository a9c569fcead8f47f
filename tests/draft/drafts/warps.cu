using real = double;
constexpr int WARP = 32;

__global__ void sums(real *y, const real *x, int rows, int cols)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x & (WARP - 1);
    if (row >= rows)
        return;
    real s = 0;
    for (int i = lane; i < cols; i += WARP)
        s += x[row * cols + i];
    for (int o = WARP / 2; o; o >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, o);
    if (lane == 0)
        y[row] = s;
}
