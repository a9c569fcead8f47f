// Half of its variants call themselves until their stack is full.
#pragma gputune kernel(deep)
#pragma gputune problem(n = 65536)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BAD = 0, BLOCK = 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n)
#pragma gputune reference(y[i] = 2.0f * x[i])

__device__ __noinline__ float deeper(unsigned int n)
{
    volatile float frame[64];
    frame[n % 64] = (float)n;
    return n == ~0u ? 0.0f : deeper(n + 2) + frame[(n + 1) % 64];
}

__global__ void deep(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    y[0] = deeper((unsigned int)n);
#endif
}
