// Finds the points inside a polygon: those with an odd number of edges to their right

#pragma gputune kernel(pnpoly)
#pragma gputune problem(n = 20000000, const VERTICES = 600)
#pragma gputune constant(vertices : float2[VERTICES] : {uniform(-1, 1), .y = index})
#pragma gputune args(out int inside[n], in float slopes[VERTICES], \
                     in float2 points[n] = {uniform(-1, 1), .y = uniform(1, VERTICES - 2)}, int n)
#pragma gputune init(find_slopes, block = 128, grid = ceil_div(VERTICES, 128))
#pragma gputune tune(block_size_x = 32, 64, 96, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 992)
#pragma gputune tune(tile_size = 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20) // points per thread
#pragma gputune tune(between_method = 0, 1, 2, 3)
#pragma gputune tune(use_precomputed_slopes = 0, 1)
#pragma gputune tune(use_method = 0, 1)
#pragma gputune default(block_size_x = 256)
#pragma gputune block(block_size_x) grid(ceil_div(n, block_size_x * tile_size))
#pragma gputune work(flops = 8 * n * VERTICES)
#pragma gputune reference(pnpoly_reference, block = 256, grid = ceil_div(n, 256))

__constant__ float2 vertices[VERTICES];

// Returns true if the height a is between b and c. The last two methods require that no point is as
// high as the polygon's highest corner or as low as its lowest.
GPUTUNE_INLINE bool is_between(float a, float b, float c)
{
#if between_method == 0
    return (b > a) != (c > a);
#elif between_method == 1
    return (b <= a && c > a) || (b > a && c <= a);
#elif between_method == 2
    return a - b == 0 || (a - b) * (a - c) < 0;
#else
    return (a - b) * (a - c) < 0 || a - b == 0;
#endif
}

__global__ void pnpoly(int *inside, const float *slopes, const float2 *points, int n)
{
    const int first = blockIdx.x * (block_size_x * tile_size) + threadIdx.x;
    float2 mine[tile_size];
    int crossings[tile_size] = {};
#pragma unroll
    for (int i = 0; i < tile_size; i++) {
        const int point = first + i * block_size_x;
        mine[i] = point < n ? points[point] : float2{};
    }
    for (int to = 0, from = VERTICES - 1; to < VERTICES; from = to++) {
        const float2 a = vertices[to], b = vertices[from];
        const float slope = use_precomputed_slopes ? slopes[to] : (b.x - a.x) / (b.y - a.y);
#pragma unroll
        for (int i = 0; i < tile_size; i++) {
            const bool between = is_between(mine[i].y, a.y, b.y);
#if use_method == 0
            if (between && mine[i].x < slope * (mine[i].y - a.y) + a.x) {
                crossings[i] = !crossings[i];
            }
#else
            crossings[i] += between & (mine[i].x < slope * (mine[i].y - a.y) + a.x);
#endif
        }
    }
#pragma unroll
    for (int i = 0; i < tile_size; i++) {
        if (first + i * block_size_x < n) {
            inside[first + i * block_size_x] = crossings[i] & 1;
        }
    }
}

__global__ void find_slopes(int *, float *slopes, float2 *, int, unsigned long long)
{
    const int to = blockIdx.x * 128 + threadIdx.x, from = to == 0 ? VERTICES - 1 : to - 1;
    if (to < VERTICES) {
        const float2 a = vertices[to], b = vertices[from];
        slopes[to] = (b.x - a.x) / (b.y - a.y);
    }
}

__global__ void pnpoly_reference(int *inside, const float *, const float2 *points, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float2 p = points[i];
    bool odd = false;
    for (int to = 0, from = VERTICES - 1; to < VERTICES; from = to++) {
        const float2 a = vertices[to], b = vertices[from];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) / (b.y - a.y) * (p.y - a.y) + a.x) {
            odd = !odd;
        }
    }
    inside[i] = odd;
}
