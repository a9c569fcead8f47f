__global__ void k(float *y, const float *x, int rows, int cols)
{
    int row = blockIdx.x;
    const float *line = x + row * cols;
    const float4 *fours = (const float4 *)line;
    float *out = &y[row * cols];
    float *more = out + 4;
    auto again = line;
    for (int j = threadIdx.x; j < cols / 4; j += blockDim.x) {
        float4 v = fours[j];
        out[4 * j] = v.x + again[4 * j];
    }
    if (threadIdx.x == 0 && row < rows) more[0] = 1;
}
