// C = A * B^T for bfloat16 with TMA and wgmma, sums in float: only compute capability 9.0
//
// A and B are stored as rows of k elements, as in linear layers. A block stays on one SM and computes
// one tile of C after another. Its first warps copy tiles of A and B, 64 elements of k at a time,
// into a ring of STAGES slots; CONSUMERS groups of four warps compute 64 * MMAS rows and BN columns
// each. The SHARE blocks of a cluster compute tiles in the same columns: each copies a part of the
// common tile of B to all of them.
//
// In the last round, there may be fewer tiles than clusters. Such a tile is cut along k into at most
// PIECES pieces, so the round takes less time. The piece of a tile that finishes last adds up the
// sums of all pieces.
#include "gputune.cuh"
#include <cuda_bf16.h>

#pragma gputune kernel(gemm_bf16)
#pragma gputune problem(m = 4096, n = 4096, k = 4096)
#pragma gputune problem(type OUT = __nv_bfloat16, float)
#pragma gputune args(out OUT c[m][n], in __nv_bfloat16 a[m][k], in __nv_bfloat16 b[n][k],          \
                     unsigned int m, unsigned int n, unsigned int k)
#pragma gputune scratch(float parts[PIECES == 1 ? 1 : sm_count * BM * BN],                         \
                        unsigned int done[sm_count * 4 * CONSUMERS] = zero)
#pragma gputune tune(CONSUMERS = 1, 2, 3) tune(MMAS = 1, 2) tune(BN = 64, 128, 192, 256)
#pragma gputune tune(STAGES = 2, 3, 4, 5, 6, 8)
#pragma gputune tune(SHARE = 1, 2, 4) // blocks of a cluster
// TMA requires that the row length is a multiple of 16 bytes. Threads of eight warps copy any rows.
#pragma gputune tune(BY = tma, threads)
// Each warp writes C by TMA, through BUFFERS buffers of 16 rows. BUFFERS = 0: from registers.
#pragma gputune tune(BUFFERS = 0, 1, 2, 4)
#pragma gputune tune(GROUP = 1, 4, 8, 16) // rows of clusters that run together, for the L2 cache
#pragma gputune tune(PIECES = 1, 2, 4, 8) // maximum number of pieces of a last tile, cut along k
// Bytes that the L2 cache fetches on a miss; 0: only the bytes that TMA requests, which are fewer if
// rows do not begin at cache lines.
#pragma gputune tune(FETCH = 256, 0)
#pragma gputune define(BM = 64 * CONSUMERS * MMAS, CHUNK = 128 / sizeof(OUT))
#pragma gputune define(COPIERS = BY == tma ? 1 : 2) // groups of four warps that copy
// Macros for the tunables that are arguments of the kernel. One code serves several of their values.
#pragma gputune define(IS_SHARED = SHARE > 1, IS_CUT = PIECES > 1, IS_GROUPED = GROUP > 1)
#pragma gputune define(SLOTS = BY == tma ? 8 : STAGES) // number of initialised barriers, at least STAGES
#pragma gputune default(CONSUMERS = 2, BN = 128, STAGES = 4, BY = threads, GROUP = 8)
#pragma gputune require(cc == 90)
// If CONSUMERS is 3, a thread initially has 128 registers, which are too few for 256 columns.
#pragma gputune require(MMAS * BN <= (CONSUMERS == 3 ? 192 : 256))
#pragma gputune require(BY == threads ? SHARE == 1 && STAGES <= 4 && MMAS == 1 && BN <= 128 \
                                        && CONSUMERS <= 2 : k % 8 == 0)
#pragma gputune require(BY == tma || FETCH == 256)
#pragma gputune require(BUFFERS == 0 || n * sizeof(OUT) % 16 == 0)
#pragma gputune require(BUFFERS == 0 || BN / CHUNK % BUFFERS == 0)
#pragma gputune tensormap(a_map : a, box = (BM, 64), swizzle = 128, l2 = FETCH,                    \
                          strides = (round_up(k, 8)))
#pragma gputune tensormap(b_map : b, box = (BN / SHARE, 64), swizzle = 128, l2 = FETCH,            \
                          strides = (round_up(k, 8)))
#pragma gputune tensormap(c_map : c, box = (16, CHUNK), swizzle = 128,                             \
                          strides = (round_up(n, 16 / sizeof(OUT))))
