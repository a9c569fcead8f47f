// Compiling half of its variants takes more memory than there is.
#pragma gputune kernel(greedy_compile)
#pragma gputune problem(n = 65536)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BAD = 0, BLOCK = 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n)
#pragma gputune reference(y[i] = 2.0f * x[i])

template <int A, int B> struct work {
    static constexpr long value = work<A - 1, B * 2>::value + work<A - 1, B * 2 + 1>::value;
};
template <int B> struct work<0, B> {
    static constexpr long value = B;
};

__global__ void greedy_compile(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    if (i == n) {
        y[0] = work<24, 1>::value;
    }
#endif
}
