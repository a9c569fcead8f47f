// Vectors whose addresses are in structs in device memory, and an array that contains addresses of weights
#pragma gputune kernel(batched)
#pragma gputune problem(const m = 7, n = 1000)
#pragma gputune args(in Vectors batch[m], in uint64_t weights[m], out float y[m][n], in float x[m][n], in float w[m], int n)
#pragma gputune init(point, grid = 1)
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune launch(scale, block = BLOCK, grid = (ceil_div(n, BLOCK), m), args = (batch, weights))
#pragma gputune reference(y[i][j] = w[i] * x[i][j])

struct Vectors {
    float *y;
    const float *x;
    int n;
};

__global__ void scale(const Vectors *batch, float *const *weights)
{
    const Vectors one = batch[blockIdx.y];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < one.n) {
        one.y[i] = *weights[blockIdx.y] * one.x[i];
    }
}

__global__ void point(Vectors *batch, float **weights, float *y, float *x, float *w, int n, unsigned long long seed)
{
    const int i = threadIdx.x;
    if (i < m) {
        batch[i] = {y + i * n, x + i * n, n};
        weights[i] = w + i;
    }
}
