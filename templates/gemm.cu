// C = alpha A B + beta C in fp32 without tensor cores, any sizes, all stored by rows
#include "gputune.cuh"

#pragma gputune kernel(gemm)
#pragma gputune problem(m = 4096)
#pragma gputune problem(n = 4096)
#pragma gputune problem(k = 4096)
#pragma gputune args(inout float c[m][n], in float a[m][k], in float b[k][n], unsigned int m, \
                     unsigned int n, unsigned int k, float alpha = 1.5, float beta = 0.5)
// A block makes BM x BN elements of C, a thread TM x TN of them, BK deep at a time.
#pragma gputune tune(BM = 64, 128, 256)
#pragma gputune tune(BN = 64, 128, 256)
#pragma gputune tune(TM = 4, 8, 16)
#pragma gputune tune(TN = 4, 8, 16)
#pragma gputune tune(BK = 8, 16, 32)
// Tiles of A and B go to shared memory through registers or by asynchronous copies, and STAGES of
// them are there at once. A's lies there by columns, or by rows as it comes. SPREAD keeps apart what
// a warp stores or loads at once, so that it goes through different banks.
#pragma gputune tune(STAGING = registers, async)
#pragma gputune tune(STAGES = 1, 2, 3, 4)
#pragma gputune tune(A_IN = columns, rows)
#pragma gputune tune(SPREAD = none, padded, swizzled)
#pragma gputune vector(VK = 1, 2, 4 : a)
#pragma gputune vector(VN = 1, 2, 4 : b, c)
// A thread loads fragments of them, STEP deep; with two, the next while it multiplies the first.
// A warp is LANES_M x 32 / LANES_M threads, numbered by rows or in pairs.
#pragma gputune tune(STEP = 1, 2, 4)
#pragma gputune tune(FRAGMENTS = 1, 2)
#pragma gputune tune(LANES_M = 4, 8)
#pragma gputune tune(LANES_BY = rows, pairs)
#pragma gputune tune(WARPS = 8, 12, 16, 24) // that a multiprocessor is to hold: limits registers
// GROUP rows of tiles are made together, for the level 2 cache. The blocks of a cluster split the
// depth, and add up what they have in distributed shared memory.
#pragma gputune tune(GROUP = 1, 4, 16)
#pragma gputune cluster(SPLIT = 1, 2, 4, 8)
#pragma gputune default(BM = 64, BN = 128, TM = 8, TN = 8, BK = 16, STAGES = 1, SPREAD = padded, \
                        FRAGMENTS = 2, LANES_M = 8, LANES_BY = pairs, WARPS = 12, GROUP = 16)
#pragma gputune require(TM * TN >= 32 && TM * TN <= 128)
#pragma gputune require(BM % (TM * LANES_M) == 0 && BN % (TN * (32 / LANES_M)) == 0)
#pragma gputune require(block_x >= 64 && block_x <= 512)
#pragma gputune require(TM * TN * BK <= 2048) // the loop's code fits in the instruction cache
#pragma gputune require(BM * BK % (VK * block_x) == 0 && BK * BN % (VN * block_x) == 0)
#pragma gputune require(STAGING == async ? cc >= 80 && STAGES >= 2 : STAGES <= 2)
#pragma gputune require(A_IN == rows ? STEP >= 4 / FRAGMENTS && SPREAD != none : STEP == 1)
#pragma gputune require(A_IN == rows || STAGING == registers || VK == 1)
#pragma gputune require(WARPS * warp_size % block_x == 0)
#pragma gputune require(TM * TN + FRAGMENTS * (TM * STEP + TN) + 24 + \
                        (STAGING == async ? 0 : BK * (BM + BN) / block_x) \
                        <= registers_per_sm / warp_size / WARPS)
#pragma gputune block(BM / TM * (BN / TN))
#pragma gputune launch_bounds(BM / TM * (BN / TN), WARPS * 32 * TM * TN / (BM * BN))
#pragma gputune grid(ceil_div(m, BM) * ceil_div(n, BN) * SPLIT)
#pragma gputune shared(4 * max(STAGES * (BK * (BM + BN) + (SPREAD != padded ? 0 : A_IN == rows ? 4 * BM \
                                                           : max(32, 4 * BK / VK))), \
                               SPLIT > 1 ? BM * BN : 0))
#pragma gputune work(bytes = 4 * (m * k + k * n + 2 * m * n), flops = 2 * m * n * k)
#pragma gputune reference(gemm_reference, block = 16, 16, grid = ceil_div(n, 64), ceil_div(m, 64), \
                          rtol = 1e-6, stol = 2e-7 * sqrt(k))

