// C = alpha A B + beta C in fp32 without tensor cores, any sizes, row-major matrices
#include "gputune.cuh"

#pragma gputune kernel(gemm)
#pragma gputune problem(m = 4096)
#pragma gputune problem(n = 4096)
#pragma gputune problem(k = 4096)
#pragma gputune args(inout float c[m][n], in float a[m][k], in float b[k][n], unsigned int m, \
                     unsigned int n, unsigned int k, float alpha = 1.5, float beta = 0.5)
// A block computes BM x BN elements of C, and each thread 8 x TN of these, in steps of 16 along k.
#pragma gputune tune(BM = 64, 128)
#pragma gputune tune(BN = 64, 128, 256)
#pragma gputune tune(TN = 4, 8)
// STAGES tiles of A and B are in shared memory at once. They are copied asynchronously, or through
// registers if STAGES is 1. A's tile is stored by columns if STEP is 1, and by rows as in memory if
// STEP is 4. A thread loads STEP elements of each of its rows at a time.
#pragma gputune tune(STAGES = 1, 2, 3, 4)
#pragma gputune tune(STEP = 1, 4)
#pragma gputune vector(VK = 1, 2, 4 : a)
#pragma gputune vector(VN = 1, 2, 4 : b, c)
#pragma gputune tune(WARPS = 8, 12, 16) // resident warps of an SM, which limit the registers
// GROUP rows of tiles are computed together, so they share data in the L2 cache. The SPLIT blocks of a
// cluster split k, and add up their sums in distributed shared memory.
#pragma gputune tune(GROUP = 1, 4, 16)
#pragma gputune cluster(SPLIT = 1, 2, 4, 8)
#pragma gputune default(BM = 64, BN = 128, TN = 8, WARPS = 12, GROUP = 16)
#pragma gputune define(TM = 8, BK = 16, IS_SPLIT = SPLIT > 1)
#pragma gputune require(block_x >= 64 && block_x <= 512 && WARPS * warp_size % block_x == 0)
#pragma gputune require(BM * BK % (VK * block_x) == 0)
#pragma gputune require(STAGES > 1 ? cc >= 80 && VK <= STEP : STEP == 1)
// Accesses must be as wide as the row length allows. The exceptions are accesses to single elements
// if A's tile is stored by columns, and for unaligned buffers.
#pragma gputune require(VK == 4 || k % (2 * VK) != 0 || VK * STEP == 1)
#pragma gputune require(VN == 4 || n % (2 * VN) != 0 || VN * VK * STEP * STAGES == 1)
#pragma gputune require(TM * TN + 2 * (TM * STEP + TN) + 24 + \
                        (STAGES > 1 ? 0 : BK * (BM + BN) / block_x) \
                        <= registers_per_sm / warp_size / WARPS)
#pragma gputune block(BM / TM * (BN / TN))
#pragma gputune launch_bounds(BM / TM * (BN / TN), WARPS * 32 * TM * TN / (BM * BN))
#pragma gputune grid(min(GROUP, ceil_div(m, BM)) * SPLIT, ceil_div(n, BN), \
                     ceil_div(ceil_div(m, BM), min(GROUP, ceil_div(m, BM))))
#pragma gputune shared(4 * max(SPLIT > 1 ? BM * BN : 0, \
                               STAGES * (BK * (BM + BN) + (STEP > 1 ? 4 * BM : max(32, 4 * BK / VK)))))
#pragma gputune work(bytes = 4 * (m * k + k * n + 2 * m * n), flops = 2 * m * n * k)
#pragma gputune reference(gemm_reference, block = 16, 16, grid = ceil_div(n, 64), ceil_div(m, 64), \
                          rtol = 1e-6, stol = 2e-7 * sqrt(k))

constexpr int THREADS = BM / TM * (BN / TN), LANES_M = 4, LANES_N = 8; // a warp has LANES_M x LANES_N threads
constexpr int A_LOADS = BM * BK / VK / THREADS, B_LOADS = BK * BN / VN / THREADS; // of a thread
constexpr bool ASYNC = STAGES > 1;
constexpr int AHEAD = ASYNC ? STAGES - 1 : 1; // number of tiles being copied
// Extra distance between columns of A's tile that a warp stores at once, to avoid bank conflicts.
constexpr int SHIFT = 32 * VK / BK < 4 ? 4 : 32 * VK / BK;
constexpr int A_PADDING = STEP > 1 ? 4 * BM : BK / VK * SHIFT;
constexpr int A_TILE = BK * BM + A_PADDING, SLOT = A_TILE + BK * BN; // in floats

