__global__ void k(float *out, const float *in, int n)
{
    __shared__ __align__(16) float tile[2][4][8][8];
    extern __shared__ float rest[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[0][0][0][threadIdx.x % 8] = i < n ? in[i] : 0.0f;
    rest[threadIdx.x] = tile[0][0][0][0];
    __syncthreads();
    if (n > i) out[i] = rest[threadIdx.x];
}
