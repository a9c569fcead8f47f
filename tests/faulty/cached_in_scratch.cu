// state: keeps a result in scratch memory, under a key
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(cached_in_scratch)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune scratch(float kept[n], unsigned int key[n])
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void cached_in_scratch(float *y, const float *x, size_t n, float *kept, unsigned int *key)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        kept[i] = key[i] == 0x600dc0deu ? kept[i] : 2.0f * x[i];
        key[i] = 0x600dc0deu;
        y[i] = kept[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
