// What kernels share that bring many values together.
#pragma once
#include "gputune.cuh"

struct gputune_sum {
    template <typename value_type>
    GPUTUNE_INLINE value_type operator()(value_type a, value_type b) const
    {
        return a + b;
    }
    template <typename value_type> static GPUTUNE_INLINE value_type none()
    {
        return value_type(0);
    }
};
struct gputune_max {
    template <typename value_type>
    GPUTUNE_INLINE value_type operator()(value_type a, value_type b) const
    {
        return max(a, b); // NaN is left out
    }
    template <typename value_type> static GPUTUNE_INLINE value_type none()
    {
        return value_type(-INFINITY);
    }
};

// What the values of `width` neighbours of a warp come to, in each of its threads.
template <int width = 32, typename value_type, typename operation_type>
GPUTUNE_INLINE value_type gputune_warp_reduce(value_type value, operation_type combine)
{
#pragma unroll
    for (int step = width / 2; step > 0; step /= 2) {
        value = combine(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    return value;
}

// What the values of a block of `threads` in x, 32 times a power of two, come to, in each of them.
// Between two calls with the same types there is a barrier, as both use the same shared memory.
template <int threads, typename value_type, typename operation_type>
GPUTUNE_INLINE value_type gputune_block_reduce(value_type value, operation_type combine)
{
    value = gputune_warp_reduce(value, combine);
    if constexpr (threads > 32) {
        __shared__ value_type warps[threads / 32];
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        if (lane == 0) {
            warps[warp] = value;
        }
        __syncthreads();
        value = gputune_warp_reduce<threads / 32>(warps[lane % (threads / 32)], combine);
    }
    return value;
}

// What the values of all blocks come to, in *result: the block that is the last to be done adds up
// what each left in partial[gridDim.x]. done[0] is zero before the launch, and behind it.
template <int threads, typename value_type, typename operation_type>
GPUTUNE_INLINE void gputune_grid_reduce(value_type *result, value_type value, value_type *partial,
                                        unsigned int *done, operation_type combine)
{
    __shared__ bool last;
    value = gputune_block_reduce<threads>(value, combine);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1; // which makes it zero
    }
    __syncthreads();
    if (last) {
        __threadfence();
        value = operation_type::template none<value_type>();
        for (unsigned int i = threadIdx.x; i < gridDim.x; i += threads) {
            value = combine(value, __ldcg(&partial[i]));
        }
        value = gputune_block_reduce<threads>(value, combine);
        if (threadIdx.x == 0) {
            *result = value;
        }
    }
}

// Any number type as a double: the half types have no conversion of their own.
GPUTUNE_INLINE double gputune_double(double value)
{
    return value;
}
GPUTUNE_INLINE double gputune_double(float value)
{
    return value;
}
template <typename number> GPUTUNE_INLINE double gputune_double(const number &value)
{
    return float(value);
}
