// y = x after several steps of a star-shaped stencil of radius R on a torus; the number of steps in a
// launch is tuned
#include "gputune.cuh"

// A block reads a tile and the points around it once, and computes STEPS steps of the tile. The work
// of a launch depends on STEPS, so the variant with the most steps per second wins. made[0] is the
// number of steps.
#pragma gputune kernel(stencil2d_steps)
#pragma gputune problem(height = 8192, width = 8192)
#pragma gputune problem(const R = 1, 2)
#pragma gputune problem(type T = float, double)
#pragma gputune args(out T y[height][width], out unsigned int made[1], in T x[height][width],      \
                     unsigned int height, unsigned int width)
// Weights: c[0] of the point itself, c[d] of its neighbours at the distance d.
#pragma gputune pass(c : T[R + 1] = value : uniform(0, 0.2))
#pragma gputune tune(STEPS = 1, 2, 3, 4, 5, 6, 8)
#pragma gputune tune(BX = 32, 64, 128)
#pragma gputune tune(BY = 1, 2, 4, 8, 16)
#pragma gputune tune(TX = 1, 2, 4) // number of points that a thread computes in the last step
#pragma gputune tune(TY = 1, 2, 4, 8)
#pragma gputune tune(KEPT_IN = shared,                                                             \
                     registers)       // memory that holds results until all threads have read
#pragma gputune tune(UNROLLED = 0, 1) // unrolls the steps
#pragma gputune default(STEPS = 4, BX = 32, BY = 8, TX = 2, TY = 4, KEPT_IN = shared, UNROLLED = 0)
#pragma gputune require(BX * BY >= 64 && BX * BY <= 1024)
#pragma gputune require(STEPS > 1 || (KEPT_IN == shared && UNROLLED == 0))
#pragma gputune require(                                                                           \
    KEPT_IN == shared ||                                                                           \
    (TX + ceil_div(2 * R * STEPS, BX)) * (TY + ceil_div(2 * R * STEPS, BY)) * sizeof(T) <= 256)
#pragma gputune block(BX, BY)
#pragma gputune launch_bounds(BX * BY)
#pragma gputune grid(ceil_div(width, BX * TX), ceil_div(height, BY * TY))
#pragma gputune shared(sizeof(T) * (BX * TX + 2 * R * STEPS) * (BY * TY + 2 * R * STEPS) *         \
                       (KEPT_IN == shared && STEPS > 1 ? 2 : 1))
#pragma gputune work(bytes = 2 * sizeof(T) * height * width,                                       \
                     flops = (8 * R + 1) * height * width * STEPS)
#pragma gputune check(stencil2d_steps_check, block = 256, grid = ceil_div(width * height, 256))

constexpr int HALO = R * STEPS, WIDE = BX * TX + 2 * HALO, HIGH = BY * TY + 2 * HALO;

extern __shared__ T cells[]; // HIGH rows of WIDE points; two copies if KEPT_IN is shared

// Returns i modulo n, for i >= -HALO.
GPUTUNE_INLINE unsigned int wrapped(int i, unsigned int n)
{
    return unsigned(i) < n ? i : (i + n * HALO) % n;
}

