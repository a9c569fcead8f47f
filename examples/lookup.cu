// y[i] = table[index[i]], the table larger than L1: does it pay to keep it in the level-2 cache?
#include "gputune.cuh"

#pragma gputune kernel(lookup)
#pragma gputune problem(n = 1 << 26, entries = 5 << 20)
#pragma gputune args(out float y[n], in unsigned int index[n] = uniform(0, entries - 1), \
                     in float table[entries], size_t n)
#pragma gputune l2_persist(KEPT = 0, 25, 50, 100 : table) // per cent of what can be set aside
#pragma gputune vector(VEC = 1, 4 : index, y)
#pragma gputune tune(BLOCK = 256, 512)
#pragma gputune default(KEPT = 0, VEC = 1, BLOCK = 256)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK * VEC))
#pragma gputune work(bytes = 8 * n + 4 * entries)
#pragma gputune reference(lookup_reference, block = 256, grid = ceil_div(n, 256), rtol = 0)

__global__ void lookup(float *y, const unsigned int *index, const float *table, size_t n)
{
    gputune_each<VEC, 1>(n, [=](auto part) {
        auto at = part.template load<gputune_streamed>(index);
        auto found = part.template make<float>();
        for (int i = 0; i < part.count; i++) {
            found[i] = table[at[i]];
        }
        part.template store<gputune_streamed>(y, found);
    });
}

__global__ void lookup_reference(float *y, const unsigned int *index, const float *table, size_t n)
{
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < n) {
        y[i] = table[index[i]];
    }
}