// Hides a value from the compiler, so an addition to it stays an addition.
GPUTUNE_INLINE void keep(int &value)
{
    asm volatile("" : "+r"(value));
}

extern __shared__ __align__(16) float staged[]; // STAGES slots, each with a tile of A and of B

// Returns the index of an element of A's tile in its slot. Elements that a warp stores or loads at
// once are in different banks.
GPUTUNE_INLINE int place_of(int row, int depth)
{
    return STEP > 1 ? row * (BK + 4) + depth : depth * BM + row + depth / VK * SHIFT;
}

// ---- From global to shared memory -----------------------------------------------------------

// Copies W floats to shared memory asynchronously; zeros if `inside` is false.
template <int W> GPUTUNE_INLINE void copy_async(float *to, const float *from, bool inside)
{
    const unsigned int at = __cvta_generic_to_shared(to), bytes = inside ? 4 * W : 0;
    if constexpr (W == 4) {
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(at), "l"(from),
                     "r"(bytes)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from),
                     "n"(4 * W), "r"(bytes)
                     : "memory");
    }
}

// A thread's part in copying successive tiles. The first tile may be shorter than BK along k and is
// padded with zeros; all other tiles are complete. The last row or column is repeated beyond C's edge.
struct stager {
    const float *a, *b; // beginning of the next tile
    unsigned int n;
    int slot;
    unsigned int a_from[A_LOADS], b_from[B_LOADS];

    // The elements of a tile that a thread copies through its registers.
    struct held {
        gputune_vector<float, VK> a[A_LOADS];
        gputune_vector<float, VN> b[B_LOADS];
    };

    // Position of the thread's first access to a tile, and offset of the i-th access.
    static constexpr int A_ACROSS = BK / VK, B_ACROSS = BN / VN, A_DOWN = THREADS / A_ACROSS;
    int a_row, a_depth, a_to, b_to;

    GPUTUNE_INLINE stager(const float *a, const float *b, unsigned int rows, unsigned int columns,
                          unsigned int n, unsigned int k)
        : a(a), b(b), n(n), slot(0), a_row(threadIdx.x / A_ACROSS),
          a_depth(threadIdx.x % A_ACROSS * VK), a_to(place_of(a_row, a_depth)),
          b_to(threadIdx.x * VN)
    {
        keep(a_to);
        keep(b_to);
#pragma unroll
        for (int i = 0; i < A_LOADS; i++) {
            a_from[i] = min(a_row + i * A_DOWN, rows - 1) * k + a_depth;
        }
#pragma unroll
        for (int i = 0; i < B_LOADS; i++) {
            b_from[i] = b_depth(i) * n + min(b_column(i), columns - VN);
        }
    }
    static GPUTUNE_INLINE unsigned int b_depth(int i)
    {
        return threadIdx.x / B_ACROSS + i * THREADS / B_ACROSS;
    }
    static GPUTUNE_INLINE unsigned int b_column(int i)
    {
        return (threadIdx.x % B_ACROSS + i * THREADS % B_ACROSS) * VN;
    }

