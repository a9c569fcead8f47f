// Makes the correct variant slower than the faulty one. A delay of one warp per block is enough.
static __device__ void slowly()
{
#if !BAD
    float x = 1.0f;
#pragma unroll 1
    for (int turn = 0; turn < 512 && threadIdx.x < 32; turn++) {
        asm volatile("add.rn.f32 %0, %0, %0;" : "+f"(x));
    }
#endif
}
