// Two tensor maps that are passed by value. One of them is passed instead of its buffer.
#pragma gputune kernel(maps)
#pragma gputune problem(m = 100, n = 256)
#pragma gputune args(in float x[m][n], out float y[m][n], size_t m, size_t n)
#pragma gputune tensormap(x, box = (ROWS, 32), swizzle = SWIZZLE, l2 = 128, fill = nan)
#pragma gputune tensormap(view : y, box = (1, ROWS, 16), sizes = (m, n / 64, 64), strides = (n, 64))
#pragma gputune tune(ROWS = 8, 64, 512) tune(SWIZZLE = 0, 64, 128)
#pragma gputune block(256) grid(m)
#pragma gputune reference(maps_reference, block = 256, grid = m)

__device__ const float *address_of(const CUtensorMap &map)
{
    return (const float *)map.opaque[1];
}

__global__ void maps(const __grid_constant__ CUtensorMap x, float *y, size_t m, size_t n,
                     const __grid_constant__ CUtensorMap view)
{
    size_t i = blockIdx.x * n + threadIdx.x;
    if (threadIdx.x < n && address_of(view) == y) {
        y[i] = address_of(x)[i] * (float)(view.opaque[3]); // n / 64
    }
}

__global__ void maps_reference(const float *x, float *y, size_t m, size_t n)
{
    size_t i = blockIdx.x * n + threadIdx.x;
    if (threadIdx.x < n) {
        y[i] = x[i] * (float)(n / 64);
    }
}