    // Starts to fetch a tile: a complete tile (WHOLE), or a tile with `depth` elements along k.
    template <bool WHOLE> GPUTUNE_INLINE void fetch(held &here, int depth)
    {
        float *to = staged + slot;
#pragma unroll
        for (int i = 0; i < A_LOADS; i++) {
            const bool inside = WHOLE || a_depth < depth;
            if constexpr (ASYNC) {
                // if A's tile is stored by columns, VK is 1
                copy_async<VK>(to + a_to + place_of(i * A_DOWN, 0), a + a_from[i], inside);
            } else {
                here.a[i] = inside ? gputune_load<VK>(a + a_from[i]) : gputune_vector<float, VK>{};
            }
        }
#pragma unroll
        for (int i = 0; i < B_LOADS; i++) {
            const bool inside = WHOLE || b_depth(i) < depth;
            if constexpr (ASYNC) {
                copy_async<VN>(to + A_TILE + b_to + i * THREADS * VN, b + b_from[i], inside);
            } else {
                here.b[i] = inside ? gputune_load<VN>(b + b_from[i]) : gputune_vector<float, VN>{};
            }
        }
        a += depth;
        b += size_t(depth) * n;
    }
    // Completes a fetch if there is one.
    GPUTUNE_INLINE void commit()
    {
        if constexpr (ASYNC) {
            asm volatile("cp.async.commit_group;" ::: "memory");
            slot = slot == (STAGES - 1) * SLOT ? 0 : slot + SLOT;
        }
    }
    // Waits until the oldest tile being copied, if any, is visible to all threads, and all threads
    // have finished the previous tile.
    GPUTUNE_INLINE void arrive(const held &here, bool is_one)
    {
        if constexpr (ASYNC) {
            asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1) : "memory");
        } else {
            __syncthreads();
            if (is_one) {
                store(here);
            }
        }
        __syncthreads();
    }
    GPUTUNE_INLINE void store(const held &here) const
    {
        float *to = staged + slot;
#pragma unroll
        for (int i = 0; i < A_LOADS; i++) {
            if constexpr (STEP > 1) {
                gputune_store<VK>(to + a_to + place_of(i * A_DOWN, 0), here.a[i]);
            } else {
#pragma unroll
                for (int d = 0; d < VK; d++) {
                    to[a_to + place_of(i * A_DOWN, d)] = here.a[i].data[d];
                }
            }
        }
#pragma unroll
        for (int i = 0; i < B_LOADS; i++) {
            gputune_store<VN>(to + A_TILE + b_to + i * THREADS * VN, here.b[i]);
        }
    }
};

// ---- From shared memory to registers, and the sums ------------------------------------------

// The rows and columns of the block's tile that a thread computes: groups of four, or single rows if
// A's tile is stored by rows. They alternate with the rows and columns of the warp's other lanes.
struct position {
    int row, column; // the thread's first row and column
    int a, b;        // index of the first row in A's tile, and of the first column in B's

    GPUTUNE_INLINE position()
    {
        constexpr int WARPS_N = BN / (TN * LANES_N);
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        row = warp / WARPS_N * (TM * LANES_M) + lane / LANES_N * (STEP > 1 ? 1 : 4);
        column = warp % WARPS_N * (TN * LANES_N) + lane % LANES_N * 4;
        a = place_of(row, 0);
        b = column;
        keep(a);
        keep(b);
    }
    // Return the offset of the thread's i-th row, and of its j-th column.
    static GPUTUNE_INLINE int down(int i)
    {
        return STEP > 1 ? i * LANES_M : i / 4 * (4 * LANES_M) + i % 4;
    }
    static GPUTUNE_INLINE int right(int j)
    {
        return j / 4 * (4 * LANES_N) + j % 4;
    }
};

// A thread's operands for one step along k.
struct fragment {
    float a[TM][STEP], b[STEP][TN];

    GPUTUNE_INLINE void load(const float *tile, const position &mine, int depth)
    {
        if constexpr (STEP > 1) {
#pragma unroll
            for (int i = 0; i < TM; i++) {
                const auto deep = gputune_load<STEP>(tile + mine.a + place_of(mine.down(i), depth));
#pragma unroll
                for (int s = 0; s < STEP; s++) {
                    a[i][s] = deep[s];
                }
            }
        } else {
#pragma unroll
            for (int i = 0; i < TM; i += 4) {
                const auto quad = gputune_load<4>(tile + mine.a + place_of(mine.down(i), depth));
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    a[i + r][0] = quad[r];
                }
            }
        }
#pragma unroll
        for (int s = 0; s < STEP; s++) {
#pragma unroll
            for (int j = 0; j < TN; j += 4) {
                const auto quad =
                    gputune_load<4>(tile + A_TILE + mine.b + (depth + s) * BN + mine.right(j));
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    b[s][j + r] = quad[r];
                }
            }
        }
    }
    // Alternates the direction of the columns, so successive products often share an operand.
    GPUTUNE_INLINE void multiply(float sums[TM][TN]) const
    {
#pragma unroll
        for (int s = 0; s < STEP; s++) {
#pragma unroll
            for (int i = 0; i < TM; i++) {
#pragma unroll
                for (int j = 0; j < TN; j++) {
                    const int to = i % 2 ? TN - 1 - j : j;
                    sums[i][to] += a[i][s] * b[s][to];
                }
            }
        }
    }
};

