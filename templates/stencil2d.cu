// One step of a star-shaped stencil of radius R in two dimensions; the edge is not changed
#include "gputune.cuh"

#pragma gputune kernel(stencil2d)
#pragma gputune problem(height = 8192, width = 8192)
#pragma gputune problem(const R = 1, 2, 3, 4)
#pragma gputune problem(type T = float, double)
#pragma gputune args(out T y[height][width], in T x[height][width], int height, int width)
// Weights: c[0] of the point itself, c[d] of its neighbours at the distance d.
#pragma gputune pass(c : T[R + 1] = value)
#pragma gputune tune(VIA = l1, shared) // memory from which neighbours are read
#pragma gputune vector(VEC = 1, 2, 4 : x, y)
#pragma gputune tune(BLOCK_X = 32, 64, 128, 256)
#pragma gputune tune(BLOCK_Y = 1, 2, 4, 8)
#pragma gputune tune(ROWS = 1, 2, 4, 8, 16, 32) // number of consecutive rows of a thread
#pragma gputune default(VIA = l1, VEC = 1, BLOCK_X = 128, BLOCK_Y = 2, ROWS = 2)
#pragma gputune require(width % VEC == 0)
#pragma gputune require(BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 1024)
#pragma gputune block(BLOCK_X, BLOCK_Y)
#pragma gputune define(TILE = (BLOCK_Y * ROWS + 2 * R) * (BLOCK_X * VEC + 2 * R))
#pragma gputune require(VIA == l1 || sizeof(T) * TILE <= shared_optin)
#pragma gputune shared(VIA == shared ? sizeof(T) * TILE : 0)
#pragma gputune grid(ceil_div(width, BLOCK_X * VEC), ceil_div(height, BLOCK_Y * ROWS))
#pragma gputune work(bytes = 2 * sizeof(T) * height * width, flops = (8 * R + 1) * height * width)
#pragma gputune reference(stencil2d_reference, block = 32, 8, grid = ceil_div(width, 32),          \
                          ceil_div(height, 8))

#if VIA_shared
extern __shared__ T tile[];
enum { TILE_WIDTH = BLOCK_X * VEC + 2 * R, TILE_HEIGHT = BLOCK_Y * ROWS + 2 * R };

// Copies the block's points and R more points on each side, if they exist, to shared memory.
GPUTUNE_INLINE void stage(const T *x, int height, int width)
{
    const int left = blockIdx.x * (BLOCK_X * VEC) - R, top = blockIdx.y * (BLOCK_Y * ROWS) - R;
    for (int i = threadIdx.y; i < TILE_HEIGHT; i += BLOCK_Y) {
        for (int j = threadIdx.x; j < TILE_WIDTH; j += BLOCK_X) {
            if (top + i >= 0 && top + i < height && left + j >= 0 && left + j < width) {
                tile[i * TILE_WIDTH + j] = x[size_t(top + i) * width + left + j];
            }
        }
    }
    __syncthreads();
}
#endif

// Reads a thread's points in a row, by a single access if the row is in global memory.
GPUTUNE_INLINE gputune_vector<T, VEC> read_points(const T *from)
{
#if VIA_l1
    return gputune_load<VEC>(from);
#else
    gputune_vector<T, VEC> points;
#pragma unroll
    for (int v = 0; v < VEC; v++) {
        points[v] = from[v];
    }
    return points;
#endif
}

__global__ void stencil2d(GPUTUNE_PARAM(c) T *__restrict__ y, const T *__restrict__ x, int height,
                          int width)
{
    const int row = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
    const int column = (blockIdx.x * BLOCK_X + threadIdx.x) * VEC;
#if VIA_shared
    stage(x, height, width);
    const int stride = TILE_WIDTH;
    const T *here = &tile[(threadIdx.y * ROWS + R) * TILE_WIDTH + threadIdx.x * VEC + R];
#else
    const size_t stride = width;
    const T *here = x + row * stride + column;
#endif
    if (column >= width) {
        return;
    }
    const bool inside = column >= R && column + VEC + R <= width;
    T window[2 * R + 1][VEC]; // the computed row and R rows on each side
    auto read = [&](int i) {
        gputune_vector<T, VEC> points = {};
        if (row + i >= 0 && row + i < height) {
            points = read_points(here + ptrdiff_t(i) * stride);
        }
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            window[(i + R) % (2 * R + 1)][v] = points[v];
        }
    };
#pragma unroll
    for (int i = -R; i < R; i++) {
        read(i);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        if (row + i >= height) {
            return;
        }
        read(i + R);
        const T *around = here + ptrdiff_t(i) * stride;
        gputune_vector<T, VEC> result;
        T line[VEC + 2 * R]; // the thread's points and R points on each side
#pragma unroll
        for (int v = 0; v < VEC + 2 * R; v++) {
            const int at = column + v - R;
            line[v] = v >= R && v < VEC + R   ? window[(i + R) % (2 * R + 1)][v - R]
                      : at >= 0 && at < width ? around[v - R]
                                              : 0;
        }
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            const T middle = line[v + R];
            result[v] = middle;
            if (row + i >= R && row + i + R < height &&
                (inside || (column + v >= R && column + v + R < width))) {
                T sum = c(0) * middle;
#pragma unroll
                for (int d = 1; d <= R; d++) {
                    sum += c(d) * (window[(i + R - d) % (2 * R + 1)][v] +
                                   window[(i + R + d) % (2 * R + 1)][v] + line[v + R - d] +
                                   line[v + R + d]);
                }
                result[v] = sum;
            }
        }
        gputune_store<VEC>(y + size_t(row + i) * width + column, result);
    }
}

__global__ void stencil2d_reference(const T *c, double *y, const T *x, int height, int width)
{
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row >= height || column >= width) {
        return;
    }
    const T *here = x + size_t(row) * width + column;
    double sum = *here;
    if (row >= R && row + R < height && column >= R && column + R < width) {
        sum *= c[0];
        for (int d = 1; d <= R; d++) {
            const ptrdiff_t rows = ptrdiff_t(d) * width;
            sum += double(c[d]) * (double(here[-rows]) + here[rows] + here[-d] + here[d]);
        }
    }
    y[size_t(row) * width + column] = sum;
}
