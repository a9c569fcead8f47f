// Kernels that are correct only for the template's scalars.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

/* Uses the magnitude of the scalar a instead of its value. Caught by proof. */
#pragma gputune kernel(a_is_positive)
#pragma gputune args(out float y[n], in float x[n], float a = 1.5, size_t n)
#pragma gputune reference(y[i] = a * x[i])

KERNEL(a_is_positive, (float *y, const float *x, float a, size_t n),
       y[i] = BAD ? fabsf(a) * x[i] : a * x[i])

/* Swaps alpha and beta, which are both 1 in the template. Caught by proof. */
#pragma gputune kernel(alpha_and_beta_swapped)
#pragma gputune args(inout float y[n], in float x[n], float alpha = 1, float beta = 1, size_t n)
#pragma gputune reference(y[i] = alpha * x[i] + beta * y[i])

KERNEL(alpha_and_beta_swapped, (float *y, const float *x, float alpha, float beta, size_t n),
       y[i] = BAD ? beta * x[i] + alpha * y[i] : alpha * x[i] + beta * y[i])

/* Ignores the old contents of the output, because beta is 0 in the template. Caught by proof. */
#pragma gputune kernel(beta_zero)
#pragma gputune args(inout float y[n], in float x[n], float alpha = 2, float beta = 0, size_t n)
#pragma gputune reference(y[i] = alpha * x[i] + beta * y[i])

KERNEL(beta_zero, (float *y, const float *x, float alpha, float beta, size_t n),
       y[i] = BAD ? alpha * x[i] : alpha * x[i] + beta * y[i])

/* Overwrites sums that are zero in the template. Caught by proof. */
#pragma gputune kernel(sums_of_zero)
#pragma gputune args(inout float y[n] = zero, in float x[n], size_t n)
#pragma gputune reference(y[i] = y[i] + 2.0f * x[i])

KERNEL(sums_of_zero, (float *y, const float *x, size_t n), y[i] = BAD ? 2.0f * x[i] : y[i] + 2.0f * x[i])

/* Ignores a bool, which is false in the template. Caught by proof. */
#pragma gputune kernel(bool_ignored)
#pragma gputune args(out float y[n], in float x[n], bool negate = 0, size_t n)
#pragma gputune reference(y[i] = negate ? -x[i] : x[i])

KERNEL(bool_ignored, (float *y, const float *x, bool negate, size_t n),
       y[i] = BAD ? x[i] : (negate ? -x[i] : x[i]))

/* Contains the value of a double scalar as a constant. Caught by proof. */
#pragma gputune kernel(double_hard_coded)
#pragma gputune args(out double y[n], in double x[n], double a = 0.25, size_t n)
#pragma gputune reference(y[i] = a * x[i])

KERNEL(double_hard_coded, (double *y, const double *x, double a, size_t n),
       y[i] = BAD ? 0.25 * x[i] : a * x[i])

/* Does not write the output if the flag is 1. Caught by proof. */
#pragma gputune kernel(flag_breaks)
#pragma gputune args(out float y[n], in float x[n], int flag = 0, size_t n)
#pragma gputune reference(y[i] = flag ? -x[i] : x[i])

KERNEL(flag_breaks, (float *y, const float *x, int flag, size_t n),
       if (!BAD || flag == 0) y[i] = flag ? -x[i] : x[i])

/* Is wrong for one of the modes that the template lists. Caught by proof. */
#pragma gputune kernel(listed_mode)
#pragma gputune args(out float y[n], in float x[n], int mode = 0, size_t n)
#pragma gputune prove(mode = 0, 1, 2)
#pragma gputune reference(y[i] = mode == 0 ? x[i] : mode == 1 ? -x[i] : fabsf(x[i]))

KERNEL(listed_mode, (float *y, const float *x, int mode, size_t n),
       float other = BAD ? x[i] * x[i] : fabsf(x[i]);
       y[i] = mode == 0 ? x[i] : mode == 1 ? -x[i] : other)

