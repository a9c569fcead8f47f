/* Kernels that run before a launch: they sweep the cache, keep the stream busy, and poison shared memory. */

/* Evicts other data from L2 by reading `bytes` bytes, which must be a multiple of 16. The bytes are zero unless a
 * launch has written there. Writes to *sink if any byte is not zero. Because of this write, the compiler cannot remove
 * the loads. */
extern "C" __global__ void __launch_bounds__(GT_SERVICE_THREADS)
    gt_service_sweep(const uint4 *data, u64 bytes, u32 *sink)
{
    u64 count = bytes / 16, step = (u64)gridDim.x * GT_SERVICE_THREADS;
    u32 seen = 0;
#pragma unroll 8
    for (u64 i = (u64)blockIdx.x * GT_SERVICE_THREADS + threadIdx.x; i < count; i += step) {
        uint4 item = data[i];
        seen |= item.x | item.y | item.z | item.w;
    }
    if (seen != 0) {
        *sink = seen;
    }
}

// Keeps the stream busy while the host queues more work. That work then runs without gaps.
extern "C" __global__ void gt_service_delay(u64 nanoseconds)
{
    u64 start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
}

// Leaves poison in shared memory for the next kernel.
extern "C" __global__ void __launch_bounds__(GT_SERVICE_THREADS)
    gt_service_poison_shared(u32 poison, u32 bytes)
{
    extern __shared__ u32 words[];
#pragma unroll 1
    for (u32 i = threadIdx.x; i < bytes / 4; i += GT_SERVICE_THREADS) {
        ((volatile u32 *)words)[i] = poison_byte((poison + blockIdx.x) & 3, 4 * i) * 0x01010101u;
    }
}
