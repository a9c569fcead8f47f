// y[i] = table[index[i]], with the table in the L1 cache or in shared memory
#include "gputune.cuh"

#pragma gputune kernel(gather)
#pragma gputune problem(n = 1 << 26)
#pragma gputune problem(entries = 1 << 15)
#pragma gputune problem(type T = float, double)
#pragma gputune args(out T y[n], in unsigned int index[n] = uniform(0, entries - 1),               \
                     in T table[entries], size_t n, unsigned int entries)
#pragma gputune tune(TABLE_IN = l1, shared)
#pragma gputune carveout(CARVEOUT = auto, 0, 8, 16, 32, 64, 100, 132, 164, 196, 228)
#pragma gputune vector(VEC = 1, 2, 4 : index, y)
#pragma gputune tune(BLOCK = 256, 512, 1024)
#pragma gputune tune(UNROLL = 1, 4)
#pragma gputune default(TABLE_IN = l1, CARVEOUT = auto, VEC = 1, BLOCK = 256, UNROLL = 4)
#pragma gputune block(BLOCK)
#pragma gputune shared(TABLE_IN == shared ? sizeof(T) * entries : 0)
#pragma gputune grid(min(ceil_div(n, BLOCK * VEC * UNROLL), max_blocks))
#pragma gputune work(bytes = (4 + sizeof(T)) * n + sizeof(T) * entries)
#pragma gputune reference(gather_reference, block = 256, grid = ceil_div(n, 256), rtol = 0)

#if TABLE_IN_shared
extern __shared__ T copied[];
#endif

__global__ void gather(T *__restrict__ y, const unsigned int *__restrict__ index,
                       const T *__restrict__ table, size_t n, unsigned int entries)
{
#if TABLE_IN_shared
    for (unsigned int i = threadIdx.x; i < entries; i += blockDim.x) {
        copied[i] = table[i];
    }
    __syncthreads();
    const T *from = copied;
#else
    const T *__restrict__ from = table;
#endif
    gputune_each<VEC, UNROLL>(n, [=](auto part) {
        auto at = part.template load<gputune_streamed>(index);
        auto found = part.template make<T>();
#pragma unroll
        for (int i = 0; i < part.count; i++) {
            found[i] = from[at[i]];
        }
        part.template store<gputune_streamed>(y, found);
    });
}

__global__ void gather_reference(T *y, const unsigned int *index, const T *table, size_t n,
                                 unsigned int)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = table[index[i]];
    }
}
