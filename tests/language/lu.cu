// LU decomposition without pivoting: the grid shrinks with the remaining matrix
#pragma gputune kernel(lu)
#pragma gputune problem(n = 40)
#pragma gputune args(inout float a[n][n] = uniform(0.5, 1), int n)
#pragma gputune init(raise_diagonal, block = 256, grid = ceil_div(n, 256))
#pragma gputune tune(BLOCK = 32, 128) tune(T = 8, 16)
#pragma gputune for(i = 0; i < n - 1; ++i)
#pragma gputune launch(column, block = BLOCK, grid = ceil_div(n - i - 1, BLOCK), args = (a, n, i))
#pragma gputune launch(rest, block = (T, T), grid = (ceil_div(n - i - 1, T), ceil_div(n - i - 1, T)), args = (a, n, i + 1, T))
#pragma gputune reference(decompose, block = 256, grid = 1)

__global__ void column(float *a, int n, int i)
{
    const int row = i + 1 + blockIdx.x * BLOCK + threadIdx.x;
    if (row < n) {
        a[row * n + i] /= a[i * n + i];
    }
}

__global__ void rest(float *a, int n, size_t first, short tile)
{
    const int column = first + blockIdx.x * T + threadIdx.x, row = first + blockIdx.y * T + threadIdx.y;
    if (row < n && column < n && tile == T) {
        a[row * n + column] -= a[row * n + first - 1] * a[(first - 1) * n + column];
    }
}

__global__ void raise_diagonal(float *a, int n, unsigned long long seed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i * n + i] += n;
    }
}

__global__ void decompose(float *a, int n)
{
    for (int i = 0; i < n - 1; i++) {
        for (int row = i + 1 + threadIdx.x; row < n; row += blockDim.x) {
            a[row * n + i] /= a[i * n + i];
        }
        __syncthreads();
        for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
            if (e / n > i && e % n > i) {
                a[e] -= a[e / n * n + i] * a[i * n + e % n];
            }
        }
        __syncthreads();
    }
}