constexpr int THREADS = BM / TM * (BN / TN), LANES_N = 32 / LANES_M;
constexpr int A_LOADS = BM * BK / VK / THREADS, B_LOADS = BK * BN / VN / THREADS; // a thread's
constexpr int AHEAD = STAGING_async ? STAGES - 1 : 1; // tiles on their way
// How far columns are moved that a warp stores at once, so that each goes through other banks.
constexpr int SHIFT = 32 * VK / BK < 4 ? 4 : 32 * VK / BK;
constexpr int PADDING = !SPREAD_padded ? 0 : A_IN_rows ? 4 * BM : BK / VK * SHIFT;
constexpr int A_TILE = BK * BM + PADDING, SLOT = A_TILE + BK * BN; // in floats

// Hides where a value comes from, so that what is added to it stays an addition.
GPUTUNE_INLINE void keep(int &value)
{
    asm volatile("" : "+r"(value));
}

extern __shared__ __align__(16) float staged[]; // STAGES slots, each for a tile of A and one of B

// Where an element of A's tile lies in its slot.
GPUTUNE_INLINE int place_of(int row, int depth)
{
    if constexpr (A_IN_columns) {
        const int shift = depth / VK * SHIFT;
        return depth * BM + (SPREAD_padded     ? row + shift
                             : SPREAD_swizzled ? row ^ shift % 32
                                               : row);
    } else {
        return SPREAD_padded ? row * (BK + 4) + depth : row * BK + (depth ^ row * BK / 32 * 4 % BK);
    }
}

// An element of A's tile: what lies a number of rows and columns from it is at its place plus a
// constant, which an address takes for nothing; but not where it is swizzled.
struct element {
    int row, depth, place;

    GPUTUNE_INLINE element(int row, int depth) : row(row), depth(depth), place(place_of(row, depth))
    {
        keep(SPREAD_swizzled ? this->row : place);
    }
    GPUTUNE_INLINE int beyond(int rows, int depths) const
    {
        return SPREAD_swizzled ? place_of(row + rows, depth + depths)
                               : place + place_of(rows, depths);
    }
};

// ---- From global to shared memory -----------------------------------------------------------

// W floats, or zeros from nowhere.
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

// A thread's part in moving one tile after the other. The first may be less than BK deep: what it
// lacks is zero, and all others are whole. Rows and columns beyond C's edge are copies of the last.
struct stager {
    const float *a, *b; // the next tile to fetch
    unsigned int n;
    int slot;
    unsigned int a_from[A_LOADS], b_from[B_LOADS];

    // What is on its way through registers.
    struct held {
        gputune_vector<float, VK> a[A_LOADS];
        gputune_vector<float, VN> b[B_LOADS];
    };

    // The thread's first access of a tile, and how far down or right the i-th is.
    static constexpr int A_ACROSS = BK / VK, B_ACROSS = BN / VN, A_DOWN = THREADS / A_ACROSS;
    element a_to;
    int b_to;

