#include <stdio.h>
__global__ void sum(float *partial, const float *x, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) {
        mine += x[i];
    }
    s[t] = mine;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
    }
}
