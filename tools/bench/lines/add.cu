#pragma gputune kernel(add)
#pragma gputune problem(n = 1 << 24)
#pragma gputune args(out float c[n], in float a[n], in float b[n], int n)
#pragma gputune tune(BLOCK = 64, 128, 256, 512, 1024)
#pragma gputune default(BLOCK = 256) block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(c[i] = a[i] + b[i])
__global__ void add(float *c, const float *a, const float *b, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
