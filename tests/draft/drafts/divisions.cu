__global__ void k(float *y, const float *x, int n, int c, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = n * c * h * w;
    if (i >= total) return;
    int col = i % w, row = i / w % h, ch = i / w / h % c, im = i / w / h / c;
    y[i] = x[((im * c + ch) * h + (h - 1 - row)) * w + col];
}
