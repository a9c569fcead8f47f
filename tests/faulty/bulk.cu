/* Kernels that violate the rules of bulk and asynchronous copies, and of the barriers that wait for
 * these copies. Each faulty variant has one mistake. */
#include "slowly.cuh"
#include "async.cuh"
#pragma gputune problem(n = 8190)
#pragma gputune args(out float y[round_up(n, 1024)], in float x[round_up(n, 1024)], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune require(cc >= 90)
#pragma gputune reference(y[i] = 2.0f * x[i])

// A block has eight tiles of 128 elements.
#define TILES 8
#define TILE_BYTES (BLOCK * 4)

// Mistakes in the functions that several kernels share. Each kernel selects one of them.
enum {
    RIGHT,
    PARITY_FORGOTTEN,
    ONE_WAITS,
    OVERWRITTEN_BY_COPY,
    EXPECTS_TOO_FEW,
    EXPECTS_TOO_MANY,
    EXPECTS_NOTHING,
    INIT_NOT_FENCED,
    INIT_NOT_AWAITED,
    NOT_OF_16_BYTES,
    SOURCE_NOT_ALIGNED,
    WRONG_STAGE,
    STAGE_NOT_FREE,
    FREED_EARLY,
    STAGE_NEVER_FREED,
    STORE_NOT_FENCED,
    STORE_FENCED_BY_ONE,
    STORE_NOT_READ,
    STORE_NOT_COMMITTED,
    STORE_OF_ONE_GROUP_TOO_FEW,
};

// Initialises a barrier for `count` arrivals. The block waits for the initialisation.
static __device__ void begin(unsigned long long &bar, int count, int mistake)
{
    if (threadIdx.x == 0) {
        INIT(bar, count);
        if (mistake != INIT_NOT_FENCED) {
            FENCE_INIT();
        }
    }
    if (mistake != INIT_NOT_AWAITED) {
        __syncthreads();
    }
    slowly();
}

// Copies one tile after another into shared memory, and waits for each tile.
template <int mistake>
__global__ void tiles(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK + 4];
    __shared__ alignas(8) unsigned long long bar;
    begin(bar, 1, mistake);
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            size_t at = first + tile * BLOCK, left = at < n ? n - at : 0;
            unsigned int bytes = TILE_BYTES;
            if (mistake == NOT_OF_16_BYTES && left < BLOCK) {
                bytes = 4 * (unsigned int)left + 4;
            }
            if (mistake == EXPECTS_TOO_FEW) {
                bytes /= 2;
                LOAD(held + BLOCK / 2, x + at + BLOCK / 2, bytes, bar);
            }
            if (mistake == EXPECTS_NOTHING) {
                ARRIVE(bar);
            } else {
                EXPECT(bar, mistake == EXPECTS_TOO_MANY ? bytes + 16 : bytes);
            }
            LOAD(held, x + at + (mistake == SOURCE_NOT_ALIGNED), bytes, bar); // line: copy
        }
        if (mistake != ONE_WAITS || t == 0) {
            WAIT(bar, mistake == PARITY_FORGOTTEN ? 0 : tile & 1); // line: wait
        }
        y[first + tile * BLOCK + t] = 2.0f * held[t]; // line: use
        if (mistake != OVERWRITTEN_BY_COPY) {
            __syncthreads();
        }
    }
}

/* Always waits for the phase of the first tile. Caught by proof and check (race at use). */
#pragma gputune kernel(parity_forgotten)
#pragma gputune launch(tiles<BAD * PARITY_FORGOTTEN>, block = BLOCK, grid = ceil_div(n, 1024))

/* Only the first thread waits for the copy, and no barrier makes the others wait.
 * Caught by proof and check (race at use). */
#pragma gputune kernel(one_waits)
#pragma gputune launch(tiles<BAD * ONE_WAITS>, block = BLOCK, grid = ceil_div(n, 1024))

