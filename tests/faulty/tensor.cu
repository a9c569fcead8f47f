/* Kernels that violate the rules of copies with tensor maps. The comment above a kernel describes
 * the fault. */
#include "slowly.cuh"
#include "async.cuh"
#pragma gputune problem(m = 512)
#pragma gputune args(out float y[m][64], in float x[m][64], size_t m)
#pragma gputune tensormap(from : x, box = (8, 32))
#pragma gputune tensormap(to : y, box = (8, 32))
#pragma gputune tune(BAD = 0, 1)
#pragma gputune default(BAD = 0)
#pragma gputune require(cc == 90)
#pragma gputune block(256)
#pragma gputune grid(2, ceil_div(m, 8))
#pragma gputune reference(y[i][j] = 2.0f * x[i][j])

#define TILE_BYTES (8 * 32 * 4)
#define LOAD_TILE(into, map, column, row, bar)                                                     \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" \
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(SHARED(into)),                               \
                 "l"(&(map)), "r"(int(column)), "r"(int(row)), "r"(SHARED(&(bar)))                 \
                 : "memory")
#define STORE_TILE(map, column, row, from)                                                         \
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" \
                 ::"l"(&(map)),                                                                    \
                 "r"(int(column)), "r"(int(row)), "r"(SHARED(from))                                \
                 : "memory")

// Copies a block's tile of 8 rows and 32 columns to shared memory, and doubles the elements.
static __device__ void load(float *y, size_t m, const CUtensorMap &from, unsigned int bytes, bool waits)
{
    int t = threadIdx.x, row = blockIdx.y * 8, column = blockIdx.x * 32;
    __shared__ alignas(128) float tile[8 * 32];
    __shared__ alignas(8) unsigned long long bar;
    slowly();
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
        EXPECT(bar, bytes);
        LOAD_TILE(tile, from, column, row, bar); // line: load
    }
    __syncthreads();
    if (waits) {
        WAIT(bar, 0); // line: wait
    }
    if (row + t / 32 < m) {
        y[(row + t / 32) * 64 + column + t % 32] = 2.0f * tile[t]; // line: use
    }
}

// Writes doubled elements to a tile in shared memory, and copies the tile to global memory.
static __device__ void store(const float *x, size_t m, const CUtensorMap &to, bool fences, bool waits)
{
    int t = threadIdx.x, row = blockIdx.y * 8, column = blockIdx.x * 32;
    __shared__ alignas(128) float tile[8 * 32];
    slowly();
    tile[t] = row + t / 32 < m ? 2.0f * x[(row + t / 32) * 64 + column + t % 32] : 0.0f;
    if (fences) {
        FENCE_ASYNC();
    }
    __syncthreads();
    if (t == 0) {
        STORE_TILE(to, column, row, tile); // line: store
        COMMIT();
        if (waits) {
            WAIT_READ(0);
        }
    }
}

#define KERNEL(name, ...)                                                                          \
    __global__ void name(float *y, const float *x, size_t m,                                       \
                         const __grid_constant__ CUtensorMap from,                                 \
                         const __grid_constant__ CUtensorMap to)                                   \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

/* Reads a tile before its copy is complete. Caught by check (race at use). */
#pragma gputune kernel(tile_not_waited)

KERNEL(tile_not_waited, load(y, m, from, TILE_BYTES, !BAD))

/* Announces only the bytes within the matrix, although the copy writes all bytes of the tile.
 * Caught by proof and check (barrier at wait). */
#pragma gputune kernel(expects_too_few_of_a_tile)

KERNEL(expects_too_few_of_a_tile, load(y, m, from, BAD ? min(m - blockIdx.y * 8, size_t(8)) * 128 : TILE_BYTES, true))

/* Copies a tile out without a proxy fence. Caught by check (race at store). */
#pragma gputune kernel(tile_not_fenced)

KERNEL(tile_not_fenced, store(x, m, to, !BAD, true))

/* Ends the block while a tile may still be copied from its shared memory. Caught by check (race at store). */
#pragma gputune kernel(tile_abandoned)

KERNEL(tile_abandoned, store(x, m, to, true, !BAD))

/* Passes a map in local memory, which copies cannot read. Caught by proof and check (fault at load). */
#pragma gputune kernel(map_of_a_thread)

__global__ void map_of_a_thread(float *y, const float *x, size_t m,
                                const __grid_constant__ CUtensorMap from,
                                const __grid_constant__ CUtensorMap to)
{
#if BAD
    CUtensorMap own;
    for (int i = 0; i < 16; i++) {
        ((volatile CUtensorMap &)own).opaque[i] = from.opaque[i];
    }
#else
    const CUtensorMap &own = from;
#endif
    load(y, m, own, TILE_BYTES, true);
}
