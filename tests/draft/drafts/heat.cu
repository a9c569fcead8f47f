__global__ void heat(double *out, const double *in, int nx, int ny, int nz, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1) {
        int id = i + nx * (j + ny * k);
        out[id] = in[id] + c * (in[id - 1] + in[id + 1] + in[id - nx] + in[id + nx] + in[id - nx * ny] + in[id + nx * ny]);
    }
}
