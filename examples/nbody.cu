// Accelerations of bodies that attract each other: tiles of bodies in shared memory
#include "gputune.cuh"

#pragma gputune kernel(nbody)
#pragma gputune problem(n = 4096)
#pragma gputune args(out float4 acceleration[n], in float4 body[n] = uniform(0, 1), int n, float softening = 0.01)
#pragma gputune tune(BLOCK = 64, 128, 256)
#pragma gputune tune(BODIES = 1, 2, 4) // bodies per thread
#pragma gputune tune(UNROLL = 1, 4, 8)
#pragma gputune default(BLOCK = 128, BODIES = 1, UNROLL = 4)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK * BODIES))
#pragma gputune shared(16 * BLOCK)
#pragma gputune work(flops = 20 * n * n)
#pragma gputune reference(nbody_reference, block = 128, grid = ceil_div(n, 128))

extern __shared__ float4 tile[];

GPUTUNE_INLINE void attract(float4 &sum, float4 at, float4 other, float softening)
{
    const float x = other.x - at.x, y = other.y - at.y, z = other.z - at.z;
    const float nearness = rsqrtf(x * x + y * y + z * z + softening);
    const float pull = other.w * nearness * nearness * nearness;
    sum.x += pull * x;
    sum.y += pull * y;
    sum.z += pull * z;
}

__global__ void nbody(float4 *acceleration, const float4 *body, int n, float softening)
{
    const int first = blockIdx.x * BLOCK * BODIES + threadIdx.x;
    float4 at[BODIES], sum[BODIES];
    for (int i = 0; i < BODIES; i++) {
        at[i] = body[min(first + i * BLOCK, n - 1)];
        sum[i] = float4{0, 0, 0, 0};
    }
    for (int begin = 0; begin < n; begin += BLOCK) {
        const int mine = begin + threadIdx.x;
        tile[threadIdx.x] = mine < n ? body[mine] : float4{0, 0, 0, 0}; // has no mass
        __syncthreads();
#pragma unroll UNROLL
        for (int other = 0; other < BLOCK; other++) {
            for (int i = 0; i < BODIES; i++) {
                attract(sum[i], at[i], tile[other], softening);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < BODIES; i++) {
        if (first + i * BLOCK < n) {
            acceleration[first + i * BLOCK] = sum[i];
        }
    }
}

__global__ void nbody_reference(float4 *acceleration, const float4 *body, int n, float softening)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 sum = {0, 0, 0, 0};
        for (int other = 0; other < n; other++) {
            attract(sum, body[i], body[other], softening);
        }
        acceleration[i] = sum;
    }
}
