#pragma gputune kernel(add)
#pragma gputune problem(n = 4096)
#pragma gputune tune(BLOCK = 32, 64)
#pragma gputune block(BLOCK)
__global__ void add(int *y, const int *x, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}
