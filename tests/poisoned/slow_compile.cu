// Half of its variants take minutes to compile.
#pragma gputune kernel(slow_compile)
#pragma gputune problem(n = 65536)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BAD = 0, BLOCK = 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n)
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void slow_compile(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    float own[64];
#pragma unroll
    for (int k = 0; k < 64; k++) {
        own[k] = x[(i + k) % n];
    }
#pragma unroll
    for (int a = 0; a < 200; a++) {
#pragma unroll
        for (int b = 0; b < 64; b++) {
#pragma unroll
            for (int c = 0; c < 64; c++) {
                own[b] += own[c] * own[(b + c + a) % 64];
            }
        }
    }
    if (i < n) {
        y[i] += own[0] * 0.0f;
    }
#endif
}
