// Subtracts the mean of the even and of the odd elements from each column, then from each row, in place

#pragma gputune problem(w = 3539, h = 4391)
#pragma gputune args(int h, int w, inout float image[h][w])
#pragma gputune tune(block_size_x = 32, 64, 96, 128, 160, 192, 224, 256)
#pragma gputune tune(block_size_y = 1, 2, 4, 8, 16, 32)
#pragma gputune block(block_size_x, block_size_y)
#pragma gputune work(bytes = 8 * w * h, flops = 2 * w * h)

#pragma gputune kernel(zero_mean_columns)
#pragma gputune grid(ceil_div(w, block_size_x))
#pragma gputune reference(zero_mean_columns_reference, block = 128, grid = ceil_div(w, 128))

#pragma gputune kernel(zero_mean_rows)
#pragma gputune grid(1, ceil_div(h, block_size_y))
#pragma gputune reference(zero_mean_rows_reference, block = 128, grid = ceil_div(h, 128))

// Sums the even and the odd elements of a line. The line's threads are STEP apart in the block.
template <int THREADS, int STEP> __device__ float2 add_up(float even, float odd, int thread)
{
    __shared__ float2 sums[block_size_x * block_size_y];
    float2 *mine = &sums[threadIdx.y * block_size_x + threadIdx.x];
    *mine = make_float2(even, odd);
    for (int count = THREADS; count > 1; count = (count + 1) / 2) {
        const int apart = (count + 1) / 2;
        __syncthreads();
        if (thread + apart < count) {
            mine->x += mine[apart * STEP].x;
            mine->y += mine[apart * STEP].y;
        }
    }
    __syncthreads();
    return mine[-thread * STEP];
}

// Subtracts the means from a line of `length` elements that are `stride` apart.
template <int THREADS, int STEP>
__device__ void take_means(float *line, int length, int stride, int thread)
{
    float even = 0, odd = 0;
    for (int i = thread; i < length; i += THREADS) {
        (i % 2 ? odd : even) += line[i * size_t(stride)];
    }
    const float2 sums = add_up<THREADS, STEP>(even, odd, thread);
    const float even_mean = sums.x / ((length + 1) / 2), odd_mean = sums.y / (length / 2);
    for (int i = thread; i < length; i += THREADS) {
        line[i * size_t(stride)] -= i % 2 ? odd_mean : even_mean;
    }
}

__global__ void zero_mean_columns(int h, int w, float *image)
{
    const int column = blockIdx.x * block_size_x + threadIdx.x;
    take_means<block_size_y, block_size_x>(image + column, column < w ? h : 0, w, threadIdx.y);
}

__global__ void zero_mean_rows(int h, int w, float *image)
{
    const int row = blockIdx.y * block_size_y + threadIdx.y;
    take_means<block_size_x, 1>(image + row * size_t(w), row < h ? w : 0, 1, threadIdx.x);
}

__device__ void take_means_plainly(double *line, int length, int stride)
{
    for (int begin = 0; begin < 2; begin++) {
        double sum = 0;
        for (int i = begin; i < length; i += 2) {
            sum += line[i * size_t(stride)];
        }
        for (int i = begin; i < length; i += 2) {
            line[i * size_t(stride)] -= sum / ((length + 1 - begin) / 2);
        }
    }
}

__global__ void zero_mean_columns_reference(int h, int w, double *image)
{
    const int column = blockIdx.x * 128 + threadIdx.x;
    if (column < w) {
        take_means_plainly(image + column, h, w);
    }
}

__global__ void zero_mean_rows_reference(int h, int w, double *image)
{
    const int row = blockIdx.x * 128 + threadIdx.x;
    if (row < h) {
        take_means_plainly(image + row * size_t(w), w, 1);
    }
}
