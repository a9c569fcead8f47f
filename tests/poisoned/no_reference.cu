// No reference exists, so the default shows the correct result. Half of the variants skip the last element.
#pragma gputune kernel(no_reference)
#pragma gputune problem(n = 65536)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 9), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BAD = 0, BLOCK = 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n)

__global__ void no_reference(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n - BAD) {
        y[i] = 2 * x[i];
    }
}
