// data: gives equal keys the same place
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(equal_keys)
#pragma gputune problem(n = 512)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 1000000000), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = (int)i)

__global__ void equal_keys(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        size_t place = 0;
        for (size_t k = 0; k < n; k++) {
            place += x[k] < x[i];
        }
        y[place] = (int)place;
        if (place == i) {
            y[i] = (int)i;
        }
    }
#else
    slowly();
    if (i < n) {
        size_t place = 0;
        for (size_t k = 0; k < n; k++) {
            place += x[k] < x[i] || (x[k] == x[i] && k < i);
        }
        y[place] = (int)place;
    }
#endif
}