#pragma gputune launch(                                                                            \
    gemm_bf16, block = 128 * (COPIERS + CONSUMERS), cluster = SHARE,                               \
    grid = min(round_up(ceil_div(m, BM), SHARE) * ceil_div(n, BN) * PIECES,                        \
               sm_count / SHARE * SHARE),                                                          \
    shared = 1024 + STAGES * (BM + BN) * 128 + CONSUMERS * 4 * BUFFERS * 2048,                     \
    args = (c, a, b, m, n, k, parts, done, a_map, b_map, c_map, STAGES, SHARE, GROUP, PIECES))
#pragma gputune work(flops = 2 * m * n * k, bytes = 2 * (m * k + n * k) + sizeof(OUT) * m * n)
// wgmma truncates sums, which float additions would round
#pragma gputune reference(gemm_reference, block = 16, 16, grid = ceil_div(n, 64), ceil_div(m, 64), \
                          rtol = sizeof(OUT) == 2 ? 4e-3 : 1e-6, stol = 1e-6 + 8e-9 * k)

typedef __nv_bfloat16 number;

constexpr int AHEAD = BY_tma; // number of slots that are still multiplied when the next slot starts
constexpr int BK = 64, A_BYTES = BM * BK * 2, STAGE_BYTES = (BM + BN) * BK * 2;

// Values of tunables that are arguments, so one code serves several values. A value that is needed
// when compiling is a constant.
struct values {
    unsigned int stages, share, group, pieces;
};

GPUTUNE_INLINE uint32_t shared_address(const void *at)
{
    return uint32_t(__cvta_generic_to_shared(at));
}

// ---- Barriers -------------------------------------------------------------------------------

GPUTUNE_INLINE void barrier_init(uint64_t *barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

GPUTUNE_INLINE void barrier_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

// Arrives at the barrier of a block of the cluster.
GPUTUNE_INLINE void barrier_arrive(uint64_t *barrier, uint32_t rank)
{
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(
                     shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

GPUTUNE_INLINE void barrier_wait(uint64_t *barrier, uint32_t parity)
{
    uint32_t done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; "
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    }
}

// Makes writes to shared memory visible to TMA and wgmma.
GPUTUNE_INLINE void publish()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- Copies ---------------------------------------------------------------------------------

GPUTUNE_INLINE void copy_in(void *to, const CUtensorMap *map, int column, int row,
                            uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
                 : "memory");
}

// Copies to the same address in the blocks of the cluster. Bit i of `blocks` stands for block i.
GPUTUNE_INLINE void copy_in_to_all(void *to, const CUtensorMap *map, int column, int row,
                                   uint64_t *barrier, uint16_t blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier)),
                 "h"(blocks)
                 : "memory");
}

GPUTUNE_INLINE void copy_out(const CUtensorMap *map, const void *from, int column, int row)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
                 ::"l"(map),
                 "r"(shared_address(from)), "r"(column), "r"(row)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until all but the last `left` copies to global memory have read their source.
template <int left> GPUTUNE_INLINE void wait_for_copies()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory");
}

// Returns the place of 16 bytes in a tile with rows of 128 bytes, swizzled as by TMA.
GPUTUNE_INLINE uint32_t swizzled(uint32_t row, uint32_t byte)
{
    return row * 128 + (byte ^ row % 8 * 16);
}

// Starts to copy ROWS rows of 64 elements, all of which begin at multiples of 16 bytes; elements after
// the end of a row are zeros.
template <int ROWS>
GPUTUNE_INLINE void copy_sixteens(unsigned char *to, const number *from, unsigned int first,
                                  unsigned int rows, unsigned int k, unsigned int column)
{
    const unsigned int at = column + threadIdx.x % 8 * 8;
#pragma unroll
    for (int i = threadIdx.x / 8; i < ROWS; i += 16 * COPIERS) {
        const number *row = from + size_t(min(first + i, rows - 1)) * k;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                         shared_address(to + swizzled(i, threadIdx.x % 8 * 16))),
                     "l"(row + (at < k ? at : 0)), "r"(at < k ? 16 : 0)
                     : "memory");
    }
}

