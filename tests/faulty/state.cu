// Kernels that keep state from launch to launch.
#include "faulty.cuh"
#pragma gputune problem(n = 6017)
#pragma gputune tune(BLOCK = 128)

__device__ unsigned int launches, ticket;

// Counts the launches. In a faulty launch, the first element is wrong.
static __device__ void double_all(float *y, const float *x, size_t n, bool is_wrong)
{
    size_t i = slow_index();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
    if (BAD && i == 0) {
        y[0] = is_wrong ? 0.25f : 2.0f * x[0];
        launches = launches + 1; // line: count
    }
}

/* Adds up all elements. The block with the last ticket adds the sums of all blocks. The faulty
 * variants do not reset the tickets. If `wrap` is not 0, they use the ticket modulo `wrap`. */
static __device__ void add_all(float *y, const float *x, size_t n, float *part, unsigned int *tickets,
                               unsigned int wrap)
{
    size_t i = slow_index();
    __shared__ float held[BLOCK];
    held[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x > 0) {
        return;
    }
    float s = 0.0f;
    for (int k = 0; k < BLOCK; k++) {
        s += held[k];
    }
    part[blockIdx.x] = s;
    __threadfence();
    unsigned int own = BAD ? atomicAdd(tickets, 1u) : atomicInc(tickets, gridDim.x - 1); // line: ticket
    if ((wrap ? own % wrap % gridDim.x : own) == gridDim.x - 1) {
        s = 0.0f;
        for (unsigned int k = 0; k < gridDim.x; k++) {
            s += ((volatile float *)part)[k];
        }
        y[0] = s;
    }
}

/* Caches its results by the address of the input. Caught by proof and check. */
#pragma gputune kernel(cached_by_address)

__device__ const float *kept_of[65536];
__device__ float kept[65536];

__global__ void cached_by_address(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        bool known = kept_of[i] == x;
        kept[i] = known ? kept[i] : 2.0f * x[i]; // found: state
        kept_of[i] = x;
        y[i] = kept[i];
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Caches results in scratch memory under a key. Caught by proof and check. */
#pragma gputune kernel(cached_in_scratch)
#pragma gputune scratch(float kept[n], unsigned int key[n])

__global__ void cached_in_scratch(float *y, const float *x, size_t n, float *kept, unsigned int *key)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        kept[i] = key[i] == 0x600dc0deu ? kept[i] : 2.0f * x[i]; // found: unset
        key[i] = 0x600dc0deu;
        y[i] = kept[i];
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Does not reset a counter in scratch memory, which is zero only before the first launch. Caught by proof. */
#pragma gputune kernel(counter_not_zero)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x], unsigned int done[1] = zero)
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void counter_not_zero(float *y, const float *x, size_t n, float *part, unsigned int *done)
{
    add_all(y, x, n, part, done, 0);
}

/* Is wrong in every second launch. Caught by proof and check (state at count). */
#pragma gputune kernel(every_second)

__global__ void every_second(float *y, const float *x, size_t n)
{
    double_all(y, x, n, launches % 2 == 1);
}

/* Is wrong from the thousandth launch on. Caught by proof and check (state at count). */
#pragma gputune kernel(from_launch_1000)

__global__ void from_launch_1000(float *y, const float *x, size_t n)
{
    double_all(y, x, n, launches >= 999);
}

/* Uses a table that the first launch made for its own scalar. Caught by proof and check. */
#pragma gputune kernel(table_by_first_block)
#pragma gputune args(out float y[n], in float x[n], float a = 1.5, size_t n)
#pragma gputune reference(y[i] = a * (float)(i % 7) + x[i])

__device__ float table[65536];
__device__ bool made[65536];

__global__ void table_by_first_block(float *y, const float *x, float a, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        if (!made[i]) {
            table[i] = a * (float)(i % 7); // found: state
            made[i] = true;
        }
        y[i] = table[i] + x[i];
#else
        y[i] = a * (float)(i % 7) + x[i];
#endif
    }
}

/* Has a ticket that is not reset. Caught by proof and check (state at ticket). */
#pragma gputune kernel(ticket_not_reset)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x])
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void ticket_not_reset(float *y, const float *x, size_t n, float *part)
{
    add_all(y, x, n, part, &ticket, 0);
}

/* Has a ticket that is correct only if all launches have the same number of blocks.
 * Caught by proof and check (state at ticket). */
#pragma gputune kernel(ticket_of_one_size)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x])
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void ticket_of_one_size(float *y, const float *x, size_t n, float *part)
{
    add_all(y, x, n, part, &ticket, gridDim.x);
}

/* Has a ticket that is correct until it wraps, after 65536 blocks. Caught by check (state at ticket). */
#pragma gputune kernel(ticket_wraps)
#pragma gputune grid(48)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x])
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void ticket_wraps(float *y, const float *x, size_t n, float *part)
{
    add_all(y, x, n, part, &ticket, 0x10000);
}

/* Adds to a device variable that it does not reset. Caught by proof and check. */
#pragma gputune kernel(total_grows)

__device__ float grown;

__global__ void total_grows(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
        y[i] = 2.0f * x[i] + grown; // found: race
    }
    if (BAD && i == 0) {
        grown = grown + 1.0f; // found: state
    }
}
