// What the kernels here share, where they say nothing else.
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

// What makes the right variant the slower one: a warp of each block is enough.
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