/* Copies the next tile before all threads have read the previous tile. Caught by proof and check (race at copy). */
#pragma gputune kernel(overwritten_by_copy)
#pragma gputune launch(tiles<BAD * OVERWRITTEN_BY_COPY>, block = BLOCK, grid = ceil_div(n, 1024))

/* Announces half of the bytes that are copied. Caught by proof and check (barrier at copy). */
#pragma gputune kernel(expects_too_few)
#pragma gputune launch(tiles<BAD * EXPECTS_TOO_FEW>, block = BLOCK, grid = ceil_div(n, 1024))

/* Announces more bytes than are copied, and waits forever. Caught by proof and check (barrier at wait). */
#pragma gputune kernel(expects_too_many)
#pragma gputune launch(tiles<BAD * EXPECTS_TOO_MANY>, block = BLOCK, grid = ceil_div(n, 1024))

/* Announces no bytes: the barrier completes before the copy does. Caught by proof and check (race at use). */
#pragma gputune kernel(expects_nothing)
#pragma gputune launch(tiles<BAD * EXPECTS_NOTHING>, block = BLOCK, grid = ceil_div(n, 1024))

/* Does not fence the initialised barrier before copies use it. Caught by check (race at copy). */
#pragma gputune kernel(init_not_fenced)
#pragma gputune launch(tiles<BAD * INIT_NOT_FENCED>, block = BLOCK, grid = ceil_div(n, 1024))

/* Waits at a barrier that another thread may not have initialised yet. Caught by check (race at wait). */
#pragma gputune kernel(init_not_awaited)
#pragma gputune launch(tiles<BAD * INIT_NOT_AWAITED>, block = BLOCK, grid = ceil_div(n, 1024))

/* Copies only the elements that are left, whose size may not be a multiple of 16 bytes.
 * Caught by proof and check (alignment at copy). */
#pragma gputune kernel(not_of_16_bytes)
#pragma gputune launch(tiles<BAD * NOT_OF_16_BYTES>, block = BLOCK, grid = ceil_div(n, 1024))

/* Copies from an address that is not a multiple of 16 bytes. Caught by proof and check (alignment at copy). */
#pragma gputune kernel(source_not_aligned)
#pragma gputune launch(tiles<BAD * SOURCE_NOT_ALIGNED>, block = BLOCK, grid = ceil_div(n, 1024))

