# Code is compiled for the exact target, such as sm_90a, which architecture-specific instructions need.
export GPUTUNE_DB=:memory:
cat >k.cu <<'F'
#pragma gputune kernel(k) args(out float y[4]) block(128) grid(1)
__global__ void k(float *y)
{
#if __CUDA_ARCH__ >= 1200
    asm volatile("mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};"
                 : "+f"(y[0]), "+f"(y[1]), "+f"(y[2]), "+f"(y[3]) : "r"(0));
#elif __CUDA_ARCH__ >= 1000
    asm volatile("tcgen05.fence::before_thread_sync;");
#else
    asm volatile("wgmma.fence.sync.aligned;");
#endif
}
F
for arch in sm_90 sm_100 sm_103 sm_120; do
    $GPUTUNE warm ./k.cu --compile-only --arch $arch --format csv 2>&1 | grep '^k,' | cut -d, -f3,4 | sed "s|^|$arch|"
done
