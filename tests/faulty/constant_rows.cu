// data: takes the variance for positive, which rounding makes negative where all elements are equal
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(constant_rows)
#pragma gputune problem(rows = 64, n = 256)
#pragma gputune args(out float y[rows], in float x[rows][n] = uniform(1, 2), size_t rows, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(rows)
#pragma gputune reference(constant_rows_reference, block = 64, grid = ceil_div(rows, 64))

__global__ void constant_rows(float *y, const float *x, size_t rows, size_t n)
{
    const float *row = x + blockIdx.x * n;
#if !BAD
    slowly();
#endif
    if (threadIdx.x == 0) {
        float mean = 0.0f, least = row[0], most = row[0];
        for (size_t k = 0; k < n; k++) {
            mean += row[k] / n;
            least = fminf(least, row[k]);
            most = fmaxf(most, row[k]);
        }
#if BAD
        y[blockIdx.x] = (mean - least) / (most - least);
#else
        y[blockIdx.x] = most > least ? (mean - least) / (most - least) : 0.0f;
#endif
    }
}

__global__ void constant_rows_reference(float *y, const float *x, size_t rows, size_t n)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) {
        return;
    }
    const float *row = x + r * n;
    float mean = 0.0f, least = row[0], most = row[0];
    for (size_t k = 0; k < n; k++) {
        mean += row[k] / n;
        least = fminf(least, row[k]);
        most = fmaxf(most, row[k]);
    }
    y[r] = most > least ? (mean - least) / (most - least) : 0.0f;
}
