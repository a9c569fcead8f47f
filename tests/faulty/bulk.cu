// Use bulk and asynchronous copies, and the barriers that wait for them, against their rules. The
// right variants differ by what is said to be missing.
#include "slowly.cuh"
#include "async.cuh"
#pragma gputune problem(n = 8190)
#pragma gputune args(out float y[round_up(n, 1024)], in float x[round_up(n, 1024)], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune require(cc >= 90)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, 1024))
#pragma gputune reference(y[i] = 2.0f * x[i])

// Eight tiles of 128 elements each: the block's part.
#define TILES 8
#define TILE_BYTES (BLOCK * 4)

// waits for the phase of the first tile each time
// caught: proof, check
#pragma gputune kernel(parity_forgotten)

__global__ void parity_forgotten(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar);
        }
#if BAD
        WAIT(bar, 0);
#else
        WAIT(bar, tile & 1);
#endif
        y[first + tile * BLOCK + t] = 2.0f * held[t]; // found: race
        __syncthreads();
    }
}

// waits for the phase that is over before it begins
// caught: proof, check
#pragma gputune kernel(parity_ahead)

__global__ void parity_ahead(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar);
        }
        WAIT(bar, (tile & 1) ^ BAD);
        y[first + tile * BLOCK + t] = 2.0f * held[t]; // found: race
        __syncthreads();
    }
}

// only the first thread waits, and the others are not held up behind it
// caught: proof, check
#pragma gputune kernel(one_waits)

__global__ void one_waits(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar);
        }
        if (t == 0) {
            WAIT(bar, tile & 1);
        }
#if !BAD
        __syncthreads();
#endif
        y[first + tile * BLOCK + t] = 2.0f * held[t]; // found: race
        __syncthreads();
    }
}

// the same within a warp
// caught: check
#pragma gputune kernel(one_lane_waits)

__global__ void one_lane_waits(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    if (t >= 32) {
        slowly();
        return;
    }
    slowly();
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

// copies the next tile before all threads have read the last one
// caught: proof, check
#pragma gputune kernel(overwritten_by_copy)

__global__ void overwritten_by_copy(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar); // found: race
        }
        WAIT(bar, tile & 1);
        y[first + tile * BLOCK + t] = 2.0f * held[t];
#if !BAD
        __syncthreads();
#endif
    }
}

// announces half of the bytes that are copied
// caught: proof, check
#pragma gputune kernel(expects_too_few)

__global__ void expects_too_few(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, BAD ? TILE_BYTES / 2 : TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES / 2, bar);
            LOAD(held + BLOCK / 2, x + first + tile * BLOCK + BLOCK / 2, TILE_BYTES / 2, bar); // found: barrier
        }
        WAIT(bar, tile & 1);
        y[first + tile * BLOCK + t] = 2.0f * held[t];
        __syncthreads();
    }
}

// announces more bytes than are copied, and waits for ever
// caught: proof, check
#pragma gputune kernel(expects_too_many)

__global__ void expects_too_many(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, BAD ? TILE_BYTES + 16 : TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar);
        }
        WAIT(bar, tile & 1); // found: barrier
        y[first + tile * BLOCK + t] = 2.0f * held[t];
        __syncthreads();
    }
}

// announces no bytes: the barrier is over before the copy is
// caught: proof, check
#pragma gputune kernel(expects_nothing)

__global__ void expects_nothing(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
#if BAD
            ARRIVE(bar);
#else
            EXPECT(bar, TILE_BYTES);
#endif
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar);
        }
        WAIT(bar, tile & 1);
        y[first + tile * BLOCK + t] = 2.0f * held[t]; // found: race
        __syncthreads();
    }
}

// the barrier waits for one arrival more than comes
// caught: proof, check
#pragma gputune kernel(one_arrival_too_many)

__global__ void one_arrival_too_many(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1 + BAD);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar);
        }
        WAIT(bar, tile & 1); // found: barrier
        y[first + tile * BLOCK + t] = 2.0f * held[t];
        __syncthreads();
    }
}

// the barrier waits for half of the threads that fill the tile
// caught: proof, check
#pragma gputune kernel(too_few_arrivals)

__global__ void too_few_arrivals(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, BAD ? BLOCK / 2 : BLOCK);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        held[t] = x[first + tile * BLOCK + t]; // found: race
        ARRIVE(bar);
#if BAD
        WAIT(bar, 0);
#else
        WAIT(bar, tile & 1);
