// A separable convolution in two kernels, along rows and along columns, with weights in constant memory

#pragma gputune problem(w = 4096, h = 4096, const FILTER = 17)
#pragma gputune constant(weights : float[FILTER])
#pragma gputune tune(block_size_x = 16, 32, 48, 64, 80, 96, 112, 128, 256, 512)
#pragma gputune tune(block_size_y = 1, 2, 4, 8, 16, 32)
#pragma gputune tune(tile_size = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) // results per thread
#pragma gputune tune(use_padding = 0, 1) // pads rows in shared memory, to avoid bank conflicts
#pragma gputune tune(read_only = 0, 1)   // loads through the read-only cache
#pragma gputune default(block_size_x = 32, block_size_y = 8)
#pragma gputune require(use_padding == 0 || block_size_x % 32 != 0)
#pragma gputune require(block_size_x * block_size_y >= 32)
#pragma gputune block(block_size_x, block_size_y)
#pragma gputune work(bytes = 8 * w * h, flops = 2 * FILTER * w * h)

#pragma gputune kernel(convolve_rows)
#pragma gputune args(out float y[h][w], in float x[h][w + FILTER - 1], int w, int h)
#pragma gputune require(4 * (block_size_x * tile_size + FILTER + 30) * block_size_y <= 48 * 1024)
#pragma gputune grid(ceil_div(w, block_size_x * tile_size), ceil_div(h, block_size_y))
#pragma gputune reference(rows_reference, block = 32, 8, grid = ceil_div(w, 32), ceil_div(h, 8))

#pragma gputune kernel(convolve_columns)
#pragma gputune args(out float y[h][w], in float x[h + FILTER - 1][w], int w, int h)
#pragma gputune require(4 * (block_size_x + 31) * (block_size_y * tile_size + FILTER - 1) <= 48 * 1024)
#pragma gputune grid(ceil_div(w, block_size_x), ceil_div(h, block_size_y * tile_size))
#pragma gputune reference(columns_reference, block = 32, 8, grid = ceil_div(w, 32), ceil_div(h, 8))

__constant__ float weights[FILTER];

// Convolves x with a filter of FW x FH. y is w x h. Each thread computes TILE_X * TILE_Y results.
template <int TILE_X, int TILE_Y, int FW, int FH>
__device__ void convolve(float *__restrict__ y, const float *x, int w, int h)
{
    constexpr int W = block_size_x * TILE_X + FW - 1, H = block_size_y * TILE_Y + FH - 1;
    // With padding, the distance of rows is the block's width modulo the 32 banks.
    constexpr int STRIDE = W + (use_padding ? (block_size_x + 32 - W % 32) % 32 : 0);
    __shared__ float tile[H][STRIDE];
    const int x0 = blockIdx.x * (block_size_x * TILE_X), y0 = blockIdx.y * (block_size_y * TILE_Y);
    for (int v = threadIdx.y; v < H; v += block_size_y) {
        for (int u = threadIdx.x; u < W; u += block_size_x) {
            if (x0 + u < w + FW - 1 && y0 + v < h + FH - 1) {
                const float *from = &x[(y0 + v) * size_t(w + FW - 1) + x0 + u];
                tile[v][u] = read_only ? __ldg(from) : *from;
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int part = 0; part < TILE_X * TILE_Y; part++) {
        const int u = threadIdx.x + part % TILE_X * block_size_x;
        const int v = threadIdx.y + part / TILE_X * block_size_y;
        float sum = 0;
#pragma unroll
        for (int i = 0; i < FW * FH; i++) {
            sum += weights[i] * tile[v + i / FW][u + i % FW];
        }
        if (x0 + u < w && y0 + v < h) {
            y[(y0 + v) * size_t(w) + x0 + u] = sum;
        }
    }
}

__global__ void convolve_rows(float *y, const float *x, int w, int h)
{
    convolve<tile_size, 1, FILTER, 1>(y, x, w, h);
}

__global__ void convolve_columns(float *y, const float *x, int w, int h)
{
    convolve<1, tile_size, 1, FILTER>(y, x, w, h);
}

__device__ double weighted(const float *x, int stride)
{
    double sum = 0;
    for (int i = 0; i < FILTER; i++) {
        sum += double(weights[i]) * x[i * size_t(stride)];
    }
    return sum;
}

__global__ void rows_reference(double *y, const float *x, int w, int h)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (column < w && row < h) {
        y[row * size_t(w) + column] = weighted(&x[row * size_t(w + FILTER - 1) + column], 1);
    }
}

__global__ void columns_reference(double *y, const float *x, int w, int h)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (column < w && row < h) {
        y[row * size_t(w) + column] = weighted(&x[row * size_t(w) + column], w);
    }
}
