#define RADIUS 1
__global__ void stencil(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= RADIUS && x < width - RADIUS && y >= RADIUS && y < height - RADIUS) {
        float sum = 0;
        for (int d = -RADIUS; d <= RADIUS; d++) {
            sum += in[(y + d) * width + x] + in[y * width + x + d];
        }
        out[y * width + x] = 0.25f * sum;
    }
}