#endif
        y[first + tile * BLOCK + (t ^ 64)] = 2.0f * held[t ^ 64];
        __syncthreads();
    }
}

// tells the copies of no barrier that was initialised
// caught: check
#pragma gputune kernel(init_not_fenced)

__global__ void init_not_fenced(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
#if !BAD
        FENCE_INIT();
#endif
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar); // found: race
        }
        WAIT(bar, tile & 1);
        y[first + tile * BLOCK + t] = 2.0f * held[t];
        __syncthreads();
    }
}

// waits at a barrier that another thread may not have initialised
// caught: check
#pragma gputune kernel(init_not_awaited)

__global__ void init_not_awaited(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
#if !BAD
    __syncthreads();
#endif
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK, TILE_BYTES, bar);
        }
        WAIT(bar, tile & 1); // found: race
        y[first + tile * BLOCK + t] = 2.0f * held[t];
        __syncthreads();
    }
}

// copies as many bytes as there are elements left
// caught: proof, check
#pragma gputune kernel(not_of_16_bytes)

__global__ void not_of_16_bytes(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            size_t at = first + tile * BLOCK, left = at < n ? n - at : 0;
            unsigned int bytes = TILE_BYTES;
#if BAD
            bytes = left < BLOCK ? 4 * (unsigned int)left + 4 : bytes;
#endif
            EXPECT(bar, bytes);
            LOAD(held, x + at, bytes, bar); // found: alignment
        }
        WAIT(bar, tile & 1);
        y[first + tile * BLOCK + t] = 2.0f * held[t];
        __syncthreads();
    }
}

// copies from an element that is at no multiple of 16 bytes
// caught: proof, check
#pragma gputune kernel(source_not_aligned)

__global__ void source_not_aligned(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK + 4];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        if (t == 0) {
            EXPECT(bar, TILE_BYTES);
            LOAD(held, x + first + tile * BLOCK + BAD, TILE_BYTES, bar); // found: alignment
        }
        WAIT(bar, tile & 1);
        y[first + tile * BLOCK + t] = 2.0f * held[t];
        __syncthreads();
    }
}

// waits for the barrier of the other stage
// caught: proof, check
#pragma gputune kernel(wrong_stage)

__global__ void wrong_stage(float *y, const float *x, size_t n)
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
            WAIT(empty[s], (tile >> 1 & 1) ^ 1);
            EXPECT(full[s], TILE_BYTES);
            LOAD(held[s], x + first + tile * BLOCK, TILE_BYTES, full[s]);
        }
        return;
    }
    for (int tile = 0; tile < TILES; tile++) {
        int s = tile & 1;
        WAIT(full[BAD && tile ? s ^ 1 : s], (BAD && tile ? tile - 1 : tile) >> 1 & 1);
        for (int k = t; k < BLOCK; k += BLOCK - 32) {
            y[first + tile * BLOCK + k] = 2.0f * held[s][k]; // found: race
        }
        ARRIVE(empty[s]);
    }
}

// the producer does not wait until a stage is free
// caught: proof, check
#pragma gputune kernel(stage_not_free)

__global__ void stage_not_free(float *y, const float *x, size_t n)
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
#if !BAD
            WAIT(empty[s], (tile >> 1 & 1) ^ 1);
#endif
            EXPECT(full[s], TILE_BYTES);
            LOAD(held[s], x + first + tile * BLOCK, TILE_BYTES, full[s]); // found: race
        }
        return;
    }
    for (int tile = 0; tile < TILES; tile++) {
        int s = tile & 1;
        WAIT(full[s], tile >> 1 & 1);
        for (int k = t; k < BLOCK; k += BLOCK - 32) {
            y[first + tile * BLOCK + k] = 2.0f * held[s][k];
        }
        ARRIVE(empty[s]);
    }
}

// frees a stage before it is read
// caught: check
#pragma gputune kernel(freed_early)

__global__ void freed_early(float *y, const float *x, size_t n)
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
            WAIT(empty[s], (tile >> 1 & 1) ^ 1);
            EXPECT(full[s], TILE_BYTES);
            LOAD(held[s], x + first + tile * BLOCK, TILE_BYTES, full[s]); // found: race
        }
        return;
    }
    for (int tile = 0; tile < TILES; tile++) {
        int s = tile & 1;
        WAIT(full[s], tile >> 1 & 1);
#if BAD
        ARRIVE(empty[s]);
#endif
        for (int k = t; k < BLOCK; k += BLOCK - 32) {
            y[first + tile * BLOCK + k] = 2.0f * held[s][k];
        }
#if !BAD
        ARRIVE(empty[s]);
#endif
    }
}