    GPUTUNE_INLINE stager(const float *a, const float *b, unsigned int rows, unsigned int columns,
                          unsigned int n, unsigned int k)
        : a(a), b(b), n(n), slot(0), a_to(threadIdx.x / A_ACROSS, threadIdx.x % A_ACROSS * VK),
          b_to(threadIdx.x * VN)
    {
        keep(b_to);
#pragma unroll
        for (int i = 0; i < A_LOADS; i++) {
            a_from[i] = min(a_to.row + i * A_DOWN, rows - 1) * k + a_to.depth;
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
    GPUTUNE_INLINE void next_slot()
    {
        slot = slot == (STAGES - 1) * SLOT ? 0 : slot + SLOT;
    }

    // Begins to fetch a tile: a whole one, or one of that depth.
    template <bool WHOLE> GPUTUNE_INLINE void fetch(held &here, int depth)
    {
        float *to = staged + slot;
#pragma unroll
        for (int i = 0; i < A_LOADS; i++) {
            const bool inside = WHOLE || a_to.depth < depth;
            if constexpr (STAGING_async) {
                // columns come one by one (VK = 1)
                copy_async<VK>(to + a_to.beyond(i * A_DOWN, 0), a + a_from[i], inside);
            } else {
                here.a[i] = inside ? gputune_load<VK>(a + a_from[i]) : gputune_vector<float, VK>{};
            }
        }
#pragma unroll
        for (int i = 0; i < B_LOADS; i++) {
            const bool inside = WHOLE || b_depth(i) < depth;
            if constexpr (STAGING_async) {
                copy_async<VN>(to + A_TILE + b_to + i * THREADS * VN, b + b_from[i], inside);
            } else {
                here.b[i] = inside ? gputune_load<VN>(b + b_from[i]) : gputune_vector<float, VN>{};
            }
        }
        a += depth;
        b += size_t(depth) * n;
    }
    // Ends a fetch, or none.
    GPUTUNE_INLINE void commit()
    {
        if constexpr (STAGING_async) {
            asm volatile("cp.async.commit_group;" ::: "memory");
            next_slot();
        }
    }
    // Waits until the oldest tile on its way, if there is one, is there for all threads, and all
    // have left the one before it.
    GPUTUNE_INLINE void arrive(const held &here, bool is_one)
    {
        if constexpr (STAGING_async) {
            asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1) : "memory");
        } else {
            if constexpr (STAGES == 1) {
                __syncthreads();
            }
            if (is_one) {
                store(here);
            }
            next_slot();
        }
        __syncthreads();
    }
    GPUTUNE_INLINE void store(const held &here) const
    {
        float *to = staged + slot;
#pragma unroll
        for (int i = 0; i < A_LOADS; i++) {
            if constexpr (A_IN_columns) {
#pragma unroll
                for (int d = 0; d < VK; d++) {
                    to[a_to.beyond(i * A_DOWN, d)] = here.a[i].data[d];
                }
            } else {
                gputune_store<VK>(to + a_to.beyond(i * A_DOWN, 0), here.a[i]);
            }
        }
#pragma unroll
        for (int i = 0; i < B_LOADS; i++) {
            gputune_store<VN>(to + A_TILE + b_to + i * THREADS * VN, here.b[i]);
        }
    }
};

// ---- From shared memory to registers, and the sums ------------------------------------------

// A thread's rows and columns of the block's tile: quads that the other lanes' lie between, so that
// a warp loads neighbours; rows one by one where A's tile lies by rows.
struct position {
    element a;
    int b; // its first column

    GPUTUNE_INLINE position()
        : a(warp() / WARPS_N * (TM * LANES_M) + lane_m() * (A_IN_columns ? 4 : 1), 0),
          b(warp() % WARPS_N * (TN * LANES_N) + lane_n() * 4)
    {
        keep(b);
    }
    // by pairs: rows take the lane's lowest bit and its highest ones
    static constexpr int WARPS_N = BN / (TN * LANES_N);
    static GPUTUNE_INLINE int warp()
    {
        return threadIdx.x / 32;
    }
    static GPUTUNE_INLINE int lane_m()
    {
        const int lane = threadIdx.x % 32;
        return LANES_BY_pairs ? lane / (2 * LANES_N) * 2 + lane % 2 : lane / LANES_N;
    }
    static GPUTUNE_INLINE int lane_n()
    {
        return LANES_BY_pairs ? threadIdx.x % 32 / 2 % LANES_N : threadIdx.x % LANES_N;
    }
    // How far down its i-th row is, and how far right its j-th column.
    static GPUTUNE_INLINE int down(int i)
    {
        return A_IN_columns ? i / 4 * (4 * LANES_M) + i % 4 : i * LANES_M;
    }
    static GPUTUNE_INLINE int right(int j)
    {
        return j / 4 * (4 * LANES_N) + j % 4;
    }
};

// What a thread multiplies in one step.
struct fragment {
    float a[TM][STEP], b[STEP][TN];

