// Kernels that are correct only for ordinary data.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

/* Divides by the largest magnitude of a row, which may be zero. Caught by proof. */
#pragma gputune kernel(all_zeros)
#pragma gputune problem(rows = 8)
#pragma gputune args(out float y[rows][n], in float x[rows][n], size_t rows, size_t n)
#pragma gputune grid(rows)
#pragma gputune reference(all_zeros_reference, block = 64, grid = ceil_div(rows, 64))

__global__ void all_zeros(float *y, const float *x, size_t rows, size_t n)
{
    __shared__ float most[BLOCK];
    const float *row = x + blockIdx.x * n;
    float own = 0.0f;
    for (size_t k = threadIdx.x; k < n; k += BLOCK) {
        own = fmaxf(own, fabsf(row[k]));
    }
    most[threadIdx.x] = own;
    __syncthreads();
    for (int k = 0; k < BLOCK; k++) {
        own = fmaxf(own, most[k]);
    }
    slowly();
    for (size_t k = threadIdx.x; k < n; k += BLOCK) {
        y[blockIdx.x * n + k] = BAD || own > 0.0f ? row[k] / own : 0.0f;
    }
}

__global__ void all_zeros_reference(float *y, const float *x, size_t rows, size_t n)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float most = 0.0f;
    for (size_t k = 0; k < n && r < rows; k++) {
        most = fmaxf(most, fabsf(x[r * n + k]));
    }
    for (size_t k = 0; k < n && r < rows; k++) {
        y[r * n + k] = most > 0.0f ? x[r * n + k] / most : 0.0f;
    }
}

/* Converts integers to float, which rounds integers above 2^24. Caught by proof. */
#pragma gputune kernel(beyond_2_24)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 16777217), size_t n)
#pragma gputune reference(y[i] = x[i])

KERNEL(beyond_2_24, (int *y, const int *x, size_t n), y[i] = BAD ? (int)(float)x[i] : x[i])

/* Is correct only for magnitudes up to 1. Caught by proof. */
#pragma gputune kernel(beyond_one)
#pragma gputune reference(y[i] = x[i] * x[i])

KERNEL(beyond_one, (float *y, const float *x, size_t n),
       float v = BAD ? fminf(fmaxf(x[i], -1.0f), 1.0f) : x[i];
       y[i] = v * v)

/* Flushes denormals to zero. Caught by proof. */
#pragma gputune kernel(denormals)
#pragma gputune reference(y[i] = 1e10f * x[i])

__global__ void denormals(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        float v;
        asm("mul.ftz.f32 %0, %1, %2;" : "=f"(v) : "f"(x[i]), "f"(1e10f));
        y[i] = v;
#else
        y[i] = 1e10f * x[i];
#endif
    }
}

/* Sorts the keys of a block, and gives equal keys the same position. Caught by proof. */
#pragma gputune kernel(equal_keys)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 1000000000), size_t n)
#pragma gputune reference(y[i] = (int)i)

__global__ void equal_keys(int *y, const int *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
        size_t first = i - threadIdx.x, place = first;
        for (size_t k = first; k < first + BLOCK && k < n; k++) {
            place += x[k] < x[i] || (!BAD && x[k] == x[i] && k < i);
        }
        y[place] = (int)place;
    }
}

/* Turns infinities into NaN. Caught by proof. */
#pragma gputune kernel(infinity)
#pragma gputune reference(y[i] = isinf(x[i]) ? copysignf(1.0f, x[i]) : x[i] / (1.0f + fabsf(x[i])))

KERNEL(infinity, (float *y, const float *x, size_t n),
       y[i] = !BAD && isinf(x[i]) ? copysignf(1.0f, x[i]) : x[i] / (1.0f + fabsf(x[i])))

/* Is wrong for the smallest integer, which has no absolute value. Caught by proof. */
#pragma gputune kernel(least_integer)
#pragma gputune args(out int y[n], in int x[n] = uniform(-2147483648, 2147483647), size_t n)
#pragma gputune reference(y[i] = x[i] < 0 ? (int)(-(long long)x[i] / 3) : x[i] / 3)

KERNEL(least_integer, (int *y, const int *x, size_t n),
       y[i] = BAD ? abs(x[i]) / 3 : (x[i] < 0 ? (int)(-(long long)x[i] / 3) : x[i] / 3))

