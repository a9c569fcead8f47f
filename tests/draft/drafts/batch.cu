typedef struct {
    float re, im;
} cplx;

__global__ void scale(cplx *data, unsigned int n, unsigned int batch, float norm)
{
    unsigned int stride = blockDim.x * gridDim.x;
    for (unsigned int i = threadIdx.x + blockIdx.x * blockDim.x; i < n * batch; i += stride) {
        data[i].re *= norm;
        data[i].im *= norm;
    }
}
