// Divides each element by the sum of all. Clusters add up parts, which a cooperative kernel adds up
#include "gputune.cuh"

#pragma gputune kernel(shares)
#pragma gputune problem(n = 4096)
#pragma gputune args(inout float y[n] = uniform(1, 2), int n)
#pragma gputune tune(BLOCK = 64, 128) tune(SIZE = 1, 2, 4, 32) scratch(float sums[17])
#pragma gputune launch(add, block = BLOCK, grid = 15, cluster = SIZE, args = (sums, y, n))
#pragma gputune launch(share, block = BLOCK, grid = min(ceil_div(n, BLOCK), 8 * sm_count), cooperative = 1)
#pragma gputune reference(self, SIZE = 1, BLOCK = 64)

__global__ void add(float *sums, const float *y, int n)
{
    __shared__ float sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        atomicAdd(&sum, y[i]);
    }
    gputune_cluster_sync();
    if (gputune_cluster_rank() == 0 && threadIdx.x == 0) {
        float all = sum;
        for (unsigned int rank = 1; rank < gputune_cluster_size(); rank++) {
            all += *gputune_cluster_map(&sum, rank);
        }
        sums[gputune_cluster_index()] = all;
    }
    gputune_cluster_sync();
}

__global__ void share(float *y, int n, float *sums)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        float total = 0;
        for (int c = 0; c < (15 + SIZE - 1) / SIZE; c++) {
            total += sums[c];
        }
        sums[16] = total;
    }
    gputune_grid_sync();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        y[i] /= sums[16];
    }
}
