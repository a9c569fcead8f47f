__global__ void saxpy(float *y, float *x, float a)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}
