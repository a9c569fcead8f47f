// counts[k] = number of keys equal to k: bins in a cluster's shared memory, or in global memory
#include "gputune.cuh"

#pragma gputune kernel(histogram)
#pragma gputune problem(n = 1 << 26)
#pragma gputune problem(bins = 1 << 16)
#pragma gputune args(out unsigned int counts[bins], in unsigned int keys[n] = uniform(0, bins - 1), \
                     size_t n, unsigned int bins)
#pragma gputune tune(BINS_IN = shared, global)
#pragma gputune cluster(CLUSTER = 1, 2, 4, 8, 16)
#pragma gputune carveout(CARVEOUT = auto, 100, 228)
#pragma gputune vector(VEC = 1, 4 : keys)
#pragma gputune tune(BLOCK = 256, 512, 1024)
#pragma gputune tune(BLOCKS = 1, 2, 4) // per SM
#pragma gputune default(BINS_IN = global, CLUSTER = 1, VEC = 1, BLOCK = 256, BLOCKS = 4)
#pragma gputune require(BINS_IN == shared || CLUSTER == 1)
#pragma gputune require(BINS_IN == shared || CARVEOUT == auto)
#pragma gputune require((CLUSTER & (CLUSTER - 1)) == 0)
#pragma gputune block(BLOCK)
#pragma gputune shared(BINS_IN == shared ? 4 * ceil_div(bins, CLUSTER) : 0)
#pragma gputune grid(min(ceil_div(n, BLOCK * VEC), sm_count * BLOCKS))
#pragma gputune clear(counts)
#pragma gputune work(bytes = 4 * n + 4 * bins)
#pragma gputune reference(histogram_reference, block = 256, grid = min(ceil_div(n, 256), 16384))

#if BINS_IN_shared

extern __shared__ unsigned int own_counts[];

// Bin k is bin k / size of block k % size of the cluster, so neighbours are in different blocks.
__global__ void histogram(unsigned int *counts, const unsigned int *__restrict__ keys, size_t n,
                          unsigned int bins)
{
    const unsigned int size = gputune_cluster_size();
    const unsigned int shift = __popc(size - 1);
    const unsigned int own = (bins + size - 1) >> shift;
    for (unsigned int i = threadIdx.x; i < own; i += blockDim.x) {
        own_counts[i] = 0;
    }
    gputune_cluster_sync();
    gputune_each<VEC, 1>(n, [=](auto part) {
        auto key = part.template load<gputune_streamed>(keys);
#pragma unroll
        for (int i = 0; i < part.count; i++) {
            unsigned int *counts_there = gputune_cluster_map(own_counts, key[i] & (size - 1));
            atomicAdd(counts_there + (key[i] >> shift), 1u);
        }
    });
    gputune_cluster_sync();
    const unsigned int rank = gputune_cluster_rank();
    for (unsigned int i = threadIdx.x; i < own; i += blockDim.x) {
        if (own_counts[i] > 0) {
            atomicAdd(&counts[(i << shift) + rank], own_counts[i]);
        }
    }
}

#else

__global__ void histogram(unsigned int *counts, const unsigned int *__restrict__ keys, size_t n,
                          unsigned int)
{
    gputune_each<VEC, 1>(n, [=](auto part) {
        auto key = part.template load<gputune_streamed>(keys);
#pragma unroll
        for (int i = 0; i < part.count; i++) {
            atomicAdd(&counts[key[i]], 1u);
        }
    });
}

#endif

__global__ void histogram_reference(unsigned int *counts, const unsigned int *keys, size_t n,
                                    unsigned int)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i < n; i += size_t(gridDim.x) * blockDim.x) {
        atomicAdd(&counts[keys[i]], 1u);
    }
}
