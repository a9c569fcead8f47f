// No variant writes the last element, and there is no reference to compare with.
#pragma gputune kernel(unwritten)
#pragma gputune problem(n = 65536)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 9), size_t n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune default(BLOCK = 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune work(bytes = 8 * n)

__global__ void unwritten(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n - 1) {
        y[i] = 2 * x[i];
    }
}
