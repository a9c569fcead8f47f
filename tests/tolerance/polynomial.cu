// A polynomial of degree 11 with zeros, computed by several correct schemes or with a fault.
#pragma gputune kernel(polynomial)
#pragma gputune problem(n = 40000)
#pragma gputune args(out float y[n], in float x[n] = uniform(-1.5, 1.5), size_t n)
#pragma gputune tune(SCHEME = horner, estrin, powers, separate)
#pragma gputune tune(FAULT = none, term, element, half)
#pragma gputune default(SCHEME = horner, FAULT = none)
#pragma gputune require(FAULT == none || SCHEME == horner)
#pragma gputune block(128)
#pragma gputune grid(ceil_div(n, 128))
#pragma gputune reference(polynomial_reference, block = 128, grid = ceil_div(n, 128))
#include "rounding.cuh"

__global__ void polynomial(float *y, const float *x, size_t n)
{
    const float c[12] = {0.5f,  -1.25f, 0.75f, 0.3f, -0.9f, 0.11f,
                         -0.2f, 0.45f,  0.33f, 0.7f, -0.6f, 0.05f};
    size_t i = blockIdx.x * 128ull + threadIdx.x;
    if (i >= n) {
        return;
    }
    float v = x[i], s = c[11];
#if SCHEME_estrin
    float v2 = v * v, v4 = v2 * v2, v8 = v4 * v4;
    float low = (c[0] + c[1] * v) + (c[2] + c[3] * v) * v2;
    float middle = (c[4] + c[5] * v) + (c[6] + c[7] * v) * v2;
    float high = (c[8] + c[9] * v) + (c[10] + c[11] * v) * v2;
    s = low + middle * v4 + high * v8;
#elif SCHEME_powers
    float power = 1;
    s = 0;
    for (int k = 0; k < 12; k++) {
        s += c[k] * power;
        power *= v;
    }
#elif SCHEME_separate
    for (int k = 10; k >= 0; k--) {
        s = __fadd_rn(__fmul_rn(s, v), c[k]);
    }
#else
    for (int k = 10; k >= 0; k--) {
        s = s * v + c[k];
#if FAULT_half
        s = rounded_to_half(s);
#endif
    }
#endif
#if FAULT_term
    s -= 0.05f * powf(v, 11);
#elif FAULT_element
    s = i == 12345 ? s + 1e-3f : s;
#endif
    y[i] = s;
}

__global__ void polynomial_reference(float *y, const float *x, size_t n)
{
    const float c[12] = {0.5f,  -1.25f, 0.75f, 0.3f, -0.9f, 0.11f,
                         -0.2f, 0.45f,  0.33f, 0.7f, -0.6f, 0.05f};
    size_t i = blockIdx.x * 128ull + threadIdx.x;
    if (i < n) {
        float s = c[11];
        for (int k = 10; k >= 0; k--) {
            s = s * x[i] + c[k];
        }
        y[i] = s;
    }
}
