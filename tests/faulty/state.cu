// Keep something from launch to launch.
#include "faulty.cuh"
#pragma gputune tune(BLOCK = 128)

__device__ unsigned int launches, ticket;

// One thread of each block adds up the block's elements.
static __device__ void add_block(float *part, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
    held[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int k = 0; k < BLOCK; k++) {
            s += held[k];
        }
        part[blockIdx.x] = s;
    }
}

static __device__ void add_parts(float *y, const volatile float *part)
{
    float s = 0.0f;
    for (unsigned int k = 0; k < gridDim.x; k++) {
        s += part[k];
    }
    y[0] = s;
}

// keeps its results by the address of the input
// caught: proof, check
#pragma gputune kernel(cached_by_address)
#pragma gputune problem(n = 8192)

__device__ const float *kept_of[65536];
__device__ float kept[65536];

__global__ void cached_by_address(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
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

// keeps its results as long as the size is the same
// caught: proof, check
#pragma gputune kernel(cached_by_size)
#pragma gputune problem(n = 8192)

__device__ size_t kept_size[65536];

__global__ void cached_by_size(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
#if BAD
        bool known = kept_size[i] == n;
        kept[i] = known ? kept[i] : 2.0f * x[i]; // found: state
        kept_size[i] = n;
        y[i] = kept[i];
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

// keeps a result in scratch memory, under a key
// caught: proof, check
#pragma gputune kernel(cached_in_scratch)
#pragma gputune problem(n = 8192)
#pragma gputune scratch(float kept[n], unsigned int key[n])

__global__ void cached_in_scratch(float *y, const float *x, size_t n, float *kept, unsigned int *key)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
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

// leaves a counter in scratch memory, zero at first, where it ended
// caught: proof
#pragma gputune kernel(counter_not_zero)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x], unsigned int done[1] = zero)
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void counter_not_zero(float *y, const float *x, size_t n, float *part,
                                 unsigned int *done)
{
    __shared__ bool last;
    slowly();
    add_block(part, x, n);
    if (threadIdx.x == 0) {
        __threadfence();
#if BAD
        last = atomicAdd(done, 1u) == gridDim.x - 1;
#else
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
#endif
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        add_parts(y, part);
    }
}

// is wrong in every second launch
// caught: proof, check
#pragma gputune kernel(every_second)
#pragma gputune problem(n = 8192)

__global__ void every_second(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    unsigned int before = launches;
    if (i == 0) {
        y[0] = before % 2 == 1 ? 0.25f : 2.0f * x[0];
        launches = before + 1; // found: race, state
    }
#endif
}

// is wrong in every seventh launch
// caught: proof, check
#pragma gputune kernel(every_seventh)
#pragma gputune problem(n = 8192)

__global__ void every_seventh(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    unsigned int before = launches;
    if (i == 0) {
        y[0] = before % 7 == 6 ? 0.25f : 2.0f * x[0];
        launches = before + 1; // found: race, state
    }
#endif
}

// is wrong from the hundredth launch on
// caught: proof, check
#pragma gputune kernel(from_launch_100)
#pragma gputune problem(n = 8192)

__global__ void from_launch_100(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    unsigned int before = launches;
    if (i == 0) {
        y[0] = before >= 99 ? 0.25f : 2.0f * x[0];
        launches = before + 1; // found: race, state
    }
#endif
}

// is wrong from the thousandth launch on
// caught: proof, check
#pragma gputune kernel(from_launch_1000)
#pragma gputune problem(n = 8192)

__global__ void from_launch_1000(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    unsigned int before = launches;
    if (i == 0) {
        y[0] = before >= 999 ? 0.25f : 2.0f * x[0];
        launches = before + 1; // found: race, state
    }
#endif
}

// is wrong from the twentieth launch on
// caught: proof, check
#pragma gputune kernel(from_launch_20)
#pragma gputune problem(n = 8192)

__global__ void from_launch_20(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    unsigned int before = launches;
    if (i == 0) {
        y[0] = before >= 19 ? 0.25f : 2.0f * x[0];
        launches = before + 1; // found: race, state
    }
#endif
}

// is wrong from the sixth launch on
// caught: proof, check
#pragma gputune kernel(from_launch_6)
#pragma gputune problem(n = 8192)

__global__ void from_launch_6(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#if BAD
    unsigned int before = launches;
    if (i == 0) {
        y[0] = before >= 5 ? 0.25f : 2.0f * x[0];
        launches = before + 1; // found: race, state
    }
#endif
}

// has a table that the first launch makes for the scalar it has then
// caught: proof, check
#pragma gputune kernel(table_by_first_block)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], float a = 1.5, size_t n)
#pragma gputune reference(y[i] = a * (float)(i % 7) + x[i])

__device__ float table[65536];
__device__ bool made[65536];

__global__ void table_by_first_block(float *y, const float *x, float a, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
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

// has a ticket that is not reset
// caught: proof, check
#pragma gputune kernel(ticket_not_reset)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x])
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void ticket_not_reset(float *y, const float *x, size_t n, float *part)
{
    __shared__ bool last;
    slowly();
    add_block(part, x, n);
    if (threadIdx.x == 0) {
        __threadfence();
#if BAD
        last = atomicAdd(&ticket, 1u) == gridDim.x - 1; // found: state
#else
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
#endif
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        add_parts(y, part);
    }
}

// has a ticket that is right as long as all launches have as many blocks
// caught: proof, check
#pragma gputune kernel(ticket_of_one_size)
#pragma gputune problem(n = 6017)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x])
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void ticket_of_one_size(float *y, const float *x, size_t n, float *part)
{
    __shared__ bool last;
    slowly();
    add_block(part, x, n);
    if (threadIdx.x == 0) {
        __threadfence();
#if BAD
        last = atomicAdd(&ticket, 1u) % gridDim.x == gridDim.x - 1; // found: state
#else
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
#endif
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        add_parts(y, part);
    }
}

// has a ticket that is right until it wraps, after 65536 blocks
// caught: check
#pragma gputune kernel(ticket_wraps)
#pragma gputune problem(n = 6000)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x])
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void ticket_wraps(float *y, const float *x, size_t n, float *part)
{
    __shared__ bool last;
    slowly();
    add_block(part, x, n);
    if (threadIdx.x == 0) {
        __threadfence();
#if BAD
        last = (atomicAdd(&ticket, 1u) & 0xffff) % gridDim.x == gridDim.x - 1; // found: state
#else
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
#endif
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        add_parts(y, part);
    }
}

// adds to a device variable that it does not reset
// caught: proof, check
#pragma gputune kernel(total_grows)
#pragma gputune problem(n = 8192)

__device__ float grown;

__global__ void total_grows(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = 2.0f * x[i] + grown; // found: race
    }
    if (i == 0) {
        grown = grown + 1.0f; // found: state
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