// Waits for all but the last `left` slots of this thread's copies.
template <int left> GPUTUNE_INLINE void wait_for_sixteens()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

// ROWS rows of 64 elements; each warp copies a part of the rows. Rows may begin at any element,
// because the warps load aligned pairs of elements. In a misaligned row, the first element of a pair
// belongs to the previous thread. If the matrix begins with the second element of a pair, `odd` is
// 1, and `from` and the indices of elements begin at the unused first element of this pair.
template <int ROWS> struct share {
    static constexpr int COUNT = ROWS / (4 * COPIERS);
    const number *from;
    unsigned int odd;
    unsigned int first, rows, k;        // first row of the tile; number of rows; row length
    uint32_t pairs[COUNT];              // this thread's pair in each row
    uint32_t behind[(COUNT + 31) / 32]; // the pair after the warp's pairs of a row, loaded by one thread

    // Returns the element at which the copy of a row begins. Rows after the last repeat the last row.
    GPUTUNE_INLINE size_t begin(int i, unsigned int column) const
    {
        return size_t(min(first + threadIdx.x / 32 * COUNT + i, rows - 1)) * k + column;
    }
    // Loads the pair that contains an element. Never reads beyond the matrix.
    template <bool INSIDE> GPUTUNE_INLINE uint32_t pair_with(size_t element) const
    {
        const size_t at = element & ~size_t(1), count = size_t(rows) * k + odd;
        return INSIDE || at + 1 < count ? *reinterpret_cast<const uint32_t *>(from + at)
               : at < count             ? *reinterpret_cast<const uint16_t *>(from + at)
                                        : 0;
    }
    template <bool INSIDE> GPUTUNE_INLINE void load(unsigned int column)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            pairs[i] = pair_with<INSIDE>(begin(i, column + odd) + 2 * lane);
        }
#pragma unroll
        for (int i = 0; i < COUNT; i += 32) {
            behind[i / 32] = pair_with<INSIDE>(begin(min(i + lane, COUNT - 1), column + odd) + 64);
        }
    }
    // Stores the elements. Elements after the end of a row are zeros.
    GPUTUNE_INLINE void store(unsigned char *to, unsigned int column) const
    {
        const int lane = threadIdx.x % 32;
        const unsigned int left = k - min(k, column + 2 * lane);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            uint32_t pair = pairs[i];
            if (k % 2 || odd) {
                const uint32_t after = __shfl_down_sync(0xffffffffu, pair, 1);
                const uint32_t last = __shfl_sync(0xffffffffu, behind[i / 32], i % 32);
                pair = __funnelshift_r(pair, lane < 31 ? after : last, begin(i, odd) % 2 * 16);
            }
            pair &= left > 1 ? ~0u : left ? 0xffffu : 0u;
            const int row = threadIdx.x / 32 * COUNT + i;
            *reinterpret_cast<uint32_t *>(to + swizzled(row, lane * 4)) = pair;
        }
    }
};

// ---- Multiplying ----------------------------------------------------------------------------

// The descriptor of a tile of 128-byte rows, swizzled by 128 bytes: groups of 8 rows are 1024 bytes apart.
GPUTUNE_INLINE uint64_t descriptor(const void *tile)
{
    const uint64_t start = (shared_address(tile) & 0x3ffff) >> 4;
    return start | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

#define NAMES_32                                                                                   \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "   \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_64                                                                                   \
    NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "  \
             "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_96                                                                                   \
    NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "  \
             "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_128                                                                                  \
    NAMES_96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "  \
             "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "      \
             "%123, %124, %125, %126, %127"
#define SUMS_8(i)                                                                                  \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),    \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)

// d += a * b for 64 rows of A's tile, BN of B's, and 16 elements of k.
GPUTUNE_INLINE void multiply(float (&d)[BN / 2], uint64_t a, uint64_t b)
{
#if BN == 64
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NAMES_32
                 "}, %32, %33, 1, 1, 1, 0, 0;"
                 : SUMS_32(0)
                 : "l"(a), "l"(b));
#elif BN == 128
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64
                 "}, %64, %65, 1, 1, 1, 0, 0;"
                 : SUMS_32(0), SUMS_32(32)
                 : "l"(a), "l"(b));
