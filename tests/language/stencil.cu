// Steps of a stencil between two buffers that are swapped; the result is moved to x if necessary
#pragma gputune kernel(stencil)
#pragma gputune problem(n = 1000) problem(steps = 7)
#pragma gputune args(inout float x[n], int n, int steps)
#pragma gputune scratch(float next[n])
#pragma gputune tune(BLOCK = 64, 256)
#pragma gputune for(t = 0; t < steps; ++t)
#pragma gputune launch(relax, block = BLOCK, grid = ceil_div(n, BLOCK), args = (next, x, n))
#pragma gputune swap(x, next)
#pragma gputune end(t)
#pragma gputune launch(move, block = BLOCK, grid = ceil_div(n, BLOCK), args = (next, x, n), when = steps % 2)
#pragma gputune reference(relax_all, block = 256, grid = 1)

__global__ void relax(float *to, const float *from, int n)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        to[i] = 0.25f * from[i ? i - 1 : 0] + 0.5f * from[i] + 0.25f * from[i < n - 1 ? i + 1 : i];
    }
}

__global__ void move(float *to, const float *from, int n)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        to[i] = from[i];
    }
}

__device__ float spare[1 << 16];

__global__ void relax_all(float *x, int n, int steps)
{
    float *from = x, *to = spare;
    for (int t = 0; t < steps; t++) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            to[i] = 0.25f * from[i ? i - 1 : 0] + 0.5f * from[i] + 0.25f * from[i < n - 1 ? i + 1 : i];
        }
        __syncthreads();
        float *old = from;
        from = to;
        to = old;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        x[i] = from[i];
    }
}
