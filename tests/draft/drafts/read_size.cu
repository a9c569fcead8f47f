// the program reads its sizes from a file, and rounds its grids up in two more ways
#include <errno.h>
#include <new>
#include <stdio.h>

__global__ void k(float *y, const float *x, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < columns && j < rows) {
        y[j * columns + i] = 2 * x[j * columns + i];
    }
}

int main(int argc, char **argv)
{
    int rows = 0, columns = 0;
    FILE *file = fopen(argv[1], "r");
    fscanf(file, "%d", &rows);
    while (fgetc(file) == ' ') {
        columns++;
    }
    float *x, *y;
    cudaMalloc(&x, rows * columns * sizeof(float));
    cudaMalloc(&y, rows * columns * sizeof(float));
    dim3 block(32, 8);
    dim3 grid((columns - 1) / block.x + 1, (rows + block.y) / block.y);
    k<<<grid, block>>>(y, x, rows, columns);
    return 0;
}