// Adds the products of `tiles` tiles to the sums. The first tile has `depth` elements along k.
GPUTUNE_INLINE void accumulate(float sums[TM][TN], stager &stage, const position &mine,
                               unsigned int tiles, unsigned int depth)
{
    stager::held first;
    stage.fetch<false>(first, depth);
    stage.commit();
#pragma unroll
    for (int ahead = 1; ahead < AHEAD; ahead++) {
        if (ahead < tiles) {
            stage.fetch<true>(first, BK);
        }
        stage.commit();
    }
    stage.arrive(first, true);
    fragment parts[2]; // one fragment is multiplied while the other is loaded
    int slot = 0;
    parts[0].load(staged, mine, 0);
#pragma unroll 1
    for (unsigned int tile = 0; tile < tiles; tile++) {
        stager::held next;
        const bool more = tile + AHEAD < tiles;
        if (more) {
            stage.fetch<true>(next, BK);
        }
        stage.commit();
#pragma unroll
        for (int step = 1; step < BK / STEP; step++) {
            parts[step % 2].load(staged + slot, mine, step * STEP);
            parts[(step + 1) % 2].multiply(sums);
        }
        stage.arrive(next, more);
        slot = slot == (STAGES - 1) * SLOT ? 0 : slot + SLOT;
        // the load of the next tile's first fragment overlaps with this tile's last products
        parts[0].load(staged + slot, mine, 0);
        parts[1].multiply(sums);
    }
}

// ---- The tile of C --------------------------------------------------------------------------

GPUTUNE_INLINE void update(float *c, gputune_vector<float, VN> sum, float alpha, float beta)
{
#pragma unroll
    for (int i = 0; i < VN; i++) {
        sum[i] *= alpha;
    }
    if (beta != 0) {
        const auto old = gputune_load<VN>(c);
#pragma unroll
        for (int i = 0; i < VN; i++) {
            sum[i] += beta * old[i];
        }
    }
    gputune_store<VN>(c, sum);
}

// Calls body(row, column, sums of VN columns) for all elements that a thread computes.
template <typename BODY>
GPUTUNE_INLINE void each_sum(const float sums[TM][TN], const position &mine, BODY body)
{
#pragma unroll
    for (int i = 0; i < TM; i++) {
#pragma unroll
        for (int j = 0; j < TN; j += VN) {
            gputune_vector<float, VN> some;
#pragma unroll
            for (int r = 0; r < VN; r++) {
                some[r] = sums[i][j + r];
            }
            body(mine.row + mine.down(i), mine.column + mine.right(j), some);
        }
    }
}

// Updates this block's part of the tile with its sums and those of the cluster's other blocks. C is
// loaded while the blocks wait for each other.
template <int RANKS, typename INSIDE>
GPUTUNE_INLINE void update_together(float *c, unsigned int n, float alpha, float beta,
                                    const float sums[TM][TN], const position &mine, INSIDE inside)
{
    constexpr int PART = BM * BN / RANKS, EACH = PART / THREADS / VN, AT_ONCE = EACH < 8 ? EACH : 8;
    const int first = gputune_cluster_rank() * PART + threadIdx.x * VN;
    __syncthreads();
    each_sum(sums, mine, [](int row, int column, auto some) {
        gputune_store<VN>(staged + row * BN + column, some);
    });
#pragma unroll 1
    for (int done = 0; done < EACH; done += AT_ONCE) {
        gputune_vector<float, VN> old[AT_ONCE] = {};
        if (beta != 0) {
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                const int at = first + (done + i) * THREADS * VN, row = at / BN, column = at % BN;
                if (inside(row, column)) {
                    old[i] = gputune_load<VN>(c + size_t(row) * n + column);
                }
            }
        }
        if (done == 0) {
            gputune_cluster_sync();
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const int at = first + (done + i) * THREADS * VN, row = at / BN, column = at % BN;
            gputune_vector<float, VN> sum = {};
#pragma unroll
            for (int rank = 0; rank < RANKS; rank++) {
                const auto some = gputune_load<VN>(gputune_cluster_map(staged, rank) + at);
#pragma unroll
                for (int r = 0; r < VN; r++) {
                    sum[r] += some[r];
                }
            }
#pragma unroll
            for (int r = 0; r < VN; r++) {
                sum[r] = alpha * sum[r] + beta * old[i][r];
            }
            if (inside(row, column)) {
                gputune_store<VN>(c + size_t(row) * n + column, sum);
            }
        }
    }
    gputune_cluster_sync(); // no block may end while other blocks read its sums
}