    GPUTUNE_INLINE void load(const float *tile, const position &mine, int depth)
    {
        if constexpr (A_IN_columns) {
#pragma unroll
            for (int i = 0; i < TM; i += 4) {
                const auto quad = gputune_load<4>(tile + mine.a.beyond(mine.down(i), depth));
#pragma unroll
                for (int r = 0; r < 4; r++) {
                    a[i + r][0] = quad[r];
                }
            }
        } else {
#pragma unroll
            for (int i = 0; i < TM; i++) {
                const auto deep = gputune_load<STEP>(tile + mine.a.beyond(mine.down(i), depth));
#pragma unroll
                for (int s = 0; s < STEP; s++) {
                    a[i][s] = deep[s];
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
    // To and fro, so that an operand of one product is often one of the next.
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

// Adds the products of `tiles` tiles, the first of them `depth` deep.
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
    constexpr int STEPS = BK / STEP, BOTH = FRAGMENTS - 1;
    fragment parts[FRAGMENTS];
    int slot = 0;
    if constexpr (BOTH) {
        parts[0].load(staged, mine, 0);
    }
#pragma unroll 1
    for (unsigned int tile = 0; tile < tiles; tile++) {
        stager::held next;
        const bool more = tile + AHEAD < tiles;
        if (more) {
            stage.fetch<true>(next, BK);
        }
        stage.commit();
#pragma unroll
        for (int step = 0; step < STEPS - BOTH; step++) {
            parts[(step + 1) % FRAGMENTS].load(staged + slot, mine, (step + BOTH) * STEP);
            parts[step % FRAGMENTS].multiply(sums);
        }
        stage.arrive(next, more);
        slot = slot == (STAGES - 1) * SLOT ? 0 : slot + SLOT;
        // a tile's last products are made while the next one's first fragment is loaded
        if constexpr (BOTH) {
            parts[0].load(staged + slot, mine, 0);
            parts[1].multiply(sums);
        }
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

// Calls body(row, column, sums of VN columns) for all that a thread has.
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
            body(mine.a.row + mine.down(i), mine.b + mine.right(j), some);
        }
    }
}

// Calls body(row, column, sums of VN columns) for this block's part of the tile, its sums added to
// those of the cluster's other blocks.
template <typename BODY>
GPUTUNE_INLINE void each_sum_of_cluster(const float sums[TM][TN], const position &mine, BODY body)
{
    __syncthreads();
    each_sum(sums, mine, [](int row, int column, auto some) {
        gputune_store<VN>(staged + row * BN + column, some);
    });
    gputune_cluster_sync();
    const int first = gputune_cluster_rank() * (BM / SPLIT * BN);
    for (int i = threadIdx.x * VN; i < BM / SPLIT * BN; i += THREADS * VN) {
        gputune_vector<float, VN> total = {};
#pragma unroll
        for (int rank = 0; rank < SPLIT; rank++) {
            const auto some = gputune_load<VN>(gputune_cluster_map(staged, rank) + first + i);
#pragma unroll
            for (int r = 0; r < VN; r++) {
                total[r] += some[r];
            }
        }
        body((first + i) / BN, i % BN, total);
    }
    gputune_cluster_sync(); // no block ends while others read its sums
}

// The tile that a block makes: GROUP rows of tiles, column by column, then the rows below.
GPUTUNE_INLINE uint2 tile_of(unsigned int index, unsigned int m, unsigned int n)
{
    const unsigned int tiles_m = (m + BM - 1) / BM, tiles_n = (n + BN - 1) / BN;
    const unsigned int above = index / (GROUP * tiles_n) * GROUP,
                       within = index % (GROUP * tiles_n);
    const unsigned int rows = min(tiles_m - above, GROUP);
    return make_uint2(within / rows * BN, (above + within % rows) * BM);
}

__global__ void gemm(float *__restrict__ c, const float *__restrict__ a,
                     const float *__restrict__ b, unsigned int m, unsigned int n, unsigned int k,
                     float alpha, float beta)
{
    const uint2 tile = tile_of(blockIdx.x / SPLIT, m, n);
    const unsigned int rows = m - tile.y, columns = n - tile.x; // to C's edges
    // The first tile takes what is over BK, so that all others are whole.
    const unsigned int tiles = (k + BK - 1) / BK, over = k - (tiles - 1) * BK;
    const unsigned int share = (tiles + SPLIT - 1) / SPLIT;
    const unsigned int first = (SPLIT > 1 ? gputune_cluster_rank() : 0) * share;
    const unsigned int depth = first ? over + (first - 1) * BK : 0;

    const position mine;
    float sums[TM][TN] = {};
    if (SPLIT == 1 || first < tiles) {
        stager stage(a + size_t(tile.y) * k + depth, b + size_t(depth) * n + tile.x, rows, columns,
                     n, k);
        accumulate(sums, stage, mine, min(share, tiles - first), first ? BK : over);
    }
    const auto put = [=](unsigned int row, unsigned int column, auto sum) {
        if (row < rows && column < columns) {
            update(c + size_t(tile.y + row) * n + tile.x + column, sum, alpha, beta);
        }
    };
    if constexpr (SPLIT == 1) {
        each_sum(sums, mine, put);
    } else {
        each_sum_of_cluster(sums, mine, put);
    }
}

// A thread makes 4 x 4 elements, 16 apart.
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
