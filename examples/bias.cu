// y[r][i] = x[r][i] + bias[i]: all rows share a bias larger than L1. Between two uses of an element a
// whole row of x and y is accessed. The tuning decides how much of the bias to keep in the L2 cache.
#pragma gputune kernel(add_bias)
#pragma gputune problem(rows = 32, columns = 6 << 20)
#pragma gputune args(out float y[rows * columns], in float x[rows * columns], \
                     in float bias[columns], size_t rows, size_t columns)
#pragma gputune l2_persist(KEPT = 0, 25, 50, 75, 100 : bias) // L2 set-aside for the bias, in per cent of the maximum
#pragma gputune tune(STREAM = 0, 1) // streams x and y past the caches, because they are used once
#pragma gputune tune(BLOCK = 256, 512, 1024)
#pragma gputune default(KEPT = 0, STREAM = 0, BLOCK = 256)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(columns, BLOCK), rows)
#pragma gputune work(bytes = 8 * rows * columns + 4 * columns)
#pragma gputune reference(add_bias_reference, block = 256, grid = ceil_div(rows * columns, 256), rtol = 0)

__global__ void add_bias(float *y, const float *x, const float *bias, size_t rows, size_t columns)
{
    const size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x, at = blockIdx.y * columns + i;
    if (i < columns) {
#if STREAM
        __stcs(&y[at], __ldcs(&x[at]) + bias[i]);
#else
        y[at] = x[at] + bias[i];
#endif
    }
}

__global__ void add_bias_reference(float *y, const float *x, const float *bias, size_t rows,
                                   size_t columns)
{
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < rows * columns) {
        y[i] = x[i] + bias[i % columns];
    }
}