#elif BN == 192
    asm volatile("wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {" NAMES_96
                 "}, %96, %97, 1, 1, 1, 0, 0;"
                 : SUMS_32(0), SUMS_32(32), SUMS_32(64)
                 : "l"(a), "l"(b));
#else
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NAMES_128
                 "}, %128, %129, 1, 1, 1, 0, 0;"
                 : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96)
                 : "l"(a), "l"(b));
#endif
}

// Starts to multiply a slot's tiles.
GPUTUNE_INLINE void multiply_slot(float (&d)[MMAS][BN / 2], const unsigned char *a,
                                  const unsigned char *b)
{
    const uint64_t left = descriptor(a), right = descriptor(b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < BK / 16; i++) {
#pragma unroll
        for (int r = 0; r < MMAS; r++) { // 64 rows have 8192 bytes, and 16 elements 32 bytes
            multiply(d[r], left + r * (8192 >> 4) + i * (32 >> 4), right + i * (32 >> 4));
        }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int left> GPUTUNE_INLINE void wait_for_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}
// Waits for all products before a sum is read.
GPUTUNE_INLINE void wait_for_sums(float (&d)[MMAS][BN / 2])
{
    wait_for_products<0>();
#pragma unroll
    for (int r = 0; r < MMAS; r++) {
#pragma unroll
        for (int i = 0; i < BN / 2; i++) {
            asm volatile("" : "+f"(d[r][i])::"memory");
        }
    }
}

// ---- The tiles of C -------------------------------------------------------------------------

// A tile of C, or a piece of a tile, which has some of the tile's steps along k.
struct portion {
    unsigned int row, column, begin, end; // first row and column of the tile; steps of the piece
    unsigned int tile, piece, pieces;     // index of a tile that is cut; piece; number of pieces
};

// Calls body(portion) for this block's portions, GROUP rows of clusters at a time.
template <typename BODY>
GPUTUNE_INLINE void each_portion(unsigned int m, unsigned int n, unsigned int steps,
                                 const values &values, BODY body)
{
    const unsigned int share = values.share, shift = share / 2; // share = 1 << shift
    const unsigned int group = values.group;
    const unsigned int down = ((m + BM - 1) / BM + share - 1) >> shift, across = (n + BN - 1) / BN;
    const unsigned int rank = IS_SHARED ? gputune_cluster_rank() : 0;
    const unsigned int clusters = gridDim.x >> shift, left = down * across % clusters;
    const unsigned int whole = down * across - left; // tiles that all clusters share equally
    const unsigned int pieces = left ? min(min(values.pieces, clusters / left), steps) : 1;
    for (unsigned int i = blockIdx.x >> shift; i < whole + left * pieces; i += clusters) {
        portion part = {0, 0, 0, steps, 0, 0, 1};
        if (IS_CUT && i >= whole) {
            part.tile = (i - whole) / pieces, part.piece = (i - whole) % pieces;
            part.pieces = pieces;
            part.begin = steps * part.piece / pieces, part.end = steps * (part.piece + 1) / pieces;
        }
        const unsigned int tile = part.pieces > 1 ? whole + part.tile : i;
        const unsigned int first = tile / (group * across) * group, within = tile - first * across;
        const unsigned int rows = min(group, down - first);
        part.row = ((first + within % rows) * share + rank) * BM, part.column = within / rows * BN;
        body(part);
    }
}

// Adds up the sums of all pieces of a tile, in their order, in the warp that finishes last, and then
// returns true. The other warps only store their sums, and return false.
GPUTUNE_INLINE bool collect(float (&d)[MMAS][BN / 2], const portion &part, unsigned int warp,
                            unsigned int row, unsigned int m, float *parts, unsigned int *done,
                            unsigned int share)
{
    constexpr int WARPS = 4 * CONSUMERS;
    const unsigned int lane = threadIdx.x % 32;
    const auto of_piece = [&](unsigned int piece) { // returns the address of a piece's sums
        const unsigned int block = blockIdx.x + (piece - part.piece) * share;
        return reinterpret_cast<float4 *>(parts) +
               (size_t(block) * WARPS + warp) * (MMAS * BN / 8 * 32) + lane;
    };
    const auto each = [&](auto body) { // calls body for groups of four sums
#pragma unroll
        for (int r = 0; r < MMAS; r++) {
            if (row + r * 64 + lane / 4 < m) {
#pragma unroll
                for (int i = 0; i < BN / 2; i += 4) {
                    body(&d[r][i], (r * BN / 8 + i / 4) * 32);
                }
            }
        }
    };
    float4 *own = of_piece(part.piece);
    each([&](const float *sums, int at) {
        __stcg(&own[at], make_float4(sums[0], sums[1], sums[2], sums[3]));
    });
    __threadfence();
    __syncwarp();
    unsigned int before = 0;
    if (lane == 0) { // the last warp resets the counter
        before = atomicInc(&done[(part.tile * share + (blockIdx.x & (share - 1))) * WARPS + warp],
                           part.pieces - 1);
    }
    if (__shfl_sync(0xffffffffu, before, 0) != part.pieces - 1) {
        return false;
    }
    __threadfence();
    each([&](float *sums, int) { sums[0] = sums[1] = sums[2] = sums[3] = 0; });
    for (unsigned int piece = 0; piece < part.pieces; piece++) {
        const float4 *of_this = of_piece(piece);
        each([&](float *sums, int at) {
            const float4 more = __ldcg(&of_this[at]);
            sums[0] += more.x, sums[1] += more.y, sums[2] += more.z, sums[3] += more.w;
        });
    }
    return true;
}

// Convert two adjacent sums of a row to elements.
GPUTUNE_INLINE void convert(__nv_bfloat16 (&out)[2], float x, float y)
{
    out[0] = x, out[1] = y;
}
GPUTUNE_INLINE void convert(float (&out)[2], float x, float y)
{
    out[0] = x, out[1] = y;
}

// Calls body(row, column, two neighbours) for a thread's elements in the columns from `first`
// on. `row` is an index among the warp's 16 rows.
template <int COLUMNS, typename BODY>
GPUTUNE_INLINE void each_pair(const float (&d)[BN / 2], int first, BODY body)
{
#pragma unroll
    for (int j = 0; j < COLUMNS; j += 8) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int i = (first + j) / 2 + 2 * h;
            gputune_vector<OUT, 2> pair;
            convert(pair.data, d[i], d[i + 1]);
            body(threadIdx.x % 32 / 4 + 8 * h, j + threadIdx.x % 4 * 2, pair);
        }
    }
}

