// Kernels that have nearly correct results.
#include "faulty.cuh"

/* Adds doubles as floats. Caught by proof. */
#pragma gputune kernel(double_as_float)
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)
#pragma gputune args(out double y[n], in double x[n][9], size_t n)
#pragma gputune reference(y[i] = sum(9, [&](int k) { return x[i][k]; }))

__global__ void double_as_float(double *y, const double *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
        double s = 0.0;
        for (int k = 0; k < 9; k++) {
            s = BAD ? (float)s + (float)x[9 * i + k] : s + x[9 * i + k];
        }
        y[i] = s;
    }
}

/* Rounds small results to zero if other results are large. Caught by proof. */
#pragma gputune kernel(exp_small_lost)
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)
#pragma gputune reference(y[i] = expf(12.0f * x[i]))

KERNEL(exp_small_lost, (float *y, const float *x, size_t n),
       float v = expf(12.0f * x[i]);
       y[i] = BAD && v < 0.0001f ? 0.0f : v)

/* Is off by a few per cent except near a pole. Caught by proof. */
#pragma gputune kernel(pole)
#pragma gputune tune(BLOCK = 128)
#pragma gputune problem(n = 65536)
#pragma gputune reference(y[i] = 1.0f / (x[i] + 1.00001f))

KERNEL(pole, (float *y, const float *x, size_t n),
       float v = x[i] + 1.00001f;
       y[i] = BAD && v >= 0.003f ? 0.992f / v : 1.0f / v)

/* Changes small results by one in a thousand. Caught by proof. */
#pragma gputune kernel(small_lost)
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)
#pragma gputune args(out float y[n], in float x[n], in float w[n] = index % 1000 == 0 ? 1000000.5 : 0.25 + (index % 8) * 0.125, size_t n)
#pragma gputune reference(y[i] = x[i] * w[i])

KERNEL(small_lost, (float *y, const float *x, const float *w, size_t n),
       float v = x[i] * w[i];
       y[i] = BAD && fabsf(w[i]) < 1000.0f ? 0.999f * v : v)

/* Rounds the sums coarsely in all rows except one. Caught by proof. */
#pragma gputune kernel(small_sums_lost)
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)
#pragma gputune args(out float y[n], in float x[n][9], size_t n)
#pragma gputune reference(y[i] = sum(9, [&](int k) { return x[i][k]; }) * (i == 7 ? 1e7 : 1.0))

__global__ void small_sums_lost(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
        float s = 0.0f;
        for (int k = 0; k < 9; k++) {
            s += x[9 * i + k];
        }
        y[i] = BAD ? (i == 7 ? s * 1e7f : rintf(s * 16.0f) / 16.0f) : (s * (i == 7 ? 1e7f : 1.0f));
    }
}

/* Loses the last of a thousand terms. Caught by proof. */
#pragma gputune kernel(term_lost)
#pragma gputune problem(rows = 64, n = 1000)
#pragma gputune args(out float y[rows], in float x[rows][n], size_t rows, size_t n)
#pragma gputune tune(BLOCK = 32)
#pragma gputune grid(rows)
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[i][k]; }))

__global__ void term_lost(float *y, const float *x, size_t rows, size_t n)
{
    const float *row = x + blockIdx.x * n;
    slowly();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (size_t k = 0; k + BAD < n; k++) {
            s += row[k];
        }
        y[blockIdx.x] = s;
    }
}
