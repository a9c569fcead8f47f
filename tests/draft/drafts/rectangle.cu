#define BX 32
#define BY 8
__global__ void k(float *o, const float *a, int m, int n)
{
    __shared__ float t[BX][BX + 1];
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BX + threadIdx.y;
    for (int j = 0; j < BX; j += BY) if (x < n && y + j < m) t[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * BX + threadIdx.x; y = blockIdx.x * BX + threadIdx.y;
    for (int j = 0; j < BX; j += BY) if (x < m && y + j < n) o[(y + j) * m + x] = t[threadIdx.x][threadIdx.y + j];
}
void launch(float *o, float *a, int m, int n)
{
    dim3 block(BX, BY), grid((n + BX - 1) / BX, (m + BX - 1) / BX, 1);
    k<<<grid, block>>>(o, a, m, n);
}
