__global__ void k(float *y, int width, int height, int depth, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.z;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || r >= height || z >= depth) return;
    y[(z * height + r) * pitch + x] = 1;
}