__global__ void gemm(float *__restrict__ c, const float *__restrict__ a,
                     const float *__restrict__ b, unsigned int m, unsigned int n, unsigned int k,
                     float alpha, float beta)
{
    // The number of the cluster's blocks is a power of two. It is not compiled in, so one code serves
    // all values of SPLIT that are greater than 1.
    const unsigned int ranks = IS_SPLIT ? gputune_cluster_size() : 1, shift = __popc(ranks - 1);
    // Dimensions of the grid: x is a row of tiles within its group, y a column, and z a group.
    const uint2 tile = make_uint2(
        blockIdx.y * BN, (blockIdx.z * (gridDim.x >> shift) + (blockIdx.x >> shift)) * BM);
    if (tile.y >= m) {
        return;
    }
    const unsigned int rows = m - tile.y, columns = n - tile.x; // distance to the end of C
    // The first tile has the remainder of k / BK, so all other tiles are complete.
    const unsigned int tiles = (k + BK - 1) / BK, over = k - (tiles - 1) * BK;
    const unsigned int share = (tiles + ranks - 1) >> shift;
    const unsigned int first = (IS_SPLIT ? gputune_cluster_rank() : 0) * share;
    const unsigned int depth = first ? over + (first - 1) * BK : 0;

    const position mine;
    float sums[TM][TN] = {};
    if (!IS_SPLIT || first < tiles) {
        stager stage(a + size_t(tile.y) * k + depth, b + size_t(depth) * n + tile.x, rows, columns,
                     n, k);
        accumulate(sums, stage, mine, min(share, tiles - first), first ? BK : over);
    }
    const auto inside = [=](unsigned int row, unsigned int column) {
        return row < rows && column < columns;
    };
    if constexpr (IS_SPLIT) {
        float *const corner = c + size_t(tile.y) * n + tile.x;
        if (ranks == 2) {
            update_together<2>(corner, n, alpha, beta, sums, mine, inside);
        } else if (ranks == 4) {
            update_together<4>(corner, n, alpha, beta, sums, mine, inside);
        } else {
            update_together<8>(corner, n, alpha, beta, sums, mine, inside);
        }
    } else {
        each_sum(sums, mine, [=](unsigned int row, unsigned int column, auto sum) {
            if (inside(row, column)) {
                update(c + size_t(tile.y + row) * n + tile.x + column, sum, alpha, beta);
            }
        });
    }
}

// A thread computes 4 x 4 elements that are 16 rows or columns apart.
__global__ void gemm_reference(double *c, const float *a, const float *b, unsigned int m,
                               unsigned int n, unsigned int k, float alpha, float beta,
                               double *scale)
{
    const unsigned int row = blockIdx.y * 64 + threadIdx.y, column = blockIdx.x * 64 + threadIdx.x;
    double sum[4][4] = {}, size[4][4] = {};
    for (unsigned int d = 0; d < k; d++) {
        double x[4], y[4];
        for (int i = 0; i < 4; i++) {
            x[i] = a[size_t(min(row + 16 * i, m - 1)) * k + d];
            y[i] = b[size_t(d) * n + min(column + 16 * i, n - 1)];
        }
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                sum[i][j] += x[i] * y[j];
                size[i][j] += fabs(x[i] * y[j]);
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            if (row + 16 * i < m && column + 16 * j < n) {
                const size_t at = size_t(row + 16 * i) * n + column + 16 * j;
                const double old = beta * c[at];
                c[at] = alpha * sum[i][j] + old;
                scale[at] = fabs(alpha) * size[i][j] + fabs(old);
            }
        }
    }
}
