// Buffers of CUDA's vector types, bool and char, and the fills that initialise them.
#pragma gputune kernel(vectors)
#pragma gputune problem(n = 1024)
#pragma gputune args(out float4 moved[n], in const float4 place[n], in float3 speed[n], in bool fixed[n] = uniform(0, 1), out uchar4 colour[n], in char3 delta[n] = uniform(-50, 50), inout int2 count[n] = index, float t = 0.25, size_t n)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(vectors_reference, block = (32, 2), grid = ceil_div(n, 64))

__device__ void one(float4 *moved, const float4 *place, const float3 *speed, const bool *fixed,
                    uchar4 *colour, const char3 *delta, int2 *count, float t, size_t i)
{
    float4 p = place[i];
    float3 v = speed[i];
    char3 d = delta[i];
    if (!fixed[i]) {
        p.x += t * v.x, p.y += t * v.y, p.z += t * v.z;
    }
    moved[i] = p;
    colour[i] = make_uchar4(128 + d.x, 128 + d.y, 128 + d.z, fixed[i] ? 255 : 0);
    count[i] = make_int2(count[i].x + 1, count[i].y - 1);
}

__global__ void vectors(float4 *__restrict__ moved, const float4 *__restrict__ place, float3 const *speed,
                        const bool *fixed, uchar4 *colour, const char3 *delta, int2 *count, float t,
                        size_t n)
{
    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    if (i < n) {
        one(moved, place, speed, fixed, colour, delta, count, t, i);
    }
}

__global__ void vectors_reference(float4 *moved, const float4 *place, const float3 *speed,
                                  const bool *fixed, uchar4 *colour, const char3 *delta, int2 *count,
                                  float t, size_t n)
{
    size_t i = blockIdx.x * 64 + threadIdx.y * 32 + threadIdx.x;
    if (i < n) {
        one(moved, place, speed, fixed, colour, delta, count, t, i);
    }
}
