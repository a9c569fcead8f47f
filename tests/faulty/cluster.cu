// Kernels that violate the rules of shared memory in clusters.
#include "slowly.cuh"
#include "async.cuh"
#pragma gputune problem(n = 8190)
#pragma gputune args(out float y[round_up(n, 256)], in float x[round_up(n, 256)], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune require(cc >= 90)
#pragma gputune block(BLOCK)
#pragma gputune grid(round_up(ceil_div(n, BLOCK), 2))
#pragma gputune cluster(SIZE = 2)
#pragma gputune reference(y[i] = 2.0f * x[i ^ 128])

/* Reads the other block's shared memory before the other block has written it.
 * Caught by check, and sometimes proof. */
#pragma gputune kernel(peer_not_awaited)

__global__ void peer_not_awaited(float *y, const float *x, size_t n)
{
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    __shared__ float held[BLOCK];
    slowly();
    gputune_cluster_sync();
    held[t] = x[i];
#if BAD
    __syncthreads();
#else
    gputune_cluster_sync();
#endif
    y[i] = 2.0f * ((volatile float *)gputune_cluster_map(held, gputune_cluster_rank() ^ 1))[t]; // found: race
    gputune_cluster_sync();
}

/* Ends while the other block may still read this block's shared memory. Caught by proof and check. */
#pragma gputune kernel(peer_ended)

__global__ void peer_ended(float *y, const float *x, size_t n)
{
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    __shared__ float held[BLOCK];
    slowly();
    held[t] = x[i];
    gputune_cluster_sync();
    y[i] = 2.0f * gputune_cluster_map(held, gputune_cluster_rank() ^ 1)[t]; // found: race
#if !BAD
    gputune_cluster_sync();
#endif
}

/* Writes to the shared memory of the other block, which may not have started. Caught by check. */
#pragma gputune kernel(peer_not_started)

__global__ void peer_not_started(float *y, const float *x, size_t n)
{
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    __shared__ float held[BLOCK];
    slowly();
#if !BAD
    gputune_cluster_sync();
#endif
    gputune_cluster_map(held, gputune_cluster_rank() ^ 1)[t] = x[i]; // found: race
    gputune_cluster_sync();
    y[i] = 2.0f * held[t];
}

/* Arrives at the cluster's barrier before its last read of the other block. Caught by check. */
#pragma gputune kernel(arrives_early)

__global__ void arrives_early(float *y, const float *x, size_t n)
{
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    __shared__ float held[BLOCK];
    slowly();
    held[t] = x[i];
    gputune_cluster_sync();
#if BAD
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
#endif
    y[i] = 2.0f * ((volatile float *)gputune_cluster_map(held, gputune_cluster_rank() ^ 1))[t]; // found: race
#if !BAD
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
#endif
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

#define MULTICAST(to, from, bytes, bar, blocks)                                                    \
    asm volatile(                                                                                  \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "    \
        "[%0], [%1], %2, [%3], %4;" ::"r"(SHARED(to)),                                             \
        "l"(from), "r"((unsigned int)(bytes)), "r"(SHARED(&(bar))), "h"((unsigned short)(blocks))  \
        : "memory")

// Copies half of the data into the shared memory of both blocks.
static __device__ void multicast(float *y, const float *x, bool is_early, int expected)
{
    int t = threadIdx.x, rank = gputune_cluster_rank();
    __shared__ alignas(128) float held[2][BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    slowly();
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
        EXPECT(bar, expected * BLOCK * 4);
    }
    if (is_early) {
        __syncthreads();
    } else {
        gputune_cluster_sync();
    }
    if (t == 0) {
        MULTICAST(held[rank], x + (size_t)blockIdx.x * BLOCK, BLOCK * 4, bar, 3); // line: multicast
    }
    WAIT(bar, 0);
    y[(size_t)blockIdx.x * BLOCK + t] = 2.0f * held[rank ^ 1][t];
    gputune_cluster_sync();
}

/* Copies to both blocks before the other block has initialised its barrier. Caught by check (race at multicast). */
#pragma gputune kernel(multicast_early)

__global__ void multicast_early(float *y, const float *x, size_t n)
{
    multicast(y, x, BAD, 2);
}

/* Waits for the bytes of only one of the two halves. Caught by proof and check (barrier at multicast). */
#pragma gputune kernel(multicast_half)

__global__ void multicast_half(float *y, const float *x, size_t n)
{
    multicast(y, x, false, 2 - BAD);
}

/* Sends data to the other block and waits for the wrong phase. Caught by proof and check. */
#pragma gputune kernel(sent_not_awaited)

__global__ void sent_not_awaited(float *y, const float *x, size_t n)
{
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    __shared__ alignas(128) float held[BLOCK];
    __shared__ alignas(8) unsigned long long bar;
    slowly();
    if (t == 0) {
        INIT(bar, 1);
        FENCE_INIT();
        EXPECT(bar, BLOCK * 4);
    }
    gputune_cluster_sync();
    unsigned int peer = gputune_cluster_rank() ^ 1, to, at;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(SHARED(&held[t])), "r"(peer));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(SHARED(&bar)), "r"(peer));
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(to),
                 "f"(x[i]), "r"(at)
                 : "memory");
    WAIT(bar, BAD);
    y[i] = 2.0f * ((volatile float *)held)[t]; // found: race
    gputune_cluster_sync();
}
