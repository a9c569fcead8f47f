// One step of a star-shaped stencil of radius R in three dimensions; the edge is not changed
#include "gputune.cuh"

#pragma gputune kernel(stencil3d)
#pragma gputune problem(depth = 512, height = 512, width = 512)
#pragma gputune problem(const R = 1, 2, 3, 4)
#pragma gputune problem(type T = float, double)
#pragma gputune args(out T y[depth][height][width], in T x[depth][height][width], int depth,       \
                     int height, int width)
// Weights: c[0] of the point itself, c[d] of its neighbours at the distance d.
#pragma gputune pass(c : T[R + 1] = value)
#pragma gputune tune(VIA = l1, shared) // memory from which neighbours in a plane are read
#pragma gputune vector(VEC = 1, 2, 4 : x, y)
#pragma gputune tune(BLOCK_X = 16, 32, 64, 128)
#pragma gputune tune(BLOCK_Y = 1, 2, 4, 8, 16)
#pragma gputune tune(PLANES = 1, 4, 8, 16, 64) // number of consecutive planes of a thread
#pragma gputune tune(AHEAD = 0, 1, 2, 4)       // number of planes that are loaded ahead
#pragma gputune default(VIA = l1, VEC = 1, BLOCK_X = 64, BLOCK_Y = 4, PLANES = 4, AHEAD = 1)
#pragma gputune require(width % VEC == 0 && AHEAD < PLANES)
#pragma gputune require(BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 1024)
#pragma gputune block(BLOCK_X, BLOCK_Y)
#pragma gputune define(TILE = (BLOCK_Y + 2 * R) * (BLOCK_X * VEC + 2 * R))
#pragma gputune require(VIA == l1 || sizeof(T) * TILE <= shared_optin)
#pragma gputune shared(VIA == shared ? sizeof(T) * TILE : 0)
#pragma gputune grid(ceil_div(width, BLOCK_X * VEC), ceil_div(height, BLOCK_Y),                    \
                     ceil_div(depth, PLANES))
#pragma gputune work(bytes = 2 * sizeof(T) * depth * height * width,                               \
                     flops = (12 * R + 1) * depth * height * width)
#pragma gputune reference(stencil3d_reference, block = 32, 8, grid = ceil_div(width, 32),          \
                          ceil_div(height, 8), depth)

// A thread's points in one row.
typedef gputune_vector<T, VEC> points;

#if VIA_shared
extern __shared__ T tile[];
enum { TILE_WIDTH = BLOCK_X * VEC + 2 * R, TILE_HEIGHT = BLOCK_Y + 2 * R };

// Copies the block's points in a plane and R more on each side, if they exist, to shared memory.
GPUTUNE_INLINE void stage(const T *plane, int height, int width)
{
    const int left = blockIdx.x * (BLOCK_X * VEC) - R, top = blockIdx.y * BLOCK_Y - R;
    __syncthreads(); // all threads have read the previous plane
    for (int i = threadIdx.y; i < TILE_HEIGHT; i += BLOCK_Y) {
        for (int j = threadIdx.x; j < TILE_WIDTH; j += BLOCK_X) {
            if (top + i >= 0 && top + i < height && left + j >= 0 && left + j < width) {
                tile[i * TILE_WIDTH + j] = plane[size_t(top + i) * width + left + j];
            }
        }
    }
    __syncthreads();
}
#endif

// Reads a thread's points in a row, by a single access if the row is in global memory.
GPUTUNE_INLINE points read_points(const T *from)
{
#if VIA_l1
    return gputune_load<VEC>(from);
#else
    points read;
#pragma unroll
    for (int v = 0; v < VEC; v++) {
        read[v] = from[v];
    }
    return read;
#endif
}

__global__ void stencil3d(GPUTUNE_PARAM(c) T *__restrict__ y, const T *__restrict__ x, int depth,
                          int height, int width)
{
    const int column = (blockIdx.x * BLOCK_X + threadIdx.x) * VEC,
              row = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int first = blockIdx.z * PLANES, last = min(first + PLANES, depth);
    const size_t plane = size_t(height) * width;
    const bool there = column < width && row < height;
    const bool inside = there && row >= R && row + R < height;
    const size_t place = there ? size_t(row) * width + column : 0;
    // This thread's points in the computed plane, in R planes on each side, and in planes loaded ahead.
    points window[2 * R + 1 + AHEAD] = {};
#pragma unroll
    for (int d = 0; d < 2 * R + AHEAD; d++) {
        const int k = first + d - R;
        if (k >= 0 && k < depth) {
            window[d + 1] = gputune_load<VEC>(x + k * plane + place);
        }
    }
    for (int k = first; k < last; k++) {
#pragma unroll
        for (int d = 0; d < 2 * R + AHEAD; d++) {
            window[d] = window[d + 1];
        }
        if (k + R + AHEAD < depth) {
            window[2 * R + AHEAD] = gputune_load<VEC>(x + (k + R + AHEAD) * plane + place);
        }
#if VIA_shared
        stage(x + k * plane, height, width);
        const int stride = TILE_WIDTH;
        const T *here = &tile[(threadIdx.y + R) * TILE_WIDTH + threadIdx.x * VEC + R];
#else
        const int stride = width;
        const T *here = x + k * plane + place;
#endif
        points result = window[R];
        if (inside && k >= R && k + R < depth) {
            T line[VEC + 2 * R]; // the thread's points and R points on each side
#pragma unroll
            for (int v = 0; v < VEC + 2 * R; v++) {
                const int at = column + v - R;
                line[v] = v >= R && v < VEC + R   ? window[R][v - R]
                          : at >= 0 && at < width ? here[v - R]
                                                  : 0;
            }
            points sum;
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                sum[v] = c(0) * line[v + R];
            }
#pragma unroll
            for (int d = 1; d <= R; d++) {
                const points above = read_points(here - d * stride),
                             below = read_points(here + d * stride);
#pragma unroll
                for (int v = 0; v < VEC; v++) {
                    sum[v] += c(d) * (window[R - d][v] + window[R + d][v] + line[v + R - d] +
                                      line[v + R + d] + above[v] + below[v]);
                }
            }
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                if (column + v >= R && column + v + R < width) {
                    result[v] = sum[v];
                }
            }
        }
        if (there) {
            gputune_store<VEC>(y + k * plane + place, result);
        }
    }
}

__global__ void stencil3d_reference(const T *c, double *y, const T *x, int depth, int height,
                                    int width)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y,
              k = blockIdx.z;
    if (row >= height || column >= width) {
        return;
    }
    const ptrdiff_t plane = ptrdiff_t(height) * width,
                    at = k * plane + ptrdiff_t(row) * width + column;
    const T *here = x + at;
    double sum = *here;
    if (k >= R && k + R < depth && row >= R && row + R < height && column >= R &&
        column + R < width) {
        sum *= c[0];
        for (int d = 1; d <= R; d++) {
            sum += double(c[d]) * (double(here[-d]) + here[d] + here[-ptrdiff_t(d) * width] +
                                   here[ptrdiff_t(d) * width] + here[-d * plane] + here[d * plane]);
        }
    }
    y[at] = sum;
}
