// The similarity of two point sets: the sum of exp(-distance² / scale) over all pairs. One kernel adds up
// the pairs of each block with CUB, another one the blocks' sums.
#include <cub/block/block_reduce.cuh>

#pragma gputune kernel(expdist)
#pragma gputune problem(m = 2000, n = 2000)
#pragma gputune args(out double sum[1], in double a[2][m], in double b[2][n], int m, int n, \
                     in double scale_a[m] = uniform(0.001, 0.03), \
                     in double scale_b[n] = uniform(0.001, 0.03))
#pragma gputune tune(block_size_x = 32, 64, 128, 256, 512)
#pragma gputune tune(block_size_y = 1, 2, 4, 8, 16, 32)
#pragma gputune tune(tile_size_x = 1, 2, 4, 8)
#pragma gputune tune(tile_size_y = 1, 2, 4, 8)
#pragma gputune tune(use_shared_mem = 0, 1)
#pragma gputune tune(reduce_block_size = 32, 64, 128, 256, 512, 1024)
#pragma gputune default(block_size_x = 32, block_size_y = 4, tile_size_x = 4, tile_size_y = 4, \
                        use_shared_mem = 1, reduce_block_size = 128)
#pragma gputune require(block_size_x * block_size_y <= 1024)
#pragma gputune scratch(double terms[ceil_div(m, block_size_x * tile_size_x) * \
                                     ceil_div(n, block_size_y * tile_size_y)])
#pragma gputune launch(cross_terms, block = (block_size_x, block_size_y), \
                       grid = (ceil_div(m, block_size_x * tile_size_x), \
                               ceil_div(n, block_size_y * tile_size_y)), \
                       args = (terms, a, b, m, n, scale_a, scale_b))
#pragma gputune launch(add_terms, block = reduce_block_size, grid = 1, args = (sum, terms, m, n))
#pragma gputune work(flops = 8 * m * n)
#pragma gputune reference(expdist_reference, block = 256, grid = 1)

constexpr int TILE_X = block_size_x * tile_size_x, TILE_Y = block_size_y * tile_size_y;

// The part of a point set that a block processes.
template <int TILE> struct points {
    double x[TILE], y[TILE], scale[TILE];
    __device__ void load(const double *from, const double *scales, int begin, int count)
    {
        const int threads = block_size_x * block_size_y;
        for (int i = threadIdx.y * block_size_x + threadIdx.x; i < TILE; i += threads) {
            if (begin + i < count) {
                x[i] = from[begin + i];
                y[i] = from[count + begin + i];
                scale[i] = scales[begin + i];
            }
        }
    }
};

GPUTUNE_INLINE double term(double ax, double ay, double bx, double by, double scale)
{
    return exp(-((ax - bx) * (ax - bx) + (ay - by) * (ay - by)) / scale);
}

__global__ void cross_terms(double *terms, const double *a, const double *b, int m, int n,
                            const double *scale_a, const double *scale_b)
{
    using reduce = cub::BlockReduce<double, block_size_x, cub::BLOCK_REDUCE_WARP_REDUCTIONS,
                                    block_size_y>;
    __shared__ typename reduce::TempStorage storage;
    const int i0 = blockIdx.x * TILE_X, j0 = blockIdx.y * TILE_Y;
#if use_shared_mem
    __shared__ points<TILE_X> mine_a;
    __shared__ points<TILE_Y> mine_b;
    mine_a.load(a, scale_a, i0, m);
    mine_b.load(b, scale_b, j0, n);
    __syncthreads();
#endif
    double sum = 0;
#pragma unroll
    for (int u = threadIdx.x; u < TILE_X; u += block_size_x) {
#pragma unroll
        for (int v = threadIdx.y; v < TILE_Y; v += block_size_y) {
            const int i = i0 + u, j = j0 + v;
            if (i < m && j < n) {
#if use_shared_mem
                sum += term(mine_a.x[u], mine_a.y[u], mine_b.x[v], mine_b.y[v],
                            mine_a.scale[u] + mine_b.scale[v]);
#else
                sum += term(a[i], a[m + i], b[j], b[n + j], scale_a[i] + scale_b[j]);
#endif
            }
        }
    }
    sum = reduce(storage).Sum(sum);
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        terms[blockIdx.y * gridDim.x + blockIdx.x] = sum;
    }
}

__global__ void add_terms(double *sum, const double *terms, int m, int n)
{
    using reduce = cub::BlockReduce<double, reduce_block_size>;
    __shared__ typename reduce::TempStorage storage;
    const int count = ((m + TILE_X - 1) / TILE_X) * ((n + TILE_Y - 1) / TILE_Y);
    double mine = 0;
    for (int i = threadIdx.x; i < count; i += reduce_block_size) {
        mine += terms[i];
    }
    mine = reduce(storage).Sum(mine);
    if (threadIdx.x == 0) {
        *sum = mine;
    }
}

__global__ void expdist_reference(double *sum, const double *a, const double *b, int m, int n,
                                  const double *scale_a, const double *scale_b)
{
    __shared__ double all;
    if (threadIdx.x == 0) {
        all = 0;
    }
    __syncthreads();
    double mine = 0;
    for (int i = threadIdx.x; i < m; i += 256) {
        for (int j = 0; j < n; j++) {
            mine += term(a[i], a[m + i], b[j], b[n + j], scale_a[i] + scale_b[j]);
        }
    }
    atomicAdd(&all, mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        *sum = all;
    }
}
