// Shortest paths between all pairs of nodes, with a launch for each intermediate node
#pragma gputune kernel(floyd)
#pragma gputune problem(n = 48)
#pragma gputune args(inout int d[n][n] = uniform(1, 1000), int n)
#pragma gputune tune(BX = 8, 32) tune(BY = 1, 4)
#pragma gputune for(k = 0; k < n; ++k)
#pragma gputune launch(by_way_of, block = (BX, BY), grid = (ceil_div(n, BX), ceil_div(n, BY)), args = (d, n, k))
#pragma gputune reference(all_paths, block = 256, grid = 1)

__global__ void by_way_of(int *d, int n, int k)
{
    const int column = blockIdx.x * BX + threadIdx.x, row = blockIdx.y * BY + threadIdx.y;
    if (row < n && column < n) {
        d[row * n + column] = min(d[row * n + column], d[row * n + k] + d[k * n + column]);
    }
}

__global__ void all_paths(int *d, int n)
{
    for (int k = 0; k < n; k++) {
        for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
            d[i] = min(d[i], d[i / n * n + k] + d[k * n + i % n]);
        }
        __syncthreads();
    }
}
