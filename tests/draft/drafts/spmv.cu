__global__ void spmv(const int *__restrict__ row_ptr, const int *__restrict__ cols, const float *__restrict__ vals,
                     const float *__restrict__ x, float *__restrict__ y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    int end = row_ptr[row + 1];
    for (int k = row_ptr[row]; k < end; ++k)
        sum += vals[k] * x[cols[k]];
    y[row] = sum;
}