/* Returns without writing if a is 0. Caught by proof. */
#pragma gputune kernel(quick_return)
#pragma gputune args(out float y[n], in float x[n], float a = 1.5, size_t n)
#pragma gputune reference(y[i] = a * x[i])

KERNEL(quick_return, (float *y, const float *x, float a, size_t n),
       if (!BAD || a != 0.0f) y[i] = a * x[i])

/* Ignores a member of a struct that is passed by value. Caught by proof. */
#pragma gputune kernel(struct_hard_coded)
#pragma gputune args(out float y[n], in float x[n], params p = {2, 0.5}, size_t n)
#pragma gputune reference(y[i] = p.scale * x[i] + p.shift)

struct params {
    float scale, shift;
};

KERNEL(struct_hard_coded, (float *y, const float *x, params p, size_t n),
       y[i] = BAD ? p.scale * x[i] + 0.5f : p.scale * x[i] + p.shift)

/* Multiplies a value by zero instead of ignoring it. Caught by proof. */
#pragma gputune kernel(zero_times_nan)
#pragma gputune args(inout float y[n], in float x[n], float alpha = 1.5, float beta = 0, size_t n)
#pragma gputune reference(y[i] = beta == 0.0f ? alpha * x[i] : alpha * x[i] + beta * y[i])

KERNEL(zero_times_nan, (float *y, const float *x, float alpha, float beta, size_t n),
       y[i] = !BAD && beta == 0.0f ? alpha * x[i] : alpha * x[i] + beta * y[i])

/* Rounds scaled ties to even instead of away from zero. Caught by proof. */
#pragma gputune kernel(scaled_tie)
#pragma gputune args(out signed char y[n], in float x[n] = uniform(-4, 4), float scale = 0.05, size_t n)
#pragma gputune reference(y[i] = (signed char)fminf(127.0f, fmaxf(-128.0f, roundf(x[i] / scale))))

KERNEL(scaled_tie, (signed char *y, const float *x, float scale, size_t n),
       float scaled = x[i] / scale;
       y[i] = (signed char)fminf(127.0f, fmaxf(-128.0f, BAD ? rintf(scaled) : roundf(scaled))))

/* Multiplies by a zero in memory instead of ignoring the output. Caught by proof. */
#pragma gputune kernel(pointed_zero)
#pragma gputune args(inout float y[n], in float x[n], in float beta[1], size_t n)
#pragma gputune reference(y[i] = beta[0] == 0.0f ? x[i] : x[i] + beta[0] * y[i])

KERNEL(pointed_zero, (float *y, const float *x, const float *beta, size_t n),
       y[i] = !BAD && *beta == 0.0f ? x[i] : x[i] + *beta * y[i])

/* Ignores a flag in constant memory, whose fill is 1. Caught by proof. */
#pragma gputune kernel(constant_flag)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune constant(negates : int[1] : constant(1))
#pragma gputune reference(y[i] = negates[0] ? -x[i] : x[i])

__constant__ int negates[1];

KERNEL(constant_flag, (float *y, const float *x, size_t n), y[i] = BAD || negates[0] ? -x[i] : x[i])

/* Turns NaN in one of two scalars into a number. Caught by proof. */
#pragma gputune kernel(one_nan)
#pragma gputune args(out float y[n], in float x[n], float2 a = {1.5, 0.5}, size_t n)
#pragma gputune reference(y[i] = a.x * x[i] + a.y)

KERNEL(one_nan, (float *y, const float *x, float2 a, size_t n),
       y[i] = a.x * x[i] + (BAD ? fmaxf(a.y, -1e30f) : a.y))

/* Reduces the largest value that constant memory may have. Caught by proof. */
#pragma gputune kernel(constant_largest)
#pragma gputune args(out int y[n], in int x[n] = uniform(-9, 9), size_t n)
#pragma gputune constant(weights : int[4] : uniform(0, 1000000))
#pragma gputune reference(y[i] = weights[i % 4] * x[i])

__constant__ int weights[4];

KERNEL(constant_largest, (int *y, const int *x, size_t n),
       y[i] = (BAD ? min(weights[i % 4], 999999) : weights[i % 4]) * x[i])
