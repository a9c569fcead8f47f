// Structs that are buffer elements or passed by value, with nested, padded and aligned members.
#define TRAIL 3
typedef float real;
struct alignas(16) body {
    float3 place, speed;
    double mass;
    unsigned char kind;
    real trail[TRAIL];
};
typedef struct {
    float g[2];
    int limit;
} rules;
struct step {
    rules rule;
    bool bounce;
    size_t n;
    real t;

    __device__ float gravity(int i) const { return rule.g[i] * t; }
};
#pragma gputune kernel(particles)
#pragma gputune problem(n = 500)
#pragma gputune args(inout body b[n] = {.kind = uniform(0, 3), .mass = uniform(1, 2), .trail = zero}, out float2 energy[n], in rules extra[4] = {uniform(0, 1), index}, step s = {.rule.g = 0.5, .rule.limit = 7, .bounce = 1, .t = 0.25}, float4 wind = {1, 2, 0.5, 0})
#pragma gputune tune(BLOCK = 64, 128) block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(particles_reference, grid = ceil_div(n, 256))

__device__ void move(body *all, float2 *energy, const rules *extra, const step &s, float4 wind, size_t i)
{
    body b = all[i];
    for (int k = TRAIL - 1; k > 0; k--) {
        b.trail[k] = b.trail[k - 1];
    }
    b.trail[0] = b.place.x + (float)extra[b.kind].limit;
    b.speed.x += s.gravity(0) + wind.x * extra[b.kind & 3].g[0];
    b.speed.y += s.gravity(1) + wind.y;
    b.place.x += s.t * b.speed.x;
    b.place.y += s.t * b.speed.y;
    b.place.z += s.t * b.speed.z + wind.z;
    if (s.bounce && b.place.x > s.rule.limit) {
        b.place.x = s.rule.limit;
    }
    b.kind = (b.kind + 1) % 4;
    all[i] = b;
    energy[i] = make_float2(b.mass * (b.speed.x * b.speed.x + b.speed.y * b.speed.y), b.place.y);
}

__global__ void particles(body *b, float2 *energy, const rules *extra, const step s, float4 wind)
{
    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    if (i < s.n) {
        move(b, energy, extra, s, wind, i);
    }
}

__global__ void particles_reference(body *b, float2 *energy, const rules *extra, const step s, float4 wind)
{
    size_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < s.n) {
        move(b, energy, extra, s, wind, i);
    }
}