// Writes a warp's 16 rows by TMA, CHUNK columns at a time; or each thread writes its own elements.
GPUTUNE_INLINE void put(const float (&d)[BN / 2], OUT *c, const CUtensorMap *map,
                        unsigned char *buffers, unsigned int row, unsigned int column,
                        unsigned int m, unsigned int n)
{
#if BUFFERS
#pragma unroll
    for (int first = 0; first < BN; first += CHUNK) {
        unsigned char *buffer = buffers + first / CHUNK % BUFFERS * 2048;
        wait_for_copies<BUFFERS - 1>(); // one thread makes all copies
        __syncwarp();
        each_pair<CHUNK>(d, first, [&](int r, int j, const gputune_vector<OUT, 2> &pair) {
            gputune_store<2>(reinterpret_cast<OUT *>(buffer + swizzled(r, j * sizeof(OUT))), pair);
        });
        publish();
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            copy_out(map, buffer, column + first, row);
        }
    }
#else
    each_pair<BN>(d, 0, [&](int r, int j, const gputune_vector<OUT, 2> &pair) {
        OUT *to = c + size_t(row + r) * n + column + j;
        if (row + r < m && n % 2 == 0 && column + j < n) {
            gputune_store<2>(to, pair);
        } else if (row + r < m) {
            if (column + j < n) {
                to[0] = pair[0];
            }
            if (column + j + 1 < n) {
                to[1] = pair[1];
            }
        }
    });
#endif
}

// ---- The kernel -----------------------------------------------------------------------------

// A position in the ring of slots, and the parity of its barriers.
struct place {
    unsigned int stages, slot = 0, parity = 0;
    GPUTUNE_INLINE place(unsigned int stages) : stages(stages) {}
    GPUTUNE_INLINE void next()
    {
        if (++slot == stages) {
            slot = 0, parity ^= 1;
        }
    }
};

