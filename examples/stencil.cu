// One step of a five-point stencil: each inner point becomes the mean of itself and its neighbours

#pragma gputune kernel(stencil)
#pragma gputune problem(w = 4096, h = 2048)
#pragma gputune args(inout float next[h][w], in float x[h][w], int w, int h)
#pragma gputune tune(block_size_x = 32, 64, 96, 128, 160, 192, 224, 256)
#pragma gputune tune(block_size_y = 1, 2, 4, 8, 16, 32)
#pragma gputune block(block_size_x, block_size_y)
#pragma gputune grid(ceil_div(w, block_size_x), ceil_div(h, block_size_y))
#pragma gputune work(bytes = 8 * w * h, flops = 5 * w * h)
#pragma gputune reference(stencil_reference, block = 32, 8, grid = ceil_div(w, 32), ceil_div(h, 8))

__global__ void stencil(float *next, const float *x, int w, int h)
{
    const int column = blockIdx.x * block_size_x + threadIdx.x;
    const int row = blockIdx.y * block_size_y + threadIdx.y;
    if (column > 0 && column < w - 1 && row > 0 && row < h - 1) {
        const float *here = &x[row * size_t(w) + column];
        next[row * size_t(w) + column] = (here[0] + here[-1] + here[1] + here[-w] + here[w]) / 5;
    }
}

// The edge is not changed.
__global__ void stencil_reference(double *next, const float *x, int w, int h)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (column > 0 && column < w - 1 && row > 0 && row < h - 1) {
        const float *here = &x[row * size_t(w) + column];
        next[row * size_t(w) + column] =
            (double(here[0]) + here[-1] + here[1] + here[-w] + here[w]) / 5;
    }
}