// frees no stage, so that the producer waits for ever
// caught: proof, check
#pragma gputune kernel(stage_never_freed)

__global__ void stage_never_freed(float *y, const float *x, size_t n)
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
            WAIT(empty[s], (tile >> 1 & 1) ^ 1); // found: barrier
            EXPECT(full[s], TILE_BYTES);
            LOAD(held[s], x + first + tile * BLOCK, TILE_BYTES, full[s]);
        }
        return;
    }
    for (int tile = 0; tile < TILES; tile++) {
        int s = tile & 1;
        WAIT(full[s], tile >> 1 & 1);
        for (int k = t; k < BLOCK; k += BLOCK - 32) {
            y[first + tile * BLOCK + k] = 2.0f * held[s][k];
        }
#if !BAD
        ARRIVE(empty[s]);
#endif
    }
}

// copies out what the threads have written, without a fence for the copies
// caught: check
#pragma gputune kernel(store_not_fenced)

__global__ void store_not_fenced(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[2][BLOCK];
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        held[0][t] = 2.0f * x[first + tile * BLOCK + t];
#if !BAD
        FENCE_ASYNC();
#endif
        __syncthreads();
        if (t == 0) {
            STORE(y + first + tile * BLOCK, held[0], TILE_BYTES); // found: race
            COMMIT();
            WAIT_READ(0);
        }
        __syncthreads();
    }
}

// the same with a fence of the one thread that copies, before the barrier
// caught: check
#pragma gputune kernel(store_fenced_by_one)

__global__ void store_fenced_by_one(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[2][BLOCK];
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        held[0][t] = 2.0f * x[first + tile * BLOCK + t];
        if (!BAD || t == 0) {
            FENCE_ASYNC();
        }
        __syncthreads();
        if (t == 0) {
            STORE(y + first + tile * BLOCK, held[0], TILE_BYTES); // found: race
            COMMIT();
            WAIT_READ(0);
        }
        __syncthreads();
    }
}

// writes the next tile before the copy has read the last one
// caught: check
#pragma gputune kernel(store_not_read)

__global__ void store_not_read(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[2][BLOCK];
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        held[0][t] = 2.0f * x[first + tile * BLOCK + t]; // found: race
        FENCE_ASYNC();
        __syncthreads();
        if (t == 0) {
            STORE(y + first + tile * BLOCK, held[0], TILE_BYTES);
            COMMIT();
#if !BAD
            WAIT_READ(0);
#endif
        }
        __syncthreads();
    }
}

// waits for groups of copies and closes none
// caught: check
#pragma gputune kernel(store_not_committed)

__global__ void store_not_committed(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[2][BLOCK];
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        held[0][t] = 2.0f * x[first + tile * BLOCK + t]; // found: race
        FENCE_ASYNC();
        __syncthreads();
        if (t == 0) {
            STORE(y + first + tile * BLOCK, held[0], TILE_BYTES);
#if !BAD
            COMMIT();
#endif
            WAIT_READ(0);
        }
        __syncthreads();
    }
}

// waits for all groups but the last, and writes where that one reads
// caught: check
#pragma gputune kernel(store_of_one_group_too_few)

__global__ void store_of_one_group_too_few(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[2][BLOCK];
    slowly();
    for (int tile = 0; tile < TILES; tile++) {
        held[0][t] = 2.0f * x[first + tile * BLOCK + t]; // found: race
        FENCE_ASYNC();
        __syncthreads();
        if (t == 0) {
            STORE(y + first + tile * BLOCK, held[0], TILE_BYTES);
            COMMIT();
#if BAD
            WAIT_READ(1);
#else
            WAIT_READ(0);
#endif
        }
        __syncthreads();
    }
}

// ends while its last copy may still read shared memory
// caught: check
#pragma gputune kernel(store_not_awaited)

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

// reads back what a copy may not have written yet
// caught: check
#pragma gputune kernel(stored_and_read)

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

// copies from global memory what its own block has just written there
// caught: check
#pragma gputune kernel(source_not_fenced)

__global__ void source_not_fenced(float *y, const float *x, size_t n)
{
    size_t first = (size_t)blockIdx.x * BLOCK * TILES;
    int t = threadIdx.x;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
    }
    __syncthreads();
    slowly();
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

// waits for all groups of copies but the one that it reads
// caught: check
#pragma gputune kernel(group_too_few)

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