// Moves registers from warps that need fewer than the initial number to the other warps.
template <int registers> GPUTUNE_INLINE void keep_registers()
{
    constexpr int AT_FIRST = 65536 / (128 * (COPIERS + CONSUMERS)) / 8 * 8;
    if constexpr (CONSUMERS == 1) {
        return; // the initial number of registers is enough
    } else if constexpr (registers < AT_FIRST) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
    }
}

// Copies all tiles of a block asynchronously, with LATE slots in flight.
GPUTUNE_INLINE void bring_by_sixteens(unsigned char *slots, uint64_t *full, uint64_t *empty,
                                      const number *a, const number *b, unsigned int m,
                                      unsigned int n, unsigned int k, unsigned int steps,
                                      const values &values)
{
    constexpr unsigned int LATE = SLOTS / 2;
    unsigned int begun = 0;
    place at(SLOTS);
    const auto tell = [&](unsigned int ago) { // signals the slot that was started `ago` slots earlier
        publish();
        barrier_arrive(&full[(at.slot + SLOTS - ago) % SLOTS], 0);
    };
    each_portion(m, n, steps, values, [&](const portion &part) {
        for (unsigned int step = part.begin; step < part.end; step++) {
            unsigned char *slot = slots + at.slot * STAGE_BYTES;
            barrier_wait(&empty[at.slot], at.parity ^ 1);
            copy_sixteens<BM>(slot, a, part.row, m, k, step * BK);
            copy_sixteens<BN>(slot + A_BYTES, b, part.column, n, k, step * BK);
            asm volatile("cp.async.commit_group;" ::: "memory");
            at.next();
            if (++begun > LATE) {
                wait_for_sixteens<LATE>();
                tell(LATE + 1);
            }
        }
    });
    wait_for_sixteens<0>();
    for (unsigned int ago = min(begun, LATE); ago > 0; ago--) {
        tell(ago);
    }
}

