#define R 4
constexpr int TW = 16;
__constant__ float filter[(2 * R + 1) * (2 * R + 1)];
__global__ void conv(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * TW + threadIdx.x, y = blockIdx.y * TW + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0;
    for (int v = 0; v < 2 * R + 1; v++)
        for (int u = 0; u < 2 * R + 1; u++)
            s += filter[v * (2 * R + 1) + u] * in[(y + v) * (w + 2 * R) + x + u];
    out[y * w + x] = s;
}
