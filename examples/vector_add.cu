// c[i] = a[i] + b[i]: a minimal template with one axis

#pragma gputune kernel(vector_add)
#pragma gputune problem(n = 10000000)
#pragma gputune args(out float c[n], in float a[n], in float b[n], int n)
#pragma gputune tune(block_size_x = 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960, 1024)
#pragma gputune block(block_size_x) grid(ceil_div(n, block_size_x))
#pragma gputune work(bytes = 12 * n)
#pragma gputune reference(self)

__global__ void vector_add(float *c, const float *a, const float *b, int n)
{
    const int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