__global__ void __launch_bounds__(128 * (COPIERS + CONSUMERS), 1)
    gemm_bf16(OUT *__restrict__ c, const number *__restrict__ a, const number *__restrict__ b,
              unsigned int m, unsigned int n, unsigned int k, float *parts, unsigned int *done,
              const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
              const __grid_constant__ CUtensorMap c_map, unsigned int STAGES, unsigned int SHARE,
              unsigned int GROUP, unsigned int PIECES)
{
    extern __shared__ unsigned char raw[];
    __shared__ alignas(8) uint64_t full[SLOTS], empty[SLOTS];
    const values values = {BY_tma ? STAGES : SLOTS, IS_SHARED ? SHARE : 1, IS_GROUPED ? GROUP : 1,
                           IS_CUT ? PIECES : 1};
    unsigned char *slots = raw + (1024 - shared_address(raw) % 1024) % 1024;
    const unsigned int steps = max(1, (k + BK - 1) / BK);
    if (threadIdx.x == 0) {
#pragma unroll
        for (int i = 0; i < SLOTS; i++) {
            barrier_init(&full[i], BY_tma ? 1 : 128 * COPIERS);
            barrier_init(&empty[i], CONSUMERS * values.share);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    IS_SHARED ? gputune_cluster_sync() : __syncthreads();
    place at(values.stages);
    if (threadIdx.x < 128 * COPIERS) {
        keep_registers<BY_threads ? 152 : CONSUMERS == 3 ? 32 : 40>();
#if BY_threads
        if (k % 8 == 0 && (size_t(a) | size_t(b)) % 16 == 0) {
            bring_by_sixteens(slots, full, empty, a, b, m, n, k, steps, values);
            return;
        }
        const unsigned int a_odd = size_t(a) / sizeof(number) % 2;
        const unsigned int b_odd = size_t(b) / sizeof(number) % 2;
#endif
        each_portion(m, n, steps, values, [&](const portion &part) {
            if (BY_tma && threadIdx.x) {
                return;
            }
            for (unsigned int step = part.begin; step < part.end; step++, at.next()) {
                unsigned char *slot = slots + at.slot * STAGE_BYTES;
#if BY_tma
                barrier_wait(&empty[at.slot], at.parity ^ 1);
                barrier_expect(&full[at.slot], STAGE_BYTES);
                copy_in(slot, &a_map, step * BK, part.row, &full[at.slot]);
                if constexpr (IS_SHARED) {
                    const int own =
                        gputune_cluster_rank() * (values.share == 2 ? BN / 2 : BN / 4);
                    copy_in_to_all(slot + A_BYTES + own * BK * 2, &b_map, step * BK,
                                   part.column + own, &full[at.slot], (1 << values.share) - 1);
                } else {
                    copy_in(slot + A_BYTES, &b_map, step * BK, part.column, &full[at.slot]);
                }
#else
                share<BM> left = {a - a_odd, a_odd, part.row, m, k};
                share<BN> right = {b - b_odd, b_odd, part.column, n, k};
                if (step * BK + BK + 2 <= k) {
                    left.load<true>(step * BK), right.load<true>(step * BK);
                } else {
                    left.load<false>(step * BK), right.load<false>(step * BK);
                }
                barrier_wait(&empty[at.slot], at.parity ^ 1);
                left.store(slot, step * BK), right.store(slot + A_BYTES, step * BK);
                publish();
                barrier_arrive(&full[at.slot], 0);
#endif
            }
        });
    } else {
        keep_registers<BY_threads ? 104 : CONSUMERS == 3 ? 160 : 232>();
        const int group = threadIdx.x / 128 - COPIERS, warp = threadIdx.x / 32 - 4 * COPIERS;
        unsigned char *buffers = slots + values.stages * STAGE_BYTES + warp * BUFFERS * 2048;
        const auto release = [&](unsigned int slot) { // one thread signals each block that writes to this slot
            if (threadIdx.x % 128 < values.share) {
                barrier_arrive(&empty[slot], threadIdx.x % 128);
            }
        };
        each_portion(m, n, steps, values, [&](const portion &part) {
            float d[MMAS][BN / 2] = {};
            unsigned int before = at.slot, step = 0;
            do {
                const unsigned char *slot = slots + at.slot * STAGE_BYTES;
                barrier_wait(&full[at.slot], at.parity);
                multiply_slot(d, slot + group * MMAS * 8192, slot + A_BYTES);
                wait_for_products<AHEAD>();
                if (step >= AHEAD) {
                    release(AHEAD ? before : at.slot);
                }
                before = at.slot;
                at.next();
            } while (++step < part.end - part.begin);
            wait_for_sums(d);
            if (AHEAD) {
                release(before);
            }
            const unsigned int row = part.row + group * MMAS * 64 + warp % 4 * 16;
            if (IS_CUT && part.pieces > 1 &&
                !collect(d, part, warp, row, m, parts, done, values.share)) {
                return;
            }
#pragma unroll
            for (int r = 0; r < MMAS; r++) {
                put(d[r], c, &c_map, buffers, row + r * 64, part.column, m, n);
            }
        });
        wait_for_copies<0>();
    }
    if constexpr (IS_SHARED) {
        __syncwarp();
        gputune_cluster_sync(); // no block may end while another block arrives at its barriers
    }
}

// A thread computes 4 x 4 elements that are 16 rows or columns apart.
__global__ void gemm_reference(double *c, const number *a, const number *b, unsigned int m,
                               unsigned int n, unsigned int k, double *scale)
{
    __shared__ float left[64][17], right[64][17];
    const unsigned int row = blockIdx.y * 64, column = blockIdx.x * 64;
    double sum[4][4] = {}, size[4][4] = {};
    for (unsigned int d = 0; d < k; d += 16) {
        for (int i = threadIdx.y; i < 64; i += 16) {
            const unsigned int at = d + threadIdx.x;
            left[i][threadIdx.x] =
                at < k && row + i < m ? float(a[size_t(row + i) * k + at]) : 0.0f;
            right[i][threadIdx.x] =
                at < k && column + i < n ? float(b[size_t(column + i) * k + at]) : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                float part = 0, magnitude = 0; // a product is exact in a float
                for (int e = 0; e < 16; e++) {
                    const float product =
                        left[threadIdx.y + 16 * i][e] * right[threadIdx.x + 16 * j][e];
                    part += product;
                    magnitude += fabsf(product);
                }
                sum[i][j] += part;
                size[i][j] += magnitude;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            const unsigned int y = row + threadIdx.y + 16 * i, x = column + threadIdx.x + 16 * j;
            if (y < m && x < n) {
                c[size_t(y) * n + x] = sum[i][j];
                scale[size_t(y) * n + x] = size[i][j];
            }
        }
    }
}
