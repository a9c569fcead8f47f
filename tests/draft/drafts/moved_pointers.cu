__global__ void sgemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    const uint cRow = blockIdx.x, cCol = blockIdx.y;
    __shared__ float As[32 * 32];
    __shared__ float Bs[32 * 32];
    const uint threadCol = threadIdx.x % 32, threadRow = threadIdx.x / 32;
    A += cRow * 32 * K; B += cCol * 32; C += cRow * 32 * N + cCol * 32;
    float tmp = 0;
    for (int bk = 0; bk < K; bk += 32) {
        As[threadRow * 32 + threadCol] = A[threadRow * K + threadCol];
        Bs[threadRow * 32 + threadCol] = B[threadRow * N + threadCol];
        __syncthreads();
        A += 32; B += 32 * N;
        for (int d = 0; d < 32; ++d) tmp += As[threadRow * 32 + d] * Bs[d * 32 + threadCol];
        __syncthreads();
    }
    C[threadRow * N + threadCol] = alpha * tmp + beta * C[threadRow * N + threadCol];
}