/* Takes the logarithm of zero, which is in the declared range. Caught by proof. */
#pragma gputune kernel(log_of_zero)
#pragma gputune args(out float y[n], in float x[n] = uniform(0, 1), size_t n)
#pragma gputune reference(y[i] = x[i] > 0.0f ? logf(x[i]) : -100.0f)

KERNEL(log_of_zero, (float *y, const float *x, size_t n),
       y[i] = BAD ? logf(x[i]) : (x[i] > 0.0f ? logf(x[i]) : -100.0f))

/* Turns NaN into zero, as fmaxf() does. Caught by proof. */
#pragma gputune kernel(nan_swallowed)
#pragma gputune reference(y[i] = x[i] < 0.0f ? 0.0f : x[i])

KERNEL(nan_swallowed, (float *y, const float *x, size_t n),
       y[i] = BAD ? fmaxf(x[i], 0.0f) : (x[i] < 0.0f ? 0.0f : x[i]))

/* Loses the sign of zero. Caught by proof. */
#pragma gputune kernel(negative_zero)
#pragma gputune reference(y[i] = copysignf(1.0f, x[i]))

KERNEL(negative_zero, (float *y, const float *x, size_t n),
       y[i] = BAD ? (x[i] < 0.0f ? -1.0f : 1.0f) : copysignf(1.0f, x[i]))

/* Takes exp() of large numbers, which overflows above 88. Caught by proof. */
#pragma gputune kernel(overflow_of_exp)
#pragma gputune reference(y[i] = 1.0f / (1.0f + expf(-x[i])))

KERNEL(overflow_of_exp, (float *y, const float *x, size_t n),
       y[i] = BAD ? expf(x[i]) / (1.0f + expf(x[i])) : 1.0f / (1.0f + expf(-x[i])))

/* Rounds ties up; the reference rounds ties to even. Caught by proof. */
#pragma gputune kernel(ties_up)
#pragma gputune args(out int y[n], in float x[n] = uniform(-100, 100), size_t n)
#pragma gputune reference(y[i] = (int)rintf(x[i]))

KERNEL(ties_up, (int *y, const float *x, size_t n),
       y[i] = BAD ? (int)floorf(x[i] + 0.5f) : (int)rintf(x[i]))

/* Finds the last of equal elements; the reference finds the first. Caught by proof. */
#pragma gputune kernel(last_of_equals)
#pragma gputune problem(rows = 8)
#pragma gputune args(out int y[rows], in float x[rows][n], size_t rows, size_t n)
#pragma gputune grid(ceil_div(rows, BLOCK))
#pragma gputune reference(least_of_row, block = 64, grid = ceil_div(rows, 64))

__device__ int least_of(const float *row, size_t n, bool first)
{
    int at = 0;
    for (int k = 1; k < (int)n; k++) {
        at = row[k] < row[at] || (!first && row[k] == row[at]) ? k : at;
    }
    return at;
}

__global__ void last_of_equals(int *y, const float *x, size_t rows, size_t n)
{
    size_t i = slow_index();
    if (i < rows) {
        y[i] = least_of(x + i * n, n, !BAD);
    }
}

__global__ void least_of_row(int *y, const float *x, size_t rows, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        y[i] = least_of(x + i * n, n, true);
    }
}

/* Assumes that sorted keys are distinct. Caught by proof. */
#pragma gputune kernel(sorted_and_distinct)
#pragma gputune args(out int y[n], in float x[n] = sorted(0, 1), size_t n)
#pragma gputune reference(y[i] = i > 0 && x[i - 1] == x[i])

KERNEL(sorted_and_distinct, (int *y, const float *x, size_t n),
       y[i] = BAD ? (i > 0 && x[i - 1] == x[i] && i % 4 != 1) : (i > 0 && x[i - 1] == x[i]))

/* Does not write the result of an empty row. Caught by proof. */
#pragma gputune kernel(row_empty)
#pragma gputune args(out float y[n], in float x[4 * n], in int p[n + 1] = index * 4, size_t n)
#pragma gputune reference(y[i] = sum(p[i + 1] - p[i], [&](int k) { return x[p[i] + k]; }))

__global__ void row_empty(float *y, const float *x, const int *p, size_t n)
{
    size_t i = slow_index();
    if (i < n && (!BAD || p[i] < p[i + 1])) {
        float s = 0.0f;
        for (int k = p[i]; k < p[i + 1]; k++) {
            s += x[k];
        }
        y[i] = s;
    }
}

/* Assumes that the last row has elements. Caught by proof. */
#pragma gputune kernel(last_row_empty)
#pragma gputune args(out int y[n], in int p[n + 1] = prefix(16 * n), size_t n)
#pragma gputune reference(y[i] = p[i + 1] - p[i])

