#include <cuda_runtime.h>
#include <iostream>
#include <torch/extension.h>
#include <vector>
const int TILE_WIDTH = 16;
__global__ void MatrixMulKernel(float* Md, float* Nd, float* Pd, int Width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x; int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;
    for (int m = 0; m < Width/TILE_WIDTH; ++m) {
        Mds[ty][tx] = Md[Row*Width + (m*TILE_WIDTH + tx)];
        Nds[ty][tx] = Nd[(m*TILE_WIDTH + ty)*Width + Col];
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row*Width + Col] = Pvalue;
}
void check(cudaError_t e) { if (e != cudaSuccess) { std::cerr << "error\n"; exit(1); } }
static std::vector<float> table;
int main()
{
    float *a, *b, *c;
    const int n = 1 << 8;
    size_t bytes = sizeof(float) * n * n;
    check(cudaMalloc(&a, bytes));
    check(cudaMalloc(&b, bytes));
    check(cudaMalloc((void **)&c, bytes));
    MatrixMulKernel<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
    return 0;
}