__global__ void stencil2d_steps(GPUTUNE_PARAM(c) T *__restrict__ y, unsigned int *__restrict__ made,
                                const T *__restrict__ x, unsigned int height, unsigned int width)
{
    const int left = blockIdx.x * (BX * TX), top = blockIdx.y * (BY * TY);
    for (int j = threadIdx.y; j < HIGH; j += BY) {
        const T *row = x + size_t(wrapped(top + j - HALO, height)) * width;
        for (int i = threadIdx.x; i < WIDE; i += BX) {
            cells[j * WIDE + i] = row[wrapped(left + i - HALO, width)];
        }
    }
    __syncthreads();
    const auto stepped = [&](const T *cell) {
        T sum = c(0) * cell[0];
#pragma unroll
        for (int d = 1; d <= R; d++) {
            sum += c(d) * (cell[-d] + cell[d] + cell[-d * WIDE] + cell[d * WIDE]);
        }
        return sum;
    };
    T *now = cells;
#pragma unroll UNROLLED ? STEPS : 1
    for (int step = 1; step < STEPS; step++) {
        const int edge = R * step; // least distance of the step's points from the tile's edge
        if constexpr (KEPT_IN_shared) {
            T *next = now == cells ? cells + WIDE * HIGH : cells;
            for (int j = edge + threadIdx.y; j < HIGH - edge; j += BY) {
                for (int i = edge + threadIdx.x; i < WIDE - edge; i += BX) {
                    next[j * WIDE + i] = stepped(now + j * WIDE + i);
                }
            }
            now = next;
        } else {
            constexpr int ROWS = (HIGH + BY - 1) / BY, COLUMNS = (WIDE + BX - 1) / BX;
            T kept[ROWS][COLUMNS];
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
            each([&](int v, int u, T *cell) { kept[v][u] = stepped(cell); });
            __syncthreads();
            each([&](int v, int u, T *cell) { *cell = kept[v][u]; });
        }
        __syncthreads();
    }
#pragma unroll
    for (int v = 0; v < TY; v++) {
#pragma unroll
        for (int u = 0; u < TX; u++) {
            const int j = threadIdx.y + v * BY, i = threadIdx.x + u * BX;
            if (left + i < width && top + j < height) {
                y[size_t(top + j) * width + left + i] = stepped(now + (j + HALO) * WIDE + i + HALO);
            }
        }
    }
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0) {
        *made = STEPS;
    }
}

#define MOST 8 // steps

// Several steps equal a single weighted sum over the neighbourhood. Its weights are the result of the
// same steps on an array that has a single 1 and is 0 elsewhere.
__global__ void stencil2d_steps_check(const T *c, const T *y, const unsigned int *made, const T *x,
                                      unsigned int height, unsigned int width,
                                      unsigned long long *wrong)
{
    constexpr int REACH = R * MOST, ROW = 2 * (REACH + R) + 1; // surrounded by zeros
    __shared__ double weights[2][ROW * ROW];
    const int steps = *made;
    const size_t index = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (steps < 1 || steps > MOST) {
        atomicAdd(wrong, 1ull);
        return;
    }
    for (int i = threadIdx.x; i < ROW * ROW; i += blockDim.x) {
        weights[0][i] = i == ROW * ROW / 2;
        weights[1][i] = 0;
    }
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        const double *old = weights[step % 2];
        for (int i = threadIdx.x; i < ROW * ROW; i += blockDim.x) {
            const int column = i % ROW, row = i / ROW;
            if (min(column, row) >= R && max(column, row) < ROW - R) {
                double sum = c[0] * old[i];
                for (int d = 1; d <= R; d++) {
                    sum += c[d] * (old[i - d] + old[i + d] + old[i - d * ROW] + old[i + d * ROW]);
                }
                weights[(step + 1) % 2][i] = sum;
            }
        }
        __syncthreads();
    }
    if (index >= size_t(width) * height) {
        return;
    }
    const unsigned int column = index % width, row = index / width;
    double sum = 0, size = 0;
    for (int v = -R * steps; v <= R * steps; v++) {
        const int reach = R * steps - abs(v);
        const T *from = x + (size_t(height) * REACH + row + v) % height * width;
        for (int u = -reach; u <= reach; u++) {
            const double term = weights[steps % 2][ROW * ROW / 2 + v * ROW + u] *
                                from[(size_t(width) * REACH + column + u) % width];
            sum += term;
            size += fabs(term);
        }
    }
    if (!(fabs(y[index] - sum) <= (sizeof(T) == 8 ? 1e-14 : 1e-6) * steps * (R + 1) * size)) {
        atomicAdd(wrong, 1ull);
    }
}
