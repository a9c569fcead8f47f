// b = a after some steps of a five-point stencil on a torus; a launch makes as many as a variant likes
#include "gputune.cuh"

// What a launch does depends on STEPS, so the winner is who makes the most steps in a second.
#pragma gputune kernel(stencil_temporal)
#pragma gputune problem(w = 8192)
#pragma gputune problem(h = 8192)
#pragma gputune args(out float b[h * w], out unsigned int made[1], in float a[h * w], \
                     unsigned int w, unsigned int h)
#pragma gputune tune(STEPS = 1, 2, 3, 4, 5, 6, 8)
#pragma gputune tune(BX = 32, 64, 128)
#pragma gputune tune(BY = 1, 2, 4, 8, 16)
#pragma gputune tune(TX = 1, 2, 4) // a thread's cells of the last step
#pragma gputune tune(TY = 1, 2, 4, 8)
#pragma gputune tune(KEPT_IN = shared, registers) // a step's results, until all have read the one before
#pragma gputune tune(UNROLLED = 0, 1)             // the steps
#pragma gputune default(STEPS = 1, BX = 32, BY = 8, TX = 1, TY = 4, KEPT_IN = shared, UNROLLED = 0)
#pragma gputune require(BX * BY >= 64 && BX * BY <= 1024)
#pragma gputune require(STEPS > 1 || (KEPT_IN == shared && UNROLLED == 0))
#pragma gputune require(KEPT_IN == shared || \
                        (TX + ceil_div(2 * STEPS, BX)) * (TY + ceil_div(2 * STEPS, BY)) <= 64)
#pragma gputune block(BX, BY)
#pragma gputune launch_bounds(BX * BY)
#pragma gputune grid(ceil_div(w, BX * TX), ceil_div(h, BY * TY))
#pragma gputune shared(4 * (BX * TX + 2 * STEPS) * (BY * TY + 2 * STEPS) \
                       * (KEPT_IN == shared && STEPS > 1 ? 2 : 1))
#pragma gputune work(bytes = 8 * w * h, flops = 6 * w * h * STEPS)
#pragma gputune check(stencil_temporal_check, block = 256, grid = ceil_div(w * h, 256))

#define CENTRE 0.5
#define SIDE 0.125 // each of four

constexpr int WIDE = BX * TX + 2 * STEPS, HIGH = BY * TY + 2 * STEPS;

extern __shared__ float cells[]; // HIGH rows of WIDE, twice where results are kept here

GPUTUNE_INLINE float stepped(const float *cell)
{
    return float(CENTRE) * cell[0] + float(SIDE) * (cell[-1] + cell[1] + cell[-WIDE] + cell[WIDE]);
}

// The index i on a ring of n; i is no lower than -STEPS.
GPUTUNE_INLINE unsigned int wrapped(int i, unsigned int n)
{
    return unsigned(i) < n ? i : (i + n * STEPS) % n;
}

// One step of all cells that are at least `edge` from the tile's edge, from one tile to the other.
GPUTUNE_INLINE void step_between(float *to, const float *from, int edge)
{
    for (int j = edge + threadIdx.y; j < HIGH - edge; j += BY) {
        for (int i = edge + threadIdx.x; i < WIDE - edge; i += BX) {
            to[j * WIDE + i] = stepped(from + j * WIDE + i);
        }
    }
    __syncthreads();
}

// The same in place.
GPUTUNE_INLINE void step_in_place(int edge)
{
    constexpr int ROWS = (HIGH + BY - 1) / BY, COLUMNS = (WIDE + BX - 1) / BX;
    float kept[ROWS][COLUMNS];
    const auto each = [=](auto body) {
#pragma unroll
        for (int v = 0; v < ROWS; v++) {
#pragma unroll
            for (int u = 0; u < COLUMNS; u++) {
                const int j = threadIdx.y + v * BY, i = threadIdx.x + u * BX;
                if (j >= edge && j < HIGH - edge && i >= edge && i < WIDE - edge) {
                    body(v, u, cells + j * WIDE + i);
                }
            }
        }
    };
    each([&](int v, int u, float *cell) { kept[v][u] = stepped(cell); });
    __syncthreads();
    each([&](int v, int u, float *cell) { *cell = kept[v][u]; });
    __syncthreads();
}

__global__ void stencil_temporal(float *__restrict__ b, unsigned int *__restrict__ made,
                                 const float *__restrict__ a, unsigned int w, unsigned int h)
{
    const int x0 = blockIdx.x * (BX * TX), y0 = blockIdx.y * (BY * TY);
    for (int j = threadIdx.y; j < HIGH; j += BY) {
        const float *row = a + size_t(wrapped(y0 + j - STEPS, h)) * w;
        for (int i = threadIdx.x; i < WIDE; i += BX) {
            cells[j * WIDE + i] = row[wrapped(x0 + i - STEPS, w)];
        }
    }
    __syncthreads();
    float *now = cells;
#pragma unroll UNROLLED ? STEPS : 1
    for (int step = 1; step < STEPS; step++) {
        if constexpr (KEPT_IN_shared) {
            float *next = now == cells ? cells + WIDE * HIGH : cells;
            step_between(next, now, step);
            now = next;
        } else {
            step_in_place(step);
        }
    }
#pragma unroll
    for (int v = 0; v < TY; v++) {
#pragma unroll
        for (int u = 0; u < TX; u++) {
            const int j = threadIdx.y + v * BY, i = threadIdx.x + u * BX;
            if (x0 + i < w && y0 + j < h) {
                b[size_t(y0 + j) * w + x0 + i] = stepped(now + (j + STEPS) * WIDE + i + STEPS);
            }
        }
    }
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0) {
        *made = STEPS;
    }
}

#define MOST 8 // steps

// So many steps are one sum over the neighbourhood: its weights come from the same steps of a
// single one.
__global__ void stencil_temporal_check(const float *b, const unsigned int *made, const float *a,
                                       unsigned int w, unsigned int h, unsigned long long *wrong)
{
    constexpr int ROW = 2 * MOST + 3; // an edge of zeros around them
    __shared__ double weights[2][ROW * ROW];
    const int steps = *made;
    const size_t index = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (steps < 1 || steps > MOST) {
        atomicAdd(wrong, 1ull);
        return;
    }
    for (int i = threadIdx.x; i < ROW * ROW; i += blockDim.x) {
        weights[0][i] = i == (MOST + 1) * ROW + MOST + 1;
        weights[1][i] = 0;
    }
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        const double *old = weights[step % 2];
        for (int i = ROW + threadIdx.x; i < ROW * (ROW - 1); i += blockDim.x) {
            weights[(step + 1) % 2][i] =
                CENTRE * old[i] + SIDE * (old[i - 1] + old[i + 1] + old[i - ROW] + old[i + ROW]);
        }
        __syncthreads();
    }
    if (index >= size_t(w) * h) {
        return;
    }
    const unsigned int x = index % w, y = index / w;
    double sum = 0;
    for (int v = -steps; v <= steps; v++) {
        const int reach = steps - abs(v);
        const float *row = a + size_t((size_t(h) * MOST + y + v) % h) * w;
        for (int u = -reach; u <= reach; u++) {
            sum += weights[steps % 2][(MOST + 1 + v) * ROW + MOST + 1 + u] *
                   row[(size_t(w) * MOST + x + u) % w];
        }
    }
    if (!(fabs(b[index] - sum) <= 2e-6)) {
        atomicAdd(wrong, 1ull);
    }
}