// One warp copies tiles into two stages, which the other warps free.
template <int mistake>
__global__ void stages(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[2][BLOCK];
    __shared__ alignas(8) unsigned long long full[2], empty[2];
    if (t == 0) {
        for (int s = 0; s < 2; s++) {
            INIT(full[s], 1);
            INIT(empty[s], BLOCK - 32);
        }
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    if (t >= BLOCK - 32) {
        for (int tile = 0; tile < TILES && t == BLOCK - 32; tile++) {
            int s = tile & 1;
            if (mistake != STAGE_NOT_FREE) {
                WAIT(empty[s], (tile >> 1 & 1) ^ 1); // line: free
            }
            EXPECT(full[s], TILE_BYTES);
            LOAD(held[s], x + first + tile * BLOCK, TILE_BYTES, full[s]); // line: refill
        }
        return;
    }
    for (int tile = 0; tile < TILES; tile++) {
        int s = tile & 1, awaited = mistake == WRONG_STAGE && tile ? tile - 1 : tile;
        WAIT(full[awaited & 1], awaited >> 1 & 1);
        if (mistake == FREED_EARLY) {
            ARRIVE(empty[s]);
        }
        for (int k = t; k < BLOCK; k += BLOCK - 32) {
            y[first + tile * BLOCK + k] = 2.0f * held[s][k]; // line: stage
        }
        if (mistake != FREED_EARLY && mistake != STAGE_NEVER_FREED) {
            ARRIVE(empty[s]);
        }
    }
}

/* Waits for the barrier of the other stage. Caught by proof and check (race at stage). */
#pragma gputune kernel(wrong_stage)
#pragma gputune launch(stages<BAD * WRONG_STAGE>, block = BLOCK, grid = ceil_div(n, 1024))

/* The copying warp does not wait until a stage is free. Caught by proof and check (race at refill). */
#pragma gputune kernel(stage_not_free)
#pragma gputune launch(stages<BAD * STAGE_NOT_FREE>, block = BLOCK, grid = ceil_div(n, 1024))

/* Frees a stage before reading it. Caught by check (race at refill). */
#pragma gputune kernel(freed_early)
#pragma gputune launch(stages<BAD * FREED_EARLY>, block = BLOCK, grid = ceil_div(n, 1024))

/* Never frees a stage, so the copying warp waits forever. Caught by proof and check (barrier at free). */
#pragma gputune kernel(stage_never_freed)
#pragma gputune launch(stages<BAD * STAGE_NEVER_FREED>, block = BLOCK, grid = ceil_div(n, 1024))

// Copies one tile after another out of shared memory.
template <int mistake>
__global__ void stores(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        held[t] = 2.0f * x[first + tile * BLOCK + t]; // line: fill
        if (mistake != STORE_NOT_FENCED && (mistake != STORE_FENCED_BY_ONE || t == 0)) {
            FENCE_ASYNC();
        }
        __syncthreads();
        if (t == 0) {
            STORE(y + first + tile * BLOCK, held, TILE_BYTES); // line: store
            if (mistake != STORE_NOT_COMMITTED) {
                COMMIT();
            }
            if (mistake == STORE_OF_ONE_GROUP_TOO_FEW) {
                WAIT_READ(1);
            } else if (mistake != STORE_NOT_READ) {
                WAIT_READ(0);
            }
        }
        __syncthreads();
    }
}

/* Copies out what the threads have written, without a proxy fence. Caught by check (race at store). */
#pragma gputune kernel(store_not_fenced)
#pragma gputune launch(stores<BAD * STORE_NOT_FENCED>, block = BLOCK, grid = ceil_div(n, 1024))

/* Only the thread that copies executes the proxy fence. Caught by check (race at store). */
#pragma gputune kernel(store_fenced_by_one)
#pragma gputune launch(stores<BAD * STORE_FENCED_BY_ONE>, block = BLOCK, grid = ceil_div(n, 1024))

/* Writes the next tile before the copy has read the previous tile. Caught by check (race at fill). */
#pragma gputune kernel(store_not_read)
#pragma gputune launch(stores<BAD * STORE_NOT_READ>, block = BLOCK, grid = ceil_div(n, 1024))

/* Waits for groups of copies but commits no group. Caught by check (race at fill). */
#pragma gputune kernel(store_not_committed)
#pragma gputune launch(stores<BAD * STORE_NOT_COMMITTED>, block = BLOCK, grid = ceil_div(n, 1024))

/* Waits for all groups except the last, and overwrites what the last group reads. Caught by check (race at fill). */
#pragma gputune kernel(store_of_one_group_too_few)
#pragma gputune launch(stores<BAD * STORE_OF_ONE_GROUP_TOO_FEW>, block = BLOCK, grid = ceil_div(n, 1024))

/* Only the first lane waits for the copy, and the other lanes do not wait for the first. Caught by check. */
#pragma gputune kernel(one_lane_waits) block(BLOCK) grid(ceil_div(n, 1024))

__global__ void one_lane_waits(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    begin(bar, 1, RIGHT);
    if (t >= 32) {
        return;
    }
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar);
        }
        if (t == 0) {
            WAIT(bar, tile & 1);
        }
#if !BAD
        __syncwarp();
#endif
        for (int k = t; k < BLOCK; k += 32) {
            y[first + tile * BLOCK + k] = 2.0f * held[k]; // found: race
        }
        __syncwarp();
    }
}

