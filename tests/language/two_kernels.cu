// Two kernels in one file: scale and add
#pragma gputune problem(n = 5000)

#pragma gputune kernel(scale)
#pragma gputune args(inout float y[n], float a = 3, int n)
#pragma gputune tune(BLOCK = 64, 128) block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(scale_reference)

#pragma gputune kernel(add)
#pragma gputune args(inout float y[n], in float x[n], int n)
#pragma gputune tune(WIDTH = 64, 256) block(WIDTH) grid(ceil_div(n, WIDTH))
#pragma gputune reference(add_reference)

__device__ int element(int width)
{
    return blockIdx.x * width + threadIdx.x;
}

__global__ void scale(float *y, float a, int n)
{
    int i = element(BLOCK);
    if (i < n) {
        y[i] *= a;
    }
}

__global__ void add(float *y, const float *x, int n)
{
    int i = element(WIDTH);
    if (i < n) {
        y[i] += x[i];
    }
}

__global__ void scale_reference(float *y, float a, int n)
{
    int i = element(blockDim.x);
    if (i < n) {
        y[i] *= a;
    }
}

__global__ void add_reference(float *y, const float *x, int n)
{
    int i = element(blockDim.x);
    if (i < n) {
        y[i] += x[i];
    }
}
