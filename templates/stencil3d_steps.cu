// y = x after several steps of a star-shaped stencil of radius R on a three-dimensional torus; the
// number of steps in a launch is tuned
#include "gputune.cuh"

// A block processes PLANES planes of a tile, and the planes around them, from first to last. After
// plane p was read, the first step of plane p - R can be computed, then the second step of plane
// p - 2 R, and so on. The planes that each step needs stay in registers. A warp computes whole rows
// of the tile, so neighbours in a row are exchanged by shuffles. Neighbours above and below come from
// shared memory, in which threads store their first and last R rows. At the tile's border, each step
// loses R points. The work of a launch depends on STEPS, so the variant with the most steps per
// second wins. made[0] is the number of steps.
#pragma gputune kernel(stencil3d_steps)
#pragma gputune problem(depth = 512, height = 512, width = 512)
#pragma gputune problem(const R = 1, 2)
#pragma gputune problem(type T = float, double)
#pragma gputune args(out T y[depth][height][width], out unsigned int made[1],                      \
                     in T x[depth][height][width], unsigned int depth, unsigned int height,        \
                     unsigned int width)
// Weights: c[0] of the point itself, c[d] of its neighbours at the distance d.
#pragma gputune pass(c : T[R + 1] = value : uniform(0, 0.14))
#pragma gputune tune(STEPS = 1, 2, 3, 4, 6)
#pragma gputune vector(VEC = 1, 2, 4 : x, y)
#pragma gputune tune(BY = 4, 8, 16, 32) // number of warps of a block
#pragma gputune tune(TY = 1, 2, 4, 8)   // number of rows of a thread
#pragma gputune tune(PLANES = 16, 32, 64, 128, 256)
#pragma gputune tune(AHEAD = 0, 1)  // number of planes that are loaded ahead
#pragma gputune tune(UNROLL = 1, 2) // planes
#pragma gputune define(ACROSS = (32 - 2 * ceil_div(R * STEPS, VEC)) * VEC,                         \
                       DOWN = BY * TY - 2 * R * STEPS)
#pragma gputune default(STEPS = 4, VEC = 1, BY = 8, TY = 4, PLANES = 64, AHEAD = 1, UNROLL = 2)
#pragma gputune require(width % VEC == 0 && TY >= R && R * STEPS <= 8)
#pragma gputune require(3 * DOWN >= BY * TY && 2 * ACROSS >= 32 * VEC && PLANES >= 4 * R * STEPS)
#pragma gputune require(VEC * TY * (2 * R * STEPS + 3 + AHEAD) * sizeof(T) / 4 + 32 <=             \
                        min(255, registers_per_sm / (32 * BY)))
#pragma gputune block(32, BY)
#pragma gputune launch_bounds(32 * BY)
#pragma gputune grid(ceil_div(width, ACROSS), ceil_div(height, DOWN), ceil_div(depth, PLANES))
#pragma gputune require(2 * STEPS * BY * 2 * R * 32 * VEC * sizeof(T) <= shared_optin)
#pragma gputune shared(2 * STEPS * BY * 2 * R * 32 * VEC * sizeof(T))
#pragma gputune work(bytes = 2 * sizeof(T) * depth * height * width,                               \
                     flops = (12 * R + 1) * depth * height * width * STEPS)
#pragma gputune check(stencil3d_steps_check, block = 256,                                          \
                      grid = ceil_div(depth * height * width, 256))

constexpr int HALO = R * STEPS, SIDE = (HALO + VEC - 1) / VEC; // points and lanes that are lost on each side
constexpr int WIDE = 32 * VEC, EDGES = 2 * R * WIDE;           // points in a warp's row; in all its edge rows

typedef gputune_vector<T, VEC> points; // a thread's points in one row

extern __shared__ T edges[]; // EDGES points for odd and even planes, for each step and warp

// Returns i modulo n, for i >= -16.
GPUTUNE_INLINE unsigned int wrapped(int i, unsigned int n)
{
    return unsigned(i) < n ? i : (i + n * 16) % n;
}

// Returns the point that is `by` points after the thread's j-th point in the warp's row.
GPUTUNE_INLINE T along(const points &row, int j, int by)
{
    const int to = j + by, lanes = to < 0 ? (VEC - 1 - to) / VEC : to / VEC;
    return to < 0      ? __shfl_up_sync(0xffffffffu, row[to + lanes * VEC], lanes)
           : to >= VEC ? __shfl_down_sync(0xffffffffu, row[to - lanes * VEC], lanes)
                       : row[to];
}