/* The barrier waits for only half of the threads that fill the tile. Caught by proof and check. */
#pragma gputune kernel(too_few_arrivals) block(BLOCK) grid(ceil_div(n, 1024))

__global__ void too_few_arrivals(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    begin(bar, BAD ? BLOCK / 2 : BLOCK, RIGHT);
    for (int tile = 0; tile < TILES; tile++) {
        held[t] = x[first + tile * BLOCK + t]; // found: race
        ARRIVE(bar);
        WAIT(bar, BAD ? 0 : tile & 1);
        y[first + tile * BLOCK + (t ^ 64)] = 2.0f * held[t ^ 64];
        __syncthreads();
    }
}

/* Copies from global memory what its own block has just written there. Caught by check. */
#pragma gputune kernel(source_not_fenced) block(BLOCK) grid(ceil_div(n, 1024))

__global__ void source_not_fenced(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    begin(bar, 1, RIGHT);
    for (int tile = 0; tile < TILES; tile++) {
        y[first + tile * BLOCK + t] = x[first + tile * BLOCK + t];
#if !BAD
        asm volatile("fence.proxy.async;" ::: "memory");
#endif
        __syncthreads();
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, y + first + tile * BLOCK, TILE_BYTES, bar); // found: race
        }
        WAIT(bar, tile & 1);
        y[first + tile * BLOCK + t] = 2.0f * held[t];
        __syncthreads();
    }
}

/* Ends while its last copy may still read shared memory. Caught by check. */
#pragma gputune kernel(store_not_awaited) block(BLOCK) grid(ceil_div(n, 1024))

__global__ void store_not_awaited(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[2][BLOCK];
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        int s = tile & 1;
        if (t == 0) {
            WAIT_READ(1);
        }
        __syncthreads();
        held[s][t] = 2.0f * x[first + tile * BLOCK + t];
        FENCE_ASYNC();
        __syncthreads();
        if (t == 0) {
            STORE(y + first + tile * BLOCK, held[s], TILE_BYTES); // found: race
            COMMIT();
        }
    }
#if !BAD
    if (t == 0) {
        WAIT_READ(0);
    }
#endif
}

/* Reads what a copy may not have written yet. Caught by check. */
#pragma gputune kernel(stored_and_read) block(BLOCK) grid(ceil_div(n, 1024))

__global__ void stored_and_read(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[2][BLOCK];
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        held[0][t] = x[first + tile * BLOCK + t];
        FENCE_ASYNC();
        __syncthreads();
        if (t == 0) {
            STORE(y + first + tile * BLOCK, held[0], TILE_BYTES);
            COMMIT();
#if BAD
            WAIT_READ(0);
#else
            WAIT_GROUP(0);
#endif
        }
        __syncthreads();
        float v = ((volatile float *)y)[first + tile * BLOCK + (t ^ 1)]; // found: race
        __syncthreads();
        y[first + tile * BLOCK + (t ^ 1)] = 2.0f * v;
        __syncthreads();
    }
}

/* Waits for all groups of copies except the group whose bytes it reads. Caught by check. */
#pragma gputune kernel(group_too_few) block(BLOCK) grid(ceil_div(n, 1024))

__global__ void group_too_few(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ float held[2][BLOCK];
    slowly();
    COPY(&held[0][t], x + first + t);
    COPY_COMMIT();
    for (int tile = 0; tile < TILES; tile++) {
        if (tile + 1 < TILES) {
            COPY(&held[(tile + 1) & 1][t], x + first + (tile + 1) * BLOCK + t);
        }
        COPY_COMMIT();
#if BAD
        COPY_WAIT(2);
#else
        COPY_WAIT(1);
#endif
        __syncthreads();
        y[first + tile * BLOCK + (t ^ 1)] = 2.0f * held[tile & 1][t ^ 1]; // found: race
        __syncthreads();
    }
}
