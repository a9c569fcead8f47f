template <typename T, int BLOCK_SIZE>
__global__ void softmax(T *__restrict__ out, const T *__restrict__ in, int cols)
{
    __shared__ float red[BLOCK_SIZE];
    int row = blockIdx.x;
    const T *x = in + row * cols;
    T *y = out + row * cols;
    float m = -1e30f;
    for (int i = threadIdx.x; i < cols; i += BLOCK_SIZE) m = fmaxf(m, float(x[i]));
    red[threadIdx.x] = m;
    __syncthreads();
    for (int s = BLOCK_SIZE / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) red[threadIdx.x] = fmaxf(red[threadIdx.x], red[threadIdx.x + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += BLOCK_SIZE) y[i] = T(__expf(float(x[i]) - m));
}