__global__ void stencil3d_steps(GPUTUNE_PARAM(c) T *__restrict__ y, unsigned int *__restrict__ made,
                                const T *__restrict__ x, unsigned int depth, unsigned int height,
                                unsigned int width)
{
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int column = blockIdx.x * ACROSS + (lane - SIDE) * VEC;
    const int top = blockIdx.y * DOWN + warp * TY - HALO, first = blockIdx.z * PLANES;
    const size_t plane = size_t(height) * width;
    unsigned int from[TY];
#pragma unroll
    for (int v = 0; v < TY; v++) {
        from[v] = wrapped(top + v, height) * width + wrapped(column, width);
    }
    unsigned int next = wrapped(first - HALO, depth); // the next plane to read
    const auto read = [&](points(&rows)[TY]) {
#pragma unroll
        for (int v = 0; v < TY; v++) {
            rows[v] = gputune_load<VEC>(x + next * plane + from[v]);
        }
        next = next + 1 == depth ? 0 : next + 1;
    };
    // before: the 2 R latest input planes of each step. now: the input plane after them.
    points before[STEPS][2 * R][TY] = {}, now[TY], coming[TY];
    const auto step = [&](points(&old)[2 * R][TY], const T *shared) {
        const T *above = shared + max(warp - 1, 0) * EDGES + lane * VEC;
        const T *below = shared + min(warp + 1, BY - 1) * EDGES + lane * VEC;
        points made[TY];
#pragma unroll
        for (int v = 0; v < TY; v++) {
            const points &here = old[R][v];
#pragma unroll
            for (int j = 0; j < VEC; j++) {
                made[v][j] = c(0) * here[j];
            }
#pragma unroll
            for (int d = 1; d <= R; d++) {
                const points up = v >= d ? old[R][v - d < 0 ? 0 : v - d]
                                         : gputune_load<VEC>(above + (2 * R + v - d) * WIDE);
                const points down = v + d < TY ? old[R][v + d < TY ? v + d : 0]
                                               : gputune_load<VEC>(below + (v + d - TY) * WIDE);
                const points &after = d < R ? old[d < R ? R + d : 0][v] : now[v];
#pragma unroll
                for (int j = 0; j < VEC; j++) {
                    made[v][j] += c(d) * (old[R - d][v][j] + after[j] + up[j] + down[j] +
                                          along(here, j, -d) + along(here, j, d));
                }
            }
        }
#pragma unroll
        for (int v = 0; v < TY; v++) {
#pragma unroll
            for (int i = 0; i + 1 < 2 * R; i++) {
                old[i][v] = old[i + 1][v];
            }
            old[2 * R - 1][v] = now[v];
            now[v] = made[v];
        }
    };
    const int count = min(PLANES, depth - first) + 2 * HALO;
    const bool inside = lane >= SIDE && lane < 32 - SIDE && column < width;
    if (AHEAD) {
        read(coming);
    }
#pragma unroll UNROLL
    for (int k = 0; k < count; k++) {
        if (!AHEAD) {
            read(now);
        } else {
#pragma unroll
            for (int v = 0; v < TY; v++) {
                now[v] = coming[v];
            }
            read(coming); // the plane that the last call reads is not used
        }
        T *shared = edges + k % 2 * (STEPS * BY * EDGES);
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            T *mine = shared + (s * BY + warp) * EDGES + lane * VEC;
#pragma unroll
            for (int i = 0; i < R; i++) {
                gputune_store<VEC>(mine + i * WIDE, before[s][R][i]);
                gputune_store<VEC>(mine + (R + i) * WIDE, before[s][R][TY - R + i]);
            }
        }
        __syncthreads(); // all threads have read the edges of the plane before the last
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            step(before[s], shared + s * BY * EDGES);
        }
        if (inside && k >= 2 * HALO) {
#pragma unroll
            for (int v = 0; v < TY; v++) {
                const int row = warp * TY + v;
                if (row >= HALO && row < BY * TY - HALO && top + v < height) {
                    gputune_store<VEC>(y + (first + k - 2 * HALO) * plane + from[v], now[v]);
                }
            }
        }
    }
    if (blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0 && lane == 0 && warp == 0) {
        *made = STEPS;
    }
}

// Several steps equal a single weighted sum over the neighbourhood. Its weights are the result of the
// same steps on an array with a single 1. They are symmetric, so one octant is enough.
__global__ void stencil3d_steps_check(const T *c, const T *y, const unsigned int *made, const T *x,
                                      unsigned int depth, unsigned int height, unsigned int width,
                                      unsigned long long *wrong)
{
    constexpr int REACH = R == 1 ? 6 : 8, ROW = REACH + R + 1, PLANE = ROW * ROW;
    __shared__ double weights[2][ROW * PLANE];
    const int steps = *made;
    const size_t index = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (steps < 1 || R * steps > REACH) {
        atomicAdd(wrong, 1ull);
        return;
    }
    for (int i = threadIdx.x; i < ROW * PLANE; i += blockDim.x) {
        weights[0][i] = i == 0;
        weights[1][i] = 0; // unreachable points stay 0
    }
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        const double *old = weights[step % 2];
        for (int i = threadIdx.x; i < ROW * PLANE; i += blockDim.x) {
            const int u = i % ROW, v = i / ROW % ROW, w = i / PLANE;
            if (max(max(u, v), w) <= REACH) {
                double sum = c[0] * old[i];
                for (int d = 1; d <= R; d++) {
                    sum += c[d] * (old[i - u + abs(u - d)] + old[i + d] +
                                   old[i + (abs(v - d) - v) * ROW] + old[i + d * ROW] +
                                   old[i + (abs(w - d) - w) * PLANE] + old[i + d * PLANE]);
                }
                weights[(step + 1) % 2][i] = sum;
            }
        }
        __syncthreads();
    }
    if (index >= size_t(depth) * height * width) {
        return;
    }
    const unsigned int column = index % width, row = index / width % height,
                       plane = index / width / height;
    const int reach = R * steps;
    double sum = 0, size = 0;
    for (int w = -reach; w <= reach; w++) {
        const int left = reach - abs(w);
        const size_t z = (size_t(depth) * REACH + plane + w) % depth;
        for (int v = -left; v <= left; v++) {
            const int rest = left - abs(v);
            const size_t line = (z * height + (size_t(height) * REACH + row + v) % height) * width;
            for (int u = -rest; u <= rest; u++) {
                const double term = weights[steps % 2][abs(w) * PLANE + abs(v) * ROW + abs(u)] *
                                    x[line + (size_t(width) * REACH + column + u) % width];
                sum += term;
                size += fabs(term);
            }
        }
    }
    if (!(fabs(y[index] - sum) <= (sizeof(T) == 8 ? 1e-14 : 1e-6) * steps * (R + 1) * size)) {
        atomicAdd(wrong, 1ull);
    }
}
