// Half of the variants compute a wrong value for one element.
#pragma gputune kernel(wrong_result)
#pragma gputune problem(n = 65536)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BAD = 0, BLOCK = 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n)
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void wrong_result(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    if (i == n - 1) {
        y[i] = 3.0f;
    }
#endif
}