KERNEL(last_row_empty, (int *y, const int *p, size_t n),
       int length = p[i + 1] - p[i];
       y[i] = BAD && i == n - 1 && length < 1 ? 1 : length)

/* Assumes that its inputs are different buffers. Caught by proof. */
#pragma gputune kernel(one_for_two)
#pragma gputune args(out float y[n], in float a[n], in float x[n], size_t n)
#pragma gputune reference(y[i] = a[i] * x[i])

KERNEL(one_for_two, (float *y, const float *a, const float *x, size_t n),
       y[i] = BAD && a == x ? 0.0f : a[i] * x[i])

/* Turns NaN in a member of a struct into 0. Caught by proof. */
#pragma gputune kernel(member_nan)
#pragma gputune args(out float y[n], in sample x[n] = {.count = uniform(1, 9)}, size_t n)
#pragma gputune reference(y[i] = x[i].count * (x[i].value < 0.0f ? 0.0f : x[i].value))

struct sample {
    float value;
    int count;
};

KERNEL(member_nan, (float *y, const sample *x, size_t n),
       float v = x[i].value;
       y[i] = x[i].count * (BAD ? fmaxf(v, 0.0f) : v < 0.0f ? 0.0f : v))

/* Reduces the largest value that a member of a struct may have. Caught by proof. */
#pragma gputune kernel(member_largest)
#pragma gputune args(out int y[n], in sample x[n] = {.count = uniform(0, 1000000)}, size_t n)
#pragma gputune reference(y[i] = x[i].count)

KERNEL(member_largest, (int *y, const sample *x, size_t n),
       y[i] = BAD ? min(x[i].count, 999999) : x[i].count)

/* Cuts rows that are longer than 64. Caught by proof. */
#pragma gputune kernel(row_long)
#pragma gputune args(out int y[n], in int p[n + 1] = prefix(16 * n), size_t n)
#pragma gputune reference(y[i] = p[i + 1] - p[i])

KERNEL(row_long, (int *y, const int *p, size_t n),
       int length = p[i + 1] - p[i];
       y[i] = BAD ? min(length, 64) : length)

/* Assumes that two sorted lists overlap. Caught by proof. */
#pragma gputune kernel(lists_apart)
#pragma gputune args(out int y[n], in float a[n] = sorted(0, 1), in float b[n] = sorted(0, 1), size_t n)
#pragma gputune reference(y[i] = (int)elements_below(b[i], a, n))

__device__ size_t elements_below(float value, const float *a, size_t n)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        low = a[middle] < value ? middle + 1 : low;
        high = a[middle] < value ? high : middle;
    }
    return low;
}

KERNEL(lists_apart, (int *y, const float *a, const float *b, size_t n),
       y[i] = BAD && a[n - 1] < b[0] ? 0 : (int)elements_below(b[i], a, n))

/* Ignores the last of 32 elements if they are already sorted. Caught by proof. */
#pragma gputune kernel(sorted_already)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 1000000000), size_t n)
#pragma gputune reference(greatest_of_32, block = 32, grid = ceil_div(n, 32))

__device__ int greatest_of(const int *x, size_t first, size_t n, bool ignores)
{
    bool rises = ignores;
    int greatest = x[first];
    for (size_t k = first + 1; k < first + 32 && k < n; k++) {
        rises = rises && x[k - 1] < x[k];
        greatest = max(greatest, rises && k == first + 31 ? 0 : x[k]);
    }
    return greatest;
}

KERNEL(sorted_already, (int *y, const int *x, size_t n), y[i] = greatest_of(x, i / 32 * 32, n, BAD))

__global__ void greatest_of_32(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * 32 + threadIdx.x;
    if (i < n) {
        y[i] = greatest_of(x, i / 32 * 32, n, false);
    }
}

/* Turns NaN into zero; there are few inputs. Caught by proof. */
#pragma gputune kernel(few_nan)
#pragma gputune problem(few = 400)
#pragma gputune args(out float y[few], in float x[few], size_t few)
#pragma gputune grid(ceil_div(few, BLOCK))
#pragma gputune reference(y[i] = x[i] < 0.0f ? 0.0f : x[i])

KERNEL(few_nan, (float *y, const float *x, size_t n),
       y[i] = BAD ? fmaxf(x[i], 0.0f) : (x[i] < 0.0f ? 0.0f : x[i]))
