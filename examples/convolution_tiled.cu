// A 2-D convolution with its weights in constant memory and its input in shared memory. FILTER_H = 1 or
// FILTER_W = 1 makes it one half of a separable convolution.

#pragma gputune kernel(convolution_tiled)
#pragma gputune problem(w = 4096, h = 4096, const FILTER_W = 17, const FILTER_H = 17)
#pragma gputune constant(weights : float[FILTER_W * FILTER_H])
#pragma gputune args(out float y[h][w], in float x[h + FILTER_H - 1][w + FILTER_W - 1], int w, int h)
#pragma gputune tune(block_size_x = 16, 32, 48, 64, 80, 96, 112, 128)
#pragma gputune tune(block_size_y = 1, 2, 4, 8, 16, 32)
#pragma gputune tune(tile_size_x = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
#pragma gputune tune(tile_size_y = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
#pragma gputune tune(use_padding = 0, 1) // pads rows in shared memory, to avoid bank conflicts
#pragma gputune tune(read_only = 0, 1)   // loads through the read-only cache
#pragma gputune default(block_size_x = 32, block_size_y = 8)
#pragma gputune require(use_padding == 0 || block_size_x % 32 != 0)
#pragma gputune require(block_size_x * block_size_y >= 32)
#pragma gputune require(4 * (block_size_x * tile_size_x + FILTER_W + 30) * \
                        (block_size_y * tile_size_y + FILTER_H - 1) <= 48 * 1024) // shared memory
#pragma gputune block(block_size_x, block_size_y)
#pragma gputune grid(ceil_div(w, block_size_x * tile_size_x), ceil_div(h, block_size_y * tile_size_y))
#pragma gputune work(bytes = 8 * w * h, flops = 2 * FILTER_W * FILTER_H * w * h)
#pragma gputune reference(convolution_reference, block = 32, 8, grid = ceil_div(w, 32), ceil_div(h, 8))

__constant__ float weights[FILTER_W * FILTER_H];

constexpr int TILE_W = block_size_x * tile_size_x + FILTER_W - 1;
constexpr int TILE_H = block_size_y * tile_size_y + FILTER_H - 1;
// With padding, the distance of rows is the block's width modulo the 32 banks.
constexpr int STRIDE = TILE_W + (use_padding ? (block_size_x + 32 - TILE_W % 32) % 32 : 0);

__global__ void convolution_tiled(float *__restrict__ y, const float *x, int w, int h)
{
    __shared__ float tile[TILE_H][STRIDE];
    const int x0 = blockIdx.x * (block_size_x * tile_size_x), in_w = w + FILTER_W - 1;
    const int y0 = blockIdx.y * (block_size_y * tile_size_y), in_h = h + FILTER_H - 1;
    for (int v = threadIdx.y; v < TILE_H; v += block_size_y) {
        for (int u = threadIdx.x; u < TILE_W; u += block_size_x) {
            if (x0 + u < in_w && y0 + v < in_h) {
                const float *from = &x[(y0 + v) * size_t(in_w) + x0 + u];
                tile[v][u] = read_only ? __ldg(from) : *from;
            }
        }
    }
    __syncthreads();
    float sums[tile_size_y][tile_size_x] = {};
#pragma unroll
    for (int v = 0; v < FILTER_H; v++) {
#pragma unroll
        for (int u = 0; u < FILTER_W; u++) {
#pragma unroll
            for (int j = 0; j < tile_size_y; j++) {
#pragma unroll
                for (int i = 0; i < tile_size_x; i++) {
                    sums[j][i] += weights[v * FILTER_W + u] *
                                  tile[threadIdx.y + j * block_size_y + v]
                                      [threadIdx.x + i * block_size_x + u];
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < tile_size_y; j++) {
#pragma unroll
        for (int i = 0; i < tile_size_x; i++) {
            const int column = x0 + threadIdx.x + i * block_size_x;
            const int row = y0 + threadIdx.y + j * block_size_y;
            if (column < w && row < h) {
                y[row * size_t(w) + column] = sums[j][i];
            }
        }
    }
}

__global__ void convolution_reference(double *y, const float *x, int w, int h)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (column < w && row < h) {
        double sum = 0;
        for (int v = 0; v < FILTER_H; v++) {
            for (int u = 0; u < FILTER_W; u++) {
                sum += double(weights[v * FILTER_W + u]) *
                       x[(row + v) * size_t(w + FILTER_W - 1) + column + u];
            }
        }
        y[row * size_t(w) + column] = sum;
    }
}
